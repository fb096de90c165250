"""Run commands in an environment until somebody kills this process: settings as JSON, folder."""

import asyncio
import json
import sys

from hermes import Runtime


async def main(config, folder):
    async with Runtime(config=config, cwd=folder) as rt:

        async def call(command, **more):
            answer = json.loads(await rt.call("terminal", {"command": command, **more}))
            if "error" in answer:
                print(answer, file=sys.stderr, flush=True)

        await call("cd .; setsid flock background sleep 600", background=True)
        await call("flock foreground sleep 600")


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2]))
