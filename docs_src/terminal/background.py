import asyncio
import json

from hermes import Runtime

SERVER = "echo ready; read name; echo hello $name"


async def main() -> None:
    async with Runtime() as rt:

        async def call(tool, **arguments):
            return json.loads(await rt.call(tool, arguments))

        started = await call("terminal", command=SERVER, background=True, notify_on_complete=True)
        name = started["session_id"]
        await call("process", action="submit", session_id=name, data="world")
        ended = await call("process", action="wait", session_id=name)
        print(ended["status"], ended["exit_code"], repr(ended["output"]))
        print([notice["event"] for notice in ended.get("notices", ())])


asyncio.run(main())
