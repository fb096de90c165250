import asyncio
import json
import tempfile
from pathlib import Path

from hermes import Runtime


async def main(folder: Path) -> None:
    async with Runtime(cwd=folder) as rt:

        async def watch(action, **more):
            answer = await rt.call("file_watch", {"action": action, **more}, task_id="t")
            return json.loads(answer)

        started = await watch("start", path=".", patterns=["*.py"])
        (folder / "main.py").write_text("print('hello')")
        told = await watch("wait", watch_id=started["watch_id"], timeout=10)
        print(told["events"])
        print((await watch("poll", watch_id=started["watch_id"]))["events"])


with tempfile.TemporaryDirectory() as name:
    asyncio.run(main(Path(name)))
