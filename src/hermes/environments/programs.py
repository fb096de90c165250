"""Run one program in an environment, and hear all that it says."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from hermes.environments.contract import Command, Environment, Outcome, Process

_PART = 1 << 16
_MOST_BYTES = 16 << 20
_LAST_BYTES = 4_000
_GRACE_SECONDS = 2.0
NOT_FOUND = 127


class Caller(Protocol):
    """Who calls, in the words of the runtime: its context fits."""

    call_id: str

    @property
    def task_id(self) -> str:
        """The task that the call belongs to."""

    @property
    def cwd(self) -> Path:
        """The task's folder."""

    def progress(self, text: str) -> None:
        """Tell whoever watches how far the call has come."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the programs of one call run."""

    environment: Environment
    root: str
    """The workspace of the task, as it is named there."""
    cwd: str
    own_programs: str = ""
    """A folder with the programs that hermes itself was installed with, if it can be used there."""
    runs_project_code: bool = True
    """Whether programs may be run that come with the project, or run what it holds."""

    def absolute(self, path: str) -> str:
        """Return a path as it is meant in the task's folder."""
        if path == "~" or path.startswith("~/"):
            path = self.environment.home + path[1:]
        return os.path.normpath(os.path.join(self.cwd, path))  # noqa: PTH118 - a text

    def shown(self, path: str) -> str:
        """Return a path as a reader in the task's folder would write it."""
        whole = self.absolute(path)
        if whole == self.cwd:
            return "."
        return whole.removeprefix(self.cwd.rstrip("/") + "/")


OpenSite = Callable[[Caller], AbstractAsyncContextManager[Site]]
"""Opens the site of a call; it stays awake until it is left."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to be run, with all that is special about it."""

    argv: Sequence[str]
    cwd: str
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 120.0

    def as_command(self) -> Command:
        """Return it in the words of environments; aliases and functions do not count."""
        settings = [f"{name}={value}" for name, value in self.env.items()]
        words = ["env", *settings, *self.argv] if settings else list(self.argv)
        return Command(f"exec {shlex.join(words)}", cwd=self.cwd)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what it said."""

    code: int
    output: bytes
    errors: bytes
    seconds: float
    is_timed_out: bool = False
    denied_by: str = ""

    @property
    def text(self) -> str:
        """What it printed."""
        return self.output.decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        """The end of what it said of its troubles."""
        said = self.errors.decode("utf-8", "replace").strip() or self.text.strip()
        return said[-1_500:]


@runtime_checkable
class Explaining(Protocol):
    """A process that knows the rules of its box."""

    def explain(self, errors: bytes, cwd: str) -> str:
        """Return which of them stopped what it tried, once it has ended."""


class Hearing:
    """Keep what a program says, and tell each part; a watcher in the words of environments."""

    def __init__(
        self, on_part: Callable[[int, bytes], object] | None = None, most: int = _MOST_BYTES
    ) -> None:
        self._parts: tuple[list[bytes], list[bytes]] = ([], [])
        self._room = [most, most]
        self._last = [b"", b""]
        self._on_part = on_part

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        data = os.read(fd, _PART)
        if data:
            self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Take more of a stream; what is beyond all measure is dropped."""
        if self._room[stream] > 0:
            self._parts[stream].append(data[: self._room[stream]])
            self._room[stream] -= len(data)
        self._last[stream] = (self._last[stream] + data)[-_LAST_BYTES:]
        if self._on_part is not None:
            self._on_part(stream, data)

    def last(self, stream: int) -> bytes:
        """Return the end of what came."""
        return self._last[stream]

    def all(self, stream: int) -> bytes:
        """Return everything that came."""
        return b"".join(self._parts[stream])


async def run(
    environment: Environment,
    program: Program,
    on_part: Callable[[int, bytes], object] | None = None,
) -> Ran:
    """Run a program to its end, or until its time is up; being cancelled ends it.

    Raises:
        Refused: it was not started.
    """
    started = time.monotonic()
    heard = Hearing(on_part)
    process = await environment.spawn(program.as_command(), heard)
    is_late = False
    try:
        try:
            async with asyncio.timeout(program.seconds):
                outcome = await _fed(process, program.stdin)
        except TimeoutError:
            is_late = True
            outcome = await stop(process)
    except BaseException:
        await asyncio.shield(process.close())
        raise
    return Ran(
        outcome.exit_code if outcome.exit_code is not None else NOT_FOUND,
        heard.all(0),
        heard.all(1),
        time.monotonic() - started,
        is_late,
        outcome.denied_by or _explained(process, heard, program),
    )


def _explained(process: Process, heard: Hearing, program: Program) -> str:
    """Return which rules stopped what a program tried, where that is known."""
    if not isinstance(process, Explaining):
        return ""
    return process.explain(heard.last(1), program.cwd)


async def _fed(process: Process, data: bytes) -> Outcome:
    with contextlib.suppress(BrokenPipeError):  # it may end without reading all of it
        if data:
            await process.write(data)
        await process.close_input()
    return await process.wait()


async def stop(process: Process) -> Outcome:
    """End a program: asked first, so that it can say what it knows, then made to."""
    await process.signal(signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_SECONDS):
            return await process.wait()
    await process.close()
    return await process.wait()
