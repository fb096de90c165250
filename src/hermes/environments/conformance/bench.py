"""What a check works with: one environment, more if it asks, and ears for what commands print."""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
from collections.abc import Callable
from typing import Any, NamedTuple

from hermes.environments.capture import Capture, Limits
from hermes.environments.contract import Command, Environment, How, Outcome, Process

Factory = Callable[[], Environment]
"""Makes a new environment, not started, whose root is an empty folder of its own."""

WAIT_SECONDS = 20.0
"""Longer than anything takes that works, also far away and on a busy machine."""
_ALL = Limits(head=64 << 20, tail=0)


class Heard:
    """All that a command prints, and a way to wait for some of it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self.capture = Capture(limits=_ALL, on_news=self._tell)

    def _tell(self, stream: int, data: bytes) -> None:
        del stream, data
        with contextlib.suppress(RuntimeError):  # something is printed after the check is over
            self._loop.call_soon_threadsafe(self._news.set)

    @property
    def out(self) -> bytes:
        """What came on standard output."""
        return self.capture.streams[0].ends()[0]

    @property
    def err(self) -> bytes:
        """What came on standard error."""
        return self.capture.streams[1].ends()[0]

    async def until(self, text: bytes) -> None:
        """Wait until something was printed."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while text not in self.out and text not in self.err:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as error:
            raise TimeoutError(f"waiting for {text!r}; got {self.out[-200:]!r}") from error


class Ran(NamedTuple):
    """How a command went, all of it."""

    code: int | None
    out: bytes
    err: bytes
    outcome: Outcome

    @property
    def how(self) -> How:
        """How it ended."""
        return self.outcome.how


class Started(NamedTuple):
    """A command in the background."""

    process: Process
    heard: Heard

    async def end(self) -> Outcome:
        """Wait for its end, which is near."""
        async with asyncio.timeout(WAIT_SECONDS):
            return await self.process.wait()


class Bench:
    """The environment of one check."""

    def __init__(self, factory: Factory) -> None:
        self._factory = factory
        self.environment = factory()
        self._all = [self.environment]

    @property
    def files(self) -> Any:
        """The files of the environment."""
        return self.environment.files

    def path(self, name: str) -> str:
        """Return a path in the folder of the task."""
        return posixpath.join(self.environment.root, name)

    def make(self) -> Environment:
        """Return another environment of the same kind, not started."""
        return self._factory()

    async def another(self) -> Bench:
        """Return a bench with another environment of the same kind."""
        bench = Bench(self._factory)
        self._all.append(bench.environment)
        await bench.environment.start()
        return bench

    async def run(self, text: str, **options: Any) -> Ran:
        """Run a command; without a word about it, it may take as long as is sensible."""
        heard = Heard()
        options.setdefault("timeout_seconds", WAIT_SECONDS)
        outcome = await self.environment.execute(Command(text, **options), heard.capture)
        return Ran(outcome.exit_code, heard.out, heard.err, outcome)

    async def out(self, text: str, **options: Any) -> bytes:
        """Return what a command prints."""
        return (await self.run(text, **options)).out

    async def spawn(self, text: str, **options: Any) -> Started:
        """Start a command in the background."""
        heard = Heard()
        return Started(await self.environment.spawn(Command(text, **options), heard.capture), heard)

    def begin(self, text: str, **options: Any) -> tuple[asyncio.Task[Outcome], Heard]:
        """Run a command meanwhile."""
        heard = Heard()
        command = Command(text, **options)
        return asyncio.ensure_future(self.environment.execute(command, heard.capture)), heard

    async def is_free(self, lock: str) -> bool:
        """Say whether nobody holds a lock, waiting a little for its holder to be gone."""
        return (await self.run(f"flock -w 5 {lock} true")).code == 0

    async def is_held(self, lock: str) -> bool:
        """Say whether somebody holds a lock."""
        return (await self.run(f"flock -n {lock} true")).code != 0

    async def appears(self, name: str) -> bool:
        """Wait for a file; say whether it has come."""
        waiting = f"n=0; while [ ! -e {name} ] && [ $n -lt 300 ]; do sleep 0.05; n=$((n+1)); done"
        return (await self.run(f"({waiting}; [ -e {name} ])")).code == 0

    async def close(self) -> None:
        """Close all environments."""
        for environment in self._all:
            await environment.close()
