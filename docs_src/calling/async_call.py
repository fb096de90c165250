import asyncio
import json

from hermes import Runtime


async def main() -> None:
    async with Runtime(toolsets=["system"]) as runtime:
        answer = await runtime.call("sleep", {"seconds": 0.01}, task_id="demo")
        print(json.loads(answer))


asyncio.run(main())
