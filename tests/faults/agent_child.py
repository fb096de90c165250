"""Work without end as an agent, saying of each result that it was told, until killed."""

import asyncio
import os
import sys

from hermes import Runtime
from hermes.agent.events import CallDone, CallStarted
from hermes.base.messages import ToolCall
from hermes.llm.contract import Reply
from hermes.llm.scripted import Scripted
from hermes.runtime.declare import entry_of
from hermes.runtime.registry import ToolRegistry

DONE = sys.argv[2]


def mark(number: int) -> str:
    """Leave a mark outside of the session, as any tool with an effect does."""
    with open(DONE, "a", encoding="utf-8") as file:
        file.write(f"{number}\n")
    return f"marked {number}"


async def pause(number: int) -> str:
    """Take a while."""
    await asyncio.sleep(0.001 * (number % 5))
    return f"paused {number}"


def answer(request):
    number = len(request.messages)
    calls = [ToolCall("", "mark", {"number": number}), ToolCall("", "pause", {"number": number})]
    return Reply(f"round {number}", calls=tuple(calls * (1 + number % 3)), stop="calls")


async def main(session):
    registry = ToolRegistry()
    for handler in (mark, pause):
        registry.add(entry_of(handler, effects="read"))
    async with Runtime(registry=registry, config={"agent": {"max_rounds": 0}}) as runtime:
        agent = runtime.agent(Scripted(answer), session=session or None)
        async for event in agent.run("work"):
            if isinstance(event, CallStarted):
                os.write(1, f"asked {agent.session_id} {event.id} -\n".encode())
            elif isinstance(event, CallDone):
                os.write(1, f"done {agent.session_id} {event.id} {event.result}\n".encode())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
