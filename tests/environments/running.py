"""Run stories and checks on any environment; the tests of all backends share this."""

import asyncio
import itertools

from hermes.environments.capture import Capture
from hermes.environments.contract import Command


def live(story, environment, *more, seconds=50):
    """Run a story with an environment, and close that."""

    async def whole():
        try:
            return await story(environment, *more)
        finally:
            await environment.close()

    return asyncio.run(asyncio.wait_for(whole(), seconds))


async def out(environment, text, **options):
    """Run a command; returns how it ended and all that it printed."""
    heard = Capture()
    options.setdefault("timeout_seconds", 20)
    outcome = await environment.execute(Command(text, **options), heard)
    return outcome, (heard.streams[0].ends()[0] + heard.streams[1].ends()[0]).decode()


async def told(environment, text):
    """Wait until a state with that text was told, which comes after the answer."""
    while text.encode() not in environment._state:
        await asyncio.sleep(0.01)


def passes(check, make):
    """Hold a backend against one check; ``make`` gives an environment in a folder of that name."""
    numbers = itertools.count()
    finding = asyncio.run(check.run(lambda: make(f"{check.name}-{next(numbers)}")))
    assert (finding.verdict, finding.why) == ("passed", ""), finding


def staying(channel):
    """Return a kind of channel that outlives its environments, so that checks can share one."""

    async def close(self):
        pass

    return type("Staying", (channel,), {"close": close})
