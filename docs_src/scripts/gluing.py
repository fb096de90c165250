import asyncio
import json
import tempfile
from pathlib import Path

from hermes import Runtime

SCRIPT = """
from hermes_tools import ToolFailed, aio, gather, write_file

names = [f"day{n}.log" for n in range(1, 6)]
found = gather((aio.read_file(name) for name in names), return_exceptions=True)
lines = []
for name, each in zip(names, found):
    if isinstance(each, ToolFailed):
        print(name, "→", each.code)
    else:
        lines += [line for line in each["content"].splitlines() if "error" in line]
write_file("errors.txt", "\\n".join(lines))
print(len(lines), "errors in", len(names), "files")
"""


async def main() -> None:
    folder = Path(tempfile.mkdtemp())
    for day in range(1, 5):
        (folder / f"day{day}.log").write_text("started\nerror: no room\nended\n")
    async with Runtime(cwd=folder) as rt:
        answer = json.loads(await rt.call("execute_code", {"code": SCRIPT}))
        print(answer["stdout"], end="")
        print(answer["status"], answer["tool_calls_made"])


asyncio.run(main())
