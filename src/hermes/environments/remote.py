"""An environment on another machine or in a container, by an agent that is sent there."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol, runtime_checkable

from hermes.environments import bootstrap
from hermes.environments.capture import Capture
from hermes.environments.contract import Command, Files, Outcome, Process, Refused, Screen, Watcher
from hermes.environments.inside import packing
from hermes.environments.inside.driver import quoted
from hermes.environments.inside.frames import Head
from hermes.environments.link import Asked, Link, Lost, Program, settled
from hermes.environments.remote_files import RemoteFiles, answer, gone
from hermes.environments.remote_process import RemoteProcess
from hermes.environments.sound import refuse_unreadable

_START_SECONDS = 60.0
_LATE_SECONDS = 60.0
_SPAWN_SECONDS = 60.0
_WRITE_SECONDS = 600.0
_NOT_FOUND = 127
_STOP_CODE = 126
_SETTLING = Command(":", timeout_seconds=10.0, pty=Screen())
"""A command beside the shell: the state is told before its answer, and not some time after."""


class Channel(Protocol):
    """The way to a machine: starts a program there, as often as it is asked."""

    name: str
    """The backend's name, such as ``ssh``."""
    where: str
    """What a person calls the machine."""

    async def start(self, argv: Sequence[str]) -> Program:
        """Start a program there, with pipes for its input and output.

        Raises:
            Refused: it cannot be started; says why.
        """

    def refusal(self, code: int | None, words: str) -> Refused | None:
        """Return what an end at the very start means, if that is known."""

    async def snapshot(self) -> str:
        """Keep the files as they are now, and return the name to start from them again.

        Raises:
            Refused: there are no snapshots.
        """

    async def close(self) -> None:
        """Let go of the machine; what was made for the task is removed."""


@runtime_checkable
class Resting(Protocol):
    """A channel that can do without what its machine costs while nothing runs there."""

    async def rest(self) -> str:
        """Let go of it until the next start, and return what is lost by that."""


class RemoteEnvironment:
    """Run the commands of one task elsewhere. A lost connection costs what ran, and no more."""

    def __init__(
        self,
        channel: Channel,
        root: str = "",
        *,
        makes_root: bool = False,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.name = channel.name
        self.lacks: frozenset[str] = frozenset()
        self.root, self.home = root, ""
        self._channel, self._makes_root = channel, makes_root
        self._variables: dict[str, str] = dict(variables or {})
        self._state = b""
        self._pending = "\n".join(_export(*one) for one in self._variables.items())
        self._cwd = root
        self._link: Link | None = None
        self._lock = threading.Lock()
        self._opening: Future[None] | None = None
        self._is_closed = False
        self._files = RemoteFiles(self._connected, channel.where)

    @property
    def files(self) -> Files:
        """The files there."""
        return self._files

    async def start(self) -> None:
        """Send the agent and start the shell, or again with the last state after a loss."""
        while self._link is None or self._link.lost.is_set():
            if self._is_closed:
                raise Refused("the environment is closed")
            with self._lock:
                opening = self._opening
                if opening is None:
                    self._opening = mine = Future[None]()
            if opening is not None:  # another call of this task, perhaps on another loop
                await settled(opening)
                continue
            try:
                await self._connect()
            finally:
                self._opening = None
                mine.set_result(None)

    async def _connected(self) -> Link:
        await self.start()
        assert self._link is not None
        return self._link

    async def _connect(self) -> None:
        old, self._link = self._link, None
        if old is not None:
            await asyncio.to_thread(old.close)
        program = await self._channel.start(bootstrap.program())
        link = Link(program, bootstrap.modules(), self._take_state)
        try:
            await self._greet(link)
        except BaseException:
            await asyncio.to_thread(link.close)
            raise
        self._link = link
        with contextlib.suppress(Lost):
            self._files.again(link)

    async def _greet(self, link: Link) -> None:
        where = self._channel.where
        words: Head = {"op": "hello", "root": self.root, "makes_root": self._makes_root}
        try:
            async with asyncio.timeout(_START_SECONDS):
                await settled(link.ready)
                asked = link.ask({**words, "pending": self._pending}, self._state)
                head, _ = await answer(asked, where)
        except TimeoutError:
            raise Refused(f"{where} does not answer", "Try again when it is less busy.") from None
        except (Lost, ConnectionResetError):
            raise await self._why(link) from None
        except OSError as error:
            raise _refused(error, where) from None
        self.root, self.home = head["root"], head["home"]
        self._cwd = head["cwd"]

    async def _why(self, link: Link) -> Refused:
        code, words = await asyncio.to_thread(link.explain)
        return self._channel.refusal(code, words) or _common(code, words, self._channel.where)

    def _take_state(self, head: Head, raw: bytes) -> None:
        self._state, self._pending = raw, head["pending"]

    async def execute(self, command: Command, watcher: Watcher) -> Outcome:
        """Run a command in the task's shell there, or beside it if that is busy."""
        started = time.monotonic()
        process = await self._send("execute", command, watcher)
        try:
            limit = command.timeout_seconds
            step = await process.step(None if limit is None else limit + _LATE_SECONDS)
        except TimeoutError:
            await self._give_up()
            step = "ended"
        except asyncio.CancelledError:
            if not await process.stop():
                await self._give_up()
            raise
        if step == "moved":
            seconds = time.monotonic() - started
            return Outcome(None, "moved", seconds, process.cwd or self._cwd, process=process)
        return self._settled(await process.wait(), command)

    async def _send(self, op: str, command: Command, watcher: Watcher) -> RemoteProcess:
        refuse_unreadable(command)
        link = await self._connected()
        head: Head = {
            "op": op,
            "text": command.text,
            "cwd": command.cwd or "",
            "before": self._before(command),
            "seconds": command.timeout_seconds,
            "moves_on": command.moves_on,
            "screen": list(command.pty) if command.pty else None,
        }
        process = RemoteProcess(watcher, self._channel.where)
        try:
            process.send(link, head, command.stdin)
        except Lost:  # between two lines: nothing was run
            self._forget(command)
            return await self._send(op, command, watcher)
        return process

    def _before(self, command: Command) -> str:
        lines = []
        for name, value in command.env.items():
            if self._variables.get(name) != value:
                self._variables[name] = value
                lines.append(_export(name, value))
        for name in command.unset:
            self._variables.pop(name, None)
            lines.append(f"unset -v {name}")
        return "\n".join(lines)

    def _forget(self, command: Command) -> None:
        """Set a command's variables anew next time: the state that had them is lost."""
        for name in command.env:
            self._variables.pop(name, None)

    def _settled(self, outcome: Outcome, command: Command) -> Outcome:
        if outcome.how == "lost":
            self._forget(command)
        self._cwd = outcome.cwd or self._cwd
        return replace(outcome, cwd=self._cwd)

    async def _give_up(self) -> None:
        """Drop a connection that does not answer: what runs there ends with it."""
        if self._link is not None:
            await asyncio.to_thread(self._link.close)

    async def spawn(self, command: Command, watcher: Watcher) -> Process:
        """Start a command in the background, on the state that the task has now."""
        process = await self._send("spawn", command, watcher)
        try:
            step = await process.step(_SPAWN_SECONDS)
        except (TimeoutError, asyncio.CancelledError) as error:
            await process.close()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise Refused(f"{self._channel.where} does not answer") from None
        if step == "ended" and process.pid is None:
            outcome = await process.wait()
            if outcome.exit_code in (None, _STOP_CODE):
                raise Refused(outcome.note or "it could not be started")
        return process

    async def upload(self, source: str, target: str) -> None:
        """Copy a file or folder of this machine there."""
        link = await self._connected()
        try:
            asked = link.ask({"op": "put", "path": target})
            await answer(asked, self._channel.where)
            await asyncio.to_thread(_send_parts, link, asked, source)
            done = link.ask({"op": "put", "path": target, "target": asked.number})
        except Lost:
            raise gone(self._channel.where) from None
        await answer(done, self._channel.where)

    async def download(self, source: str, target: str) -> None:
        """Copy a file or folder from there to this machine."""
        link = await self._connected()
        with await asyncio.to_thread(packing.spool, target) as spool:
            try:
                words = {"op": "get", "path": source}
                asked = link.ask(words, news=lambda _, data: _keep(spool.write(data)))
            except Lost:
                raise gone(self._channel.where) from None
            await answer(asked, self._channel.where)
            await asyncio.to_thread(packing.unpack, spool, target)

    async def snapshot(self) -> str:
        """Keep the files as they are now, where the backend can."""
        return await self._channel.snapshot()

    async def rest(self) -> str:
        """End the agent, and what else the channel can do without; the state is kept here."""
        if self._link is not None and not self._link.lost.is_set():
            await self.execute(_SETTLING, Capture())
        link, self._link = self._link, None
        if link is not None:
            await asyncio.to_thread(link.close)
        return await self._channel.rest() if isinstance(self._channel, Resting) else ""

    async def close(self) -> None:
        """End all that runs there and let go of it."""
        self._is_closed = True
        link, self._link = self._link, None
        if link is not None:
            await asyncio.to_thread(link.close)
        await self._channel.close()


def _export(name: str, value: str) -> str:
    return f"export {name}={quoted(value)}"


def _keep(_: int) -> None:
    """Want nothing of what a write returns."""


def _send_parts(link: Link, asked: Asked, source: str) -> None:
    def send(data: bytes) -> None:
        link.tell({"op": "part", "target": asked.number}, data).result(_WRITE_SECONDS)
        if link.lost.is_set():
            raise Lost

    packing.pack(source, send)


def _refused(error: OSError, where: str) -> Refused:
    if error.errno == errno.ENOENT and "bash" in str(error.filename):
        return Refused(f"bash is missing on {where}", "Install bash there, as /bin/bash.")
    if error.errno == errno.ENOTDIR:
        hint = "Make it there, or set another root."
        return Refused(f"there is no folder {error.filename} on {where}", hint)
    return Refused(f"the shell cannot be started on {where}: {error.strerror or error}")


def _common(code: int | None, words: str, where: str) -> Refused:
    last = words.splitlines()[-1] if words else f"exit code {code}"
    if code == bootstrap.TOO_OLD:
        return Refused(f"{last} on {where}", "Install Python 3.8 or newer there.")
    if code == _NOT_FOUND or ("not found" in words and "python3" in words):
        return Refused(f"python3 is missing on {where}", "Install Python 3.8 or newer there.")
    return Refused(f"the agent cannot be started on {where}: {last}")
