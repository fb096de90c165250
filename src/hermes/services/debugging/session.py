"""One program that is debugged: what it does now, what it said, and what it is asked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Literal

from hermes.base.errors import HermesError, ToolError
from hermes.environments.programs import Site
from hermes.services.debugging.contract import (
    Breakpoint,
    Debugger,
    Frame,
    How,
    News,
    Output,
    Placed,
    Plan,
    Scope,
    Stopped,
    Variable,
)

State = Literal["running", "stopped", "exited"]
ReadLines = Callable[[str], Awaitable[list[str]]]
"""Returns the lines of a file that may be read; of any other none."""
_AROUND = 3


class Session:
    """A debugging session; all of it happens on one loop."""

    def __init__(self, id: str, language: str, site: Site, stack: AsyncExitStack) -> None:
        self.id, self.language, self.site = id, language, site
        self._stack = stack
        self._state: State = "running"
        self._why = Stopped("")
        self._exit: int | None = None
        self._changed = asyncio.Event()
        self._output = Output()
        self._news = News(self._stopped, self._resumed, self._output.add, self._ended)
        self.debugger: Debugger | None = None
        self.program = ""
        self.read_lines: ReadLines | None = None
        self._busy = asyncio.Lock()

    @property
    def news(self) -> News:
        """What its debugger tells it by."""
        return self._news

    @property
    def is_over(self) -> bool:
        """Whether its program has ended."""
        return self._state == "exited"

    def _stopped(self, why: Stopped) -> None:
        if self._state != "exited":
            self._state, self._why = "stopped", why
            self._changed.set()

    def _resumed(self) -> None:
        if self._state == "stopped":
            self._state = "running"
            self._changed.clear()

    def _ended(self, code: int | None, trouble: str) -> None:
        if trouble and self._state != "exited":
            self._output.add(f"\n{trouble}\n")
        self._exit = code if code is not None else self._exit
        self._state = "exited"
        self._changed.set()

    async def start(self, plan: Plan, seconds: float) -> dict[str, Any]:
        """Start the program and return where it stops first."""
        self.program = plan.program
        async with self._busy:
            placed = await self._asked().start(plan)
            told = await self._told(seconds)
        points = {"breakpoints": self._shown(placed)} if placed else {}
        return {"session_id": self.id, **told, **points}

    async def go(self, how: How, seconds: float) -> dict[str, Any]:
        """Let it go on until it stops; one that runs already is waited for."""
        async with self._busy:
            if self._state == "stopped":
                self._resumed()
                await self._asked().resume(how)
            elif self._state == "exited":
                raise self._over()
            return await self._told(seconds)

    async def pause(self, seconds: float) -> dict[str, Any]:
        """Have it stop where it is."""
        async with self._busy:
            if self._state == "running":
                await self._asked().pause()
            return await self._told(seconds)

    async def _told(self, seconds: float) -> dict[str, Any]:
        """Wait until it does not run, and tell where it is."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        told: dict[str, Any] = {"state": self._state}
        if self._state == "stopped":
            told |= await self._place()
        elif self._state == "exited":
            told["exit_code"] = self._exit
        else:
            told["note"] = (
                f"It still runs after {seconds:g} s. Use continue to wait on, or pause to stop it."
            )
        if said := self._said():
            told["output"] = said
        return told

    async def _place(self) -> dict[str, Any]:
        """Return where it stopped, with the code there and its variables."""
        told: dict[str, Any] = {"reason": self._why.reason}
        try:
            if text := await self._asked().explain(self._why):
                told["text"] = text[:1_000]
            frames = await self._asked().frames()
        except HermesError:  # it may have ended just now
            return told
        if not frames:
            return told
        first = frames[0]
        told["frame"] = self._frame(first)
        if lines := await self._code(first):
            told["code"] = lines
        with contextlib.suppress(ToolError):
            found = await self._asked().variables(first, "locals")
            told["variables"] = [each.as_json() for each in found[:20]]
        return told

    async def _code(self, frame: Frame) -> list[str]:
        if self.read_lines is None or not frame.file:
            return []
        lines = await self.read_lines(frame.file)
        start = max(0, frame.line - 1 - _AROUND)
        return [
            f"{'→' if number == frame.line else ' '} {number} {text}"[:200]
            for number, text in enumerate(lines[start : frame.line + _AROUND], start + 1)
        ]

    async def stack(self) -> dict[str, Any]:
        """Return the calls that are going on."""
        return {"frames": [self._frame(each) for each in await self._stopped_frames()]}

    async def variables(self, frame: int, scope: Scope) -> dict[str, Any]:
        """Return the variables of a call."""
        frames = await self._stopped_frames()
        found = await self._asked().variables(_at(frames, frame), scope)
        return {"frame": self._frame(_at(frames, frame)), "variables": _told(found)}

    async def evaluate(self, frame: int, expression: str) -> dict[str, Any]:
        """Return what an expression gives in a call."""
        frames = await self._stopped_frames()
        async with self._busy:
            value = await self._asked().evaluate(_at(frames, frame), expression)
        told = value.as_json()
        told.pop("name")
        said = self._said()
        return told | ({"output": said} if said else {})

    async def place(self, points: list[Breakpoint]) -> dict[str, Any]:
        """Replace all breakpoints."""
        if self._state == "exited":
            raise self._over()
        return {"breakpoints": self._shown(await self._asked().place(points))}

    async def close(self) -> dict[str, Any]:
        """End it, and return the last that is known of it."""
        try:
            if self.debugger is not None:
                await self.debugger.close()
        finally:
            await self._stack.aclose()
        told: dict[str, Any] = {"state": "ended"}
        if self._exit is not None:
            told["exit_code"] = self._exit
        if said := self._said():
            told["output"] = said
        return told

    async def _stopped_frames(self) -> list[Frame]:
        if self._state == "exited":
            raise self._over()
        if self._state == "running":
            raise ToolError(
                "the program runs; this needs it to be stopped",
                code="running",
                hint="Use action=pause, or continue to wait for a breakpoint.",
            )
        return await self._asked().frames()

    def _said(self) -> str:
        """Return what the program printed since it was last asked."""
        text = self._output.take()
        return self.debugger.tidy(text) if self.debugger is not None else text

    def _asked(self) -> Debugger:
        assert self.debugger is not None
        return self.debugger

    def _over(self) -> ToolError:
        said = self._said()
        return ToolError(
            f"the program has ended with exit code {self._exit}",
            code="not_running",
            hint="Start it again with action=start.",
            **({"output": said} if said else {}),
        )

    def _frame(self, frame: Frame) -> dict[str, Any]:
        file = self.site.shown(frame.file) if frame.file.startswith("/") else frame.file
        return {"function": frame.function, "file": file, "line": frame.line}

    def _shown(self, placed: list[Placed]) -> list[dict[str, Any]]:
        return [
            {"file": self.site.shown(each.file), "line": each.line, "set": each.is_set}
            | ({"message": each.message} if each.message else {})
            for each in placed
        ]


def _at(frames: list[Frame], place: int) -> Frame:
    if place >= len(frames):
        raise ToolError(f"there are only {len(frames)} frames", code="no_such_frame")
    return frames[place]


def _told(found: list[Variable]) -> list[dict[str, Any]]:
    return [each.as_json() for each in found]
