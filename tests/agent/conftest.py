"""A runtime with small tools, and agents on it whose models follow a script."""

import asyncio

import pytest

from hermes import Agent, Runtime
from hermes.llm.scripted import Scripted
from hermes.runtime.declare import tool
from hermes.runtime.registry import ToolRegistry
from hermes.tools import ToolContext, ToolError, ToolResult, image

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(200))


class World:
    """What the tools of a test did, and what they wait for."""

    def __init__(self):
        self.started = asyncio.Event()
        self.release = asyncio.Event()
        self.done = []
        self.cancelled = []
        self.count = 0


def small_tools(registry, world):
    @tool(registry=registry, toolset="test", effects="read")
    def echo(text: str) -> str:
        """Return a text."""
        world.done.append(text)
        return text

    @tool(registry=registry, toolset="test", effects="read")
    def count() -> int:
        """Return a number that grows."""
        world.count += 1
        return world.count

    @tool(registry=registry, toolset="test", effects="read")
    def fail(why: str = "it broke") -> str:
        """Fail."""
        raise ToolError(why, code="broken")

    waiting_tools(registry, world)

    @tool(registry=registry, toolset="test", effects="write", permissions=["database:write"])
    def store(text: str) -> str:
        """Store a text."""
        world.done.append(text)
        return "stored"

    @tool(registry=registry, toolset="test", effects="read")
    def picture(size: int = 0) -> ToolResult:
        """Show a picture."""
        return ToolResult(output={"what": "a picture"}, parts=(image(data=PNG + b"x" * size),))


def waiting_tools(registry, world):
    @tool(registry=registry, toolset="test", effects="read")
    async def wait(who: str, ctx: ToolContext) -> str:
        """Wait until the test says go."""
        ctx.progress(f"{who} waits")
        world.started.set()
        try:
            await world.release.wait()
        except asyncio.CancelledError:
            world.cancelled.append(who)
            raise
        return who

    @tool(registry=registry, toolset="test", effects="read")
    async def stubborn(ctx: ToolContext) -> str:
        """Wait, and take no notice of a cancellation."""
        world.started.set()
        while not world.release.is_set():
            try:
                await world.release.wait()
            except asyncio.CancelledError:
                world.cancelled.append("stubborn")
        return "done after all"


@pytest.fixture
def world():
    return World()


@pytest.fixture
def runtime(world, tmp_path):
    """Make a runtime with the small tools; closed at the end."""
    made = []

    def make(**options):
        registry = ToolRegistry()
        small_tools(registry, world)
        rt = Runtime(registry=registry, cwd=tmp_path, **options)
        made.append(rt)
        return rt

    yield make
    for rt in made:
        rt.close()


@pytest.fixture
def agent(runtime):
    """Make an agent whose model follows a script; returns both."""

    def make(steps, *, rt=None, window=128_000, **choices):
        model = Scripted(steps, window=window)
        choices.setdefault("system", "You are a test.")
        return Agent(rt or runtime(), model, **choices), model

    return make


async def collect(agent, text="go", **more):
    """Run a turn to its end and return its events."""
    async with asyncio.timeout(5):
        return [event async for event in agent.run(text, **more)]


@pytest.fixture
def play():
    """Run turns to their ends in one loop and return all their events."""

    def run(agent, *texts):
        async def turns():
            return [event for text in texts or ("go",) for event in await collect(agent, text)]

        return asyncio.run(turns())

    return run


@pytest.fixture
def check():
    """Say that a conversation is valid: every call has one answer, right behind it, in order."""

    def valid(messages):
        waiting = []
        for message in messages:
            if message.role == "tool":
                assert waiting, "an answer without a call"
                assert waiting.pop(0) == message.call_id
                continue
            assert waiting == [], "a call without an answer"
            waiting = [call.id for call in message.calls]
        assert waiting == []
        return True

    return valid
