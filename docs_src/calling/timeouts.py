import asyncio

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="slow", effects="read", timeout_seconds=0.05)
async def never() -> str:
    """Wait for what never comes."""
    try:
        await asyncio.Event().wait()
    finally:
        print("cleaned up")
    return "unreachable"


async def main() -> None:
    async with Runtime(toolsets=["slow"]) as runtime:
        print(await runtime.call("never"))

        call = asyncio.create_task(runtime.call("never", timeout_seconds=60))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        print(call.cancelled(), runtime.journal.entries(limit=1)[0].outcome)


asyncio.run(main())
