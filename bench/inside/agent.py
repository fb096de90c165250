"""Turns of an agent whose model answers at once, and children that work for it."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

from hermes import Runtime
from hermes.agent.events import CallDone, Done
from hermes.agent.options import AgentOptions
from hermes.base.messages import Message, ToolCall
from hermes.llm.contract import Reply, Request, Usage
from hermes.llm.scripted import Scripted, call
from hermes.runtime.declare import entry_of
from hermes.runtime.registry import ToolRegistry


def nothing() -> str:
    """Do nothing."""
    return "ok"


def answer(request: Request) -> Reply:
    """Call the tool once, then say that it is done."""
    if request.messages[-1].role == "tool":
        return Reply("done", usage=Usage(100, 5))
    return Reply(calls=(call("nothing"),), stop="calls", usage=Usage(100, 5))


def turns(rounds: int, calls: int, earlier: int, recorded: int) -> dict:
    """Return seconds per turn of two rounds and one call, after so many earlier messages."""
    with tempfile.TemporaryDirectory(prefix="hermes-bench-") as folder:
        os.chdir(folder)
        return {"times": asyncio.run(_turns(rounds, calls, earlier, bool(recorded)))}


async def _turns(rounds: int, calls: int, earlier: int, recorded: bool) -> list[float]:
    registry = ToolRegistry()
    registry.add(entry_of(nothing, effects="read"))
    times = []
    async with Runtime(registry=registry) as runtime:
        for _ in range(rounds + 1):
            agent = runtime.agent(Scripted(answer), session=None if recorded else False)
            agent.restart(_said(earlier))
            await agent.ask("warm")
            started = time.perf_counter()
            for _ in range(calls):
                await agent.ask("go")
            times.append((time.perf_counter() - started) / calls)
            await agent.close()
    return times[1:]


def _said(count: int) -> list[Message]:
    found = []
    for number in range(count // 4):
        one = ToolCall(f"early_{number}", "nothing", {})
        found += [
            Message("user", f"Do thing {number}."),
            Message("assistant", calls=(one,)),
            Message("tool", '{"result":"ok"}', call_id=one.id, name="nothing"),
            Message("assistant", f"Thing {number} is done."),
        ]
    return found


def children(count: int) -> dict:
    """Return by how much the peak memory grew with so many children, in bytes each."""
    with tempfile.TemporaryDirectory(prefix="hermes-bench-") as folder:
        os.chdir(folder)
        grown, done = asyncio.run(_children(count))
    return {"each": grown / count, "done": done}


async def _children(count: int) -> tuple[int, int]:
    tasks = [{"goal": f"Work on part {number}."} for number in range(count)]

    def model(request: Request) -> object:
        first = request.messages[1].text
        if not first.startswith("all"):
            seen = any(message.role == "tool" for message in request.messages)
            return f"{first} Done." if seen else call("system_info")
        wanted = [] if first == "all none" else tasks if first == "all" else tasks[:1]
        if request.messages[-1].role == "tool" or not wanted:
            return "finished"
        return call("delegate_task", tasks=wanted)

    config = {"delegation": {"at_once": count}, "agent": {"max_rounds": 0}}
    async with Runtime(config=config) as runtime:
        options = AgentOptions(rounds=0)
        first = runtime.agent(Scripted(model), session=False, options=options)
        await first.ask("all but one")
        before = _peak()
        agent = runtime.agent(Scripted(model), session=False, options=options)
        text = ""
        async for event in agent.run("all"):
            if isinstance(event, CallDone):
                text = event.result
            if isinstance(event, Done):
                assert event.text == "finished", event
        return _peak() - before, text.count("Done.")


def _peak() -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1_024
