import asyncio
import json
import tempfile
from pathlib import Path

from hermes import Runtime


async def main(folder: Path) -> None:
    (folder / "site").mkdir()
    (folder / "site/index.html").write_text("<h1>hello</h1>")
    (folder / "site/.env").write_text("TOKEN=secret")
    async with Runtime(cwd=folder) as rt:

        async def pack(action, **more):
            answer = await rt.call("file_compress", {"action": action, **more})
            return json.loads(answer)

        made = await pack("create", archive="site.tar.zst", paths=["site"])
        print(made["files"], "file,", made["secrets_left_out"], "secret left out")
        listed = await pack("list", archive="site.tar.zst")
        print([entry["name"] for entry in listed["entries"]])
        got = await pack("extract", archive="site.tar.zst", destination="copy")
        print(got["format"], got["files"])
        again = await pack("extract", archive="site.tar.zst", destination="copy")
        print(again["error"])


with tempfile.TemporaryDirectory() as name:
    asyncio.run(main(Path(name)))
