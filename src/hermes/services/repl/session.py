"""One session: a program where the task runs, given one cell after the other."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal

from hermes.base.errors import ToolError, Unavailable
from hermes.base.optional import install_command
from hermes.environments.contract import Command, Environment, Outcome, Process
from hermes.services.repl.launching import Language, command
from hermes.services.repl.outputs import Message

How = Literal["done", "timed out", "gone"]
_START_SECONDS = 60.0
_INTERRUPT_SECONDS = 3.0
_PART = 1 << 16
_LONGEST_LINE = 16 << 20
_STRAYS = 4_000
_MOST_MESSAGES = 2_000


class Lines:
    """Take messages from what a program prints; a watcher in the words of environments."""

    def __init__(self, on_message: Callable[[Message], None]) -> None:
        self._on_message = on_message
        self._rest: list[bytes] = []
        self._size = 0
        self._strays = b""

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        data = os.read(fd, _PART)
        if data:
            self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Take more of a stream; what is no message is passed over."""
        if stream:
            self._strays = (self._strays + data)[-_STRAYS:]
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._take_line(b"".join([*self._rest, line]))
            self._rest, self._size = [], 0
        if rest and self._size < _LONGEST_LINE:
            self._rest.append(rest)
            self._size += len(rest)

    def _take_line(self, line: bytes) -> None:
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict):
                self._on_message(message)

    def last(self, stream: int) -> bytes:
        """Return the end of what came beside the messages."""
        return self._strays if stream else b""


@dataclass(slots=True)
class _Running:
    """A cell that runs."""

    done: Future[How] = field(default_factory=Future)
    messages: list[Message] = field(default_factory=list)
    progress: Callable[[str], None] | None = None

    def settle(self, how: How) -> None:
        """Say how it ended, once."""
        with contextlib.suppress(Exception):  # it was settled before
            self.done.set_result(how)


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a cell, and how it ended."""

    how: How
    messages: tuple[Message, ...]
    is_lost: bool = False
    """The session ended with it."""
    note: str = ""


class Session:
    """A session of a task; whoever made it closes it."""

    def __init__(self, name: str, language: Language) -> None:
        self.name, self.language = name, language
        self.cells = 0
        self._process: Process | None = None
        self._lines = Lines(self._heard)
        self._cell = _Running()
        self._outcome: Outcome | None = None
        self._lock = threading.Lock()
        self._turn: Future[None] = Future()
        self._turn.set_result(None)

    @property
    def is_over(self) -> bool:
        """Whether its program has ended."""
        return self._outcome is not None

    @property
    def is_running(self) -> bool:
        """Whether its program runs."""
        return self._process is not None and not self.is_over

    @contextlib.asynccontextmanager
    async def turn(self) -> Any:
        """Wait until the cells that were asked for before are done, on whichever loop."""
        with self._lock:
            before, self._turn = self._turn, Future[None]()
            mine = self._turn
        try:
            await asyncio.shield(asyncio.wrap_future(before))
            yield
        finally:
            mine.set_result(None) if before.done() else before.add_done_callback(
                lambda _: mine.set_result(None)
            )

    async def start(
        self, environment: Environment, cwd: str, variables: Mapping[str, str]
    ) -> Message:
        """Start its program; returns what that says of itself.

        Raises:
            ToolError: the program, or something that it needs, is not there.
        """
        self._cell, self._outcome, self._lines = (running := _Running()), None, Lines(self._heard)
        text = command(self.language, is_here=environment.name == "local")
        started = await environment.spawn(Command(text, cwd=cwd, env=variables), self._lines)
        self._process = started
        started.on_end(self._ended)
        try:
            async with asyncio.timeout(_START_SECONDS):
                how = await _settled(running.done)
        except BaseException:
            await asyncio.shield(self.close())
            raise
        if how == "done":
            return running.messages[-1]
        await self.close()
        raise self._explained(running.messages)

    def _explained(self, messages: list[Message]) -> ToolError:
        told = next((each for each in messages if each.get("kind") == "missing"), None)
        if told is not None:
            what, fix = _missing(told)
            return Unavailable(what, hint=fix)
        said = self._lines.last(1).decode("utf-8", "replace").strip()[-1_000:]
        return ToolError(
            f"the {self.language} session did not start: {said or 'its program ended'}",
            code="session_failed",
        )

    async def run(
        self, code: str, seconds: float, progress: Callable[[str], None] | None = None
    ) -> Ran:
        """Run a cell; when its time is up, or the caller gives up, it is interrupted."""
        assert self._process is not None
        self._cell = running = _Running(progress=progress)
        if self.is_over:  # it ended between two cells
            running.settle("gone")
        self.cells += 1
        note = ""
        try:
            with contextlib.suppress(BrokenPipeError):
                await self._process.write(json.dumps({"code": code}).encode() + b"\n")
            async with asyncio.timeout(seconds):
                how = await _settled(running.done)
        except TimeoutError:
            await self._interrupt(running)
            how, note = "timed out", f"Interrupted after {seconds:g} s."
        except asyncio.CancelledError:
            await asyncio.shield(self._interrupt(running))
            raise
        messages = tuple(running.messages)
        if self.is_over:
            note = f"{note} {self._epitaph()}".strip()
        return Ran(how, messages, self.is_over, note)

    async def _interrupt(self, running: _Running) -> None:
        """Have a cell end by an exception; a program that does not listen is ended."""
        assert self._process is not None
        await self._process.signal(signal.SIGINT)
        try:
            async with asyncio.timeout(_INTERRUPT_SECONDS):
                await _settled(running.done)
        except TimeoutError:
            await self.close()

    def _epitaph(self) -> str:
        code = self._outcome.exit_code if self._outcome is not None else None
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return f"The session's program ended {how}; its variables are gone."

    def _heard(self, message: Message) -> None:
        running, kind = self._cell, message.get("kind")
        if len(running.messages) < _MOST_MESSAGES or kind == "done":
            running.messages.append(message)
        if kind in ("done", "ready"):
            running.settle("done")
        elif kind == "stream" and running.progress is not None:
            lines = str(message.get("text", "")).strip().splitlines()
            if lines:
                running.progress(lines[-1][:200])

    def _ended(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._cell.settle("gone")

    async def close(self) -> None:
        """End its program with all that it started."""
        if self._process is not None and not self.is_over:
            await self._process.close()


async def _settled(done: Future[How]) -> How:
    return await asyncio.shield(asyncio.wrap_future(done))


def _missing(told: Message) -> tuple[str, str]:
    """Return what is missing, and how it is installed."""
    what = told.get("what")
    if what == "javascript":
        return "there is no `node` here", "Install Node.js 18 or newer, or use language=python."
    if what == "python":
        return "there is no `python3` here", "Install Python 3.9 or newer."
    python = told.get("python") or "python3"
    return (
        f"the Python of this task, {python}, has no ipykernel",
        f"A person can install it with: {install_command('code')}, or in that Python with: "
        f"{python} -m pip install ipykernel",
    )
