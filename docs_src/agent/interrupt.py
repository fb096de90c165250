import asyncio

from hermes import Runtime
from hermes.agent.events import CallDone, CallProgress, Done
from hermes.llm.scripted import Scripted, call
from hermes.tools import ToolContext, tool


@tool(toolset="slow", effects="read")
async def brew(ctx: ToolContext) -> str:
    """Make tea; takes an hour."""
    ctx.progress("the water is getting warm")
    await asyncio.sleep(3600)
    return "tea"


async def main():
    async with Runtime(toolsets=["slow"]) as runtime:
        agent = runtime.agent(Scripted([call("brew"), "No tea, then."]), session=False)
        async for event in agent.run("Make tea."):
            if isinstance(event, CallProgress):
                print(event.text)
                agent.interrupt()
            elif isinstance(event, CallDone):
                print(event.result)
            elif isinstance(event, Done):
                print(event.text)
        await agent.close()


asyncio.run(main())
