"""A command that runs elsewhere, as its host sees it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Literal

from hermes.environments.contract import Outcome, Screen, Watcher
from hermes.environments.inside.frames import Head
from hermes.environments.link import Asked, Link, Lost, settled
from hermes.environments.remote_files import answer

_PART = 1 << 18
_STOP_SECONDS = 10.0
Step = Literal["started", "moved", "ended"]


class RemoteProcess:
    """One command: what it prints goes to its watcher, its end is told once."""

    def __init__(self, watcher: Watcher, where: str) -> None:
        self._watcher, self._where = watcher, where
        self._begun = time.monotonic()
        self._link: Link | None = None
        self._asked: Asked | None = None
        self._ended: Future[Outcome] = Future()
        self.first: Future[Step] = Future()
        """What becomes of it first."""
        self.cwd = ""
        self.pid: int | None = None

    def send(self, link: Link, head: Head, payload: bytes) -> None:
        """Have it run by an agent.

        Raises:
            Lost: the agent is gone; nothing was run.
        """
        self._link = link
        self._asked = link.ask(head, payload, self._news)
        self._asked.done.add_done_callback(self._finish)

    def _news(self, head: Head, payload: bytes) -> None:
        if head["ev"] == "out":
            self._watcher.feed(head["stream"], payload)
            return
        self.pid = head.get("pid") or None
        self.cwd = head.get("cwd", "")
        if not self.first.done():
            self.first.set_result(head["ev"])

    def _finish(self, done: Future[tuple[Head, bytes]]) -> None:
        self._ended.set_result(self._outcome(done))
        if not self.first.done():
            self.first.set_result("ended")

    def _outcome(self, done: Future[tuple[Head, bytes]]) -> Outcome:
        seconds = time.monotonic() - self._begun
        if done.exception() is not None:
            note = (
                f"The connection to {self._where} was lost while the command ran: how it ended is "
                "not known. It is not run again by itself; the next command gets a new shell in "
                "the state that the last whole command left."
            )
            return Outcome(None, "lost", seconds, "", note)
        head = done.result()[0]
        if head["ev"] == "error":
            return Outcome(126, "exited", seconds, "", f"It could not be started: {head['text']}")
        return Outcome(head["code"], head["how"], seconds, head["cwd"], head["note"])

    async def step(self, seconds: float | None) -> Step:
        """Wait for what becomes of it first."""
        async with asyncio.timeout(seconds):
            return await settled(self.first)

    async def write(self, data: bytes) -> None:
        """Write to its input as it reads it.

        Raises:
            BrokenPipeError: it reads no more.
        """
        for start in range(0, len(data), _PART):
            await self._request("stdin", data[start : start + _PART])

    async def close_input(self) -> None:
        """Tell it that nothing more comes."""
        with contextlib.suppress(BrokenPipeError):  # it has ended meanwhile
            await self._request("close")

    async def resize(self, screen: Screen) -> None:
        """Tell it the size of its terminal."""
        await self._request("resize", screen=list(screen))

    async def signal(self, number: int) -> None:
        """Send a signal to it and all that it started."""
        with contextlib.suppress(BrokenPipeError):  # as above
            await self._request("signal", number=int(number))

    async def _request(self, op: str, data: bytes = b"", **words: object) -> None:
        if self._link is None or self._asked is None or self._ended.done():
            if op == "stdin":
                raise BrokenPipeError(errno.EPIPE, "it has ended")
            return
        try:
            asked = self._link.ask({"op": op, "target": self._asked.number, **words}, data)
        except Lost:
            raise BrokenPipeError(errno.EPIPE, "the connection was lost") from None
        await answer(asked, self._where)

    async def wait(self) -> Outcome:
        """Wait for its end."""
        return await settled(self._ended)

    def on_end(self, call: Callable[[Outcome], object]) -> None:
        """Have something called with how it ended; at once if it has."""
        self._ended.add_done_callback(lambda ended: call(ended.result()))

    async def stop(self) -> bool:
        """End it by TERM and then KILL; say whether it has ended."""
        with contextlib.suppress(OSError):
            await self._request("stop")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                await self.wait()
        return self._ended.done()

    async def close(self) -> None:
        """Kill it with all that it started, if it still runs."""
        with contextlib.suppress(OSError):
            await self._request("signal", number=int(signal.SIGKILL))
        await self.stop()
