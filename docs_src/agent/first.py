import asyncio

from hermes import Runtime
from hermes.agent.events import CallDone, CallStarted, Done, Said
from hermes.llm.scripted import Scripted, call
from hermes.tools import tool


@tool(toolset="shop", effects="read")
def price(item: str) -> float:
    """Return the price of an item in euros."""
    return {"tea": 4.5, "coffee": 6.0}[item]


MODEL = Scripted([[call("price", item="tea"), call("price", item="coffee")], "Tea is cheaper."])


async def main():
    async with Runtime(toolsets=["shop"]) as runtime:
        agent = runtime.agent(MODEL)  # or a name such as "openai:gpt-5"; or nothing at all
        async for event in agent.run("Which is cheaper, tea or coffee?"):
            match event:
                case CallStarted(_, name, args):
                    print(f"→ {name} {args}")
                case CallDone(_, name, _, result):
                    print(f"← {name} {result}")
                case Said(text):
                    print(text, end="")
                case Done(_, ending):
                    print(f"\n({ending} after {event.rounds} rounds)")
        await agent.close()


asyncio.run(main())
