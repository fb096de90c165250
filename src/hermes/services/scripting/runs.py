"""One run of a script: begun, watched, stopped when it goes too far, and told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes.environments.contract import Outcome
from hermes.services.scripting import stubs
from hermes.services.scripting.calls import Calls, Dispatch
from hermes.services.scripting.framing import RUN, framed
from hermes.services.scripting.limits import MEGABYTE, Limits
from hermes.services.scripting.lines import Line

_LOOK_SECONDS = 0.25
_LOW_BYTES = 100 * MEGABYTE
_END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Script:
    """A script to be run, and all that it is given."""

    code: str
    tools: Sequence[stubs.Callable]
    dispatch: Dispatch
    limits: Limits
    cwd: str
    """Where it runs, as it is named there."""
    variables: Mapping[str, str] | None = None
    """All that it sees of the environment; None leaves it to the process it runs in."""
    disk: str = ""
    """A folder of this machine whose disk is watched."""


@dataclass(slots=True)
class Told:
    """How a run went."""

    outcome: Outcome | None
    calls: int
    seconds: float
    stdout: tuple[str, int] = ("", 0)
    stderr: tuple[str, int] = ("", 0)
    reason: str = ""
    """Why it was stopped."""
    kind: str = ""
    """Which limit that was: ``time``, ``calls``, ``output``, ``disk``."""
    denied_by: str = ""
    """Which rules of the sandbox stopped what it tried."""


class Run:
    """A script on a line."""

    def __init__(self, script: Script, line: Line) -> None:
        self._script, self._line = script, line
        self._loop = asyncio.get_running_loop()
        self._stopped: asyncio.Future[tuple[str, str]] = self._loop.create_future()
        self._token = secrets.token_hex(16)
        limits = script.limits
        names = [tool.name for tool in script.tools]
        self._calls = Calls(
            names, script.dispatch, token=self._token, most=limits.calls, stop=self._misused
        )
        line.printed.on_flood = lambda: self._loop.call_soon_threadsafe(self._flooded)

    async def to_its_end(self, source: str) -> Told:
        """Run it; being cancelled kills it with all that it started."""
        started = time.monotonic()
        self._calls.send = self._line.send
        await self._line.open(self._calls.take)
        self._line.send(framed(RUN, self._order(source)))
        ended = asyncio.ensure_future(self._line.ended())
        try:
            kind, reason = await self._watch(ended, started)
            await self._calls.cancel()
            outcome = await self._outcome(ended, is_stopped=bool(reason))
        finally:
            self._line.hang_up()
            ended.cancel()
            await self._calls.cancel()
            await _closed(self._line)
        told = Told(outcome, self._calls.made, time.monotonic() - started)
        told.stdout, told.stderr = self._line.printed.text(0), self._line.printed.text(1)
        told.kind, told.reason = kind, reason
        if outcome is not None and outcome.exit_code != 0 and not reason:
            told.denied_by = self._line.denied_by()
        return told

    def _order(self, source: str) -> bytes:
        script = self._script
        order = {
            "script": script.code,
            "stubs": source,
            "token": self._token,
            "limits": script.limits.of_processes(),
            "cwd": script.cwd,
            "env": None if script.variables is None else dict(script.variables),
        }
        return json.dumps(order).encode()

    async def _watch(self, ended: asyncio.Future[Outcome], started: float) -> tuple[str, str]:
        """Wait for the end, or for a reason to make one."""
        limits = self._script.limits
        free = _free(self._script.disk)
        while True:
            left = started + limits.seconds - time.monotonic()
            if left <= 0:
                return "time", f"it ran longer than {limits.seconds:g} seconds"
            awaited: set[asyncio.Future[Any]] = {ended, self._stopped}
            await asyncio.wait(
                awaited,
                timeout=min(left, _LOOK_SECONDS),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if self._stopped.done():
                return self._stopped.result()
            if ended.done():
                return "", ""
            if reason := self._disk_reason(free):
                return "disk", reason

    def _disk_reason(self, before: int) -> str:
        now, most = _free(self._script.disk), self._script.limits.disk_bytes
        if not before or not most:
            return ""
        if before - now > most:
            return f"the disk lost more than {most // MEGABYTE:,} MB while it ran"
        if now < _LOW_BYTES < before:
            return f"the disk is nearly full: {now // MEGABYTE} MB are free"
        return ""

    async def _outcome(self, ended: asyncio.Future[Outcome], *, is_stopped: bool) -> Outcome | None:
        if is_stopped:
            await _closed(self._line)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                return await asyncio.shield(ended)
        return None

    def _misused(self, reason: str) -> None:
        self._stop("calls", reason)

    def _flooded(self) -> None:
        most = self._script.limits.printed_bytes // MEGABYTE
        self._stop("output", f"it printed more than {most:,} MB")

    def _stop(self, kind: str, reason: str) -> None:
        if not self._stopped.done():
            self._stopped.set_result((kind, reason))


async def _closed(line: Line) -> None:
    """End a script with all that it started, as far as that takes no longer than it may."""
    with contextlib.suppress(TimeoutError, OSError):
        async with asyncio.timeout(_END_SECONDS):
            await line.process.close()


def _free(folder: str) -> int:
    """Return how many bytes a disk has left, or 0 when nobody knows."""
    if not folder:
        return 0
    try:
        found = os.statvfs(folder)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize
