import asyncio
import json
import tempfile
from pathlib import Path

from hermes import Runtime

FILES = {
    ".gitignore": "out/\n",
    ".env": "TOKEN=abc\n",
    "src/app.py": "def main() -> None:\n    run(TOKEN)\n",
    "src/deep/tools.py": "def run(token) -> None:\n    print(token)\n",
    "out/app.log": "TOKEN\n",
}


async def main(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    async with Runtime(cwd=folder) as rt:

        async def run(tool, **given):
            print(tool, given)
            answer = json.loads(await rt.call(tool, given))
            for field, value in answer.items():
                print(f"  {field}: {value}")

        await run("search_files", pattern="-> None", limit=1)
        await run("search_files", pattern="TOKEN", hidden=True)
        await run("search_files", pattern="token", ignore_case=True, output_mode="count")
        await run("search_files", pattern="src/*.py", target="files")
        await run("search_files", pattern="dptools", fuzzy=True)
        await run("directory_list", depth=2)
        await run("file_diff", a="src/app.py", b="def main() -> None:\n    run()\n", context=0)


with tempfile.TemporaryDirectory() as name:
    asyncio.run(main(Path(name)))
