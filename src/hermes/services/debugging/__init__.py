"""Debug programs: sessions of tasks, each a program under the debugger of its language."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from hermes.base.errors import HermesError, InvalidArguments, ToolError
from hermes.environments.programs import Caller, OpenSite, Site
from hermes.environments.projects import Project, Search, look
from hermes.services.debugging.contract import Breakpoint, Debugger, News, Plan
from hermes.services.debugging.node import NodeDebugger
from hermes.services.debugging.python import PythonDebugger
from hermes.services.debugging.session import Session

T = TypeVar("T")
MOST_SESSIONS = 4
_CLOSE_SECONDS = 10.0
_LARGEST_FILE = 2 << 20
_KINDS: dict[str, Callable[[Site, Project, News], Debugger]] = {
    "python": PythonDebugger,
    "javascript": NodeDebugger,
}
_ENDINGS = {"python": (".py", ".pyw"), "javascript": (".js", ".mjs", ".cjs")}
_SEARCH = Search(("pyproject.toml", "package.json"), (), ("python", "python3", "node"), False)
_log = logging.getLogger("hermes.debugging")


class Carry(Protocol):
    """Runs coroutines on the one loop that sessions live on."""

    def __call__(self, coroutine: Coroutine[Any, Any, T], /) -> Coroutine[Any, Any, T]:
        """Return what waits for it on whichever loop."""


class Held(Protocol):
    """A file as it was read."""

    @property
    def data(self) -> bytes:
        """What it holds."""


class Shelf(Protocol):
    """The files of one call; every path is judged when it is used."""

    async def find(self, path: str) -> str:
        """Return where a path leads."""

    async def read(self, path: str) -> Held:
        """Return a whole file."""


@dataclass(frozen=True, slots=True)
class Start:
    """A program that a tool was asked to debug."""

    path: str
    language: str
    args: tuple[str, ...] = ()
    breakpoints: tuple[Breakpoint, ...] = ()
    """Their files as the caller names them; without one, the program itself."""
    stop_on_entry: bool = False
    stop_on_raise: bool = False
    seconds: float = 60.0


class Debugging:
    """Keep the sessions of tasks; they end with their task."""

    def __init__(
        self,
        open_site: OpenSite,
        shelf: Callable[[Caller], Shelf],
        carry: Carry,
        submit: Callable[[Coroutine[Any, Any, Any]], Future[Any]],
    ) -> None:
        self._open_site, self._shelf = open_site, shelf
        self.carry, self._submit = carry, submit
        self._sessions: dict[str, dict[str, Session]] = {}

    async def start(self, caller: Caller, start: Start) -> dict[str, Any]:
        """Start a program and return where it stops first.

        Raises:
            ToolError: it cannot be started.
        """
        sessions = self._sessions.get(caller.task_id, {})
        for over in [each for each in sessions.values() if each.is_over]:
            await self._end(caller.task_id, over)
        if len(sessions) >= MOST_SESSIONS:
            raise ToolError(
                f"this task has {MOST_SESSIONS} sessions already",
                code="too_many",
                hint="End one with action=stop.",
            )
        shelf = self._shelf(caller)
        program = await shelf.find(start.path)
        _check_language(program, start.language)
        points = await self.points(caller, start.breakpoints, program)
        stack = AsyncExitStack()
        try:
            site = await stack.enter_async_context(self._open_site(caller))
            project = await look(site, (program,), _SEARCH)
            session = Session(secrets.token_hex(3), start.language, site, stack)
            session.debugger = _KINDS[start.language](site, project, session.news)
            session.read_lines = _reading(shelf)
            plan = Plan(
                program, start.args, site.cwd, points, start.stop_on_entry, start.stop_on_raise
            )
            self._sessions.setdefault(caller.task_id, {})[session.id] = session
            caller.progress(f"debugging {site.shown(program)}")
        except BaseException:
            await stack.aclose()
            raise
        try:
            return await session.start(plan, start.seconds)
        except BaseException:
            await asyncio.shield(self._end(caller.task_id, session))
            raise

    async def points(
        self, caller: Caller, given: tuple[Breakpoint, ...], program: str
    ) -> tuple[Breakpoint, ...]:
        """Return breakpoints with whole paths, each judged."""
        shelf = self._shelf(caller)
        return tuple(
            [
                each._replace(file=await shelf.find(each.file) if each.file else program)
                for each in given
            ]
        )

    def session(self, task_id: str, id: str | None, language: str) -> Session:
        """Return a session of a task; without a name, its newest.

        Raises:
            ToolError: there is none.
        """
        sessions = self._sessions.get(task_id, {})
        found = sessions.get(id) if id else next(reversed(sessions.values()), None)
        if found is None:
            names = ", ".join(sessions) or "none"
            raise ToolError(
                f"there is no debugging session {id or ''}".rstrip(),
                code="no_session",
                hint=f"Start one with action=start. Sessions now: {names}.",
            )
        if found.language != language:
            raise InvalidArguments(
                f"this session debugs {found.language}", hint=f"Pass language={found.language}."
            )
        return found

    async def simple(
        self, action: str, task_id: str, session: Session, seconds: float
    ) -> dict[str, Any]:
        """Do what needs no further word: show the stack, pause it, or end it."""
        if action == "stack":
            return await session.stack()
        if action == "pause":
            return await session.pause(seconds)
        return await self._end(task_id, session)

    async def _end(self, task_id: str, session: Session) -> dict[str, Any]:
        self._sessions.get(task_id, {}).pop(session.id, None)
        return await session.close()

    def forget(self, task_id: str) -> None:
        """End the sessions of a task."""
        if sessions := self._sessions.pop(task_id, {}):
            self._submit(_close_all(list(sessions.values())))

    def close(self) -> None:
        """End all sessions."""
        left = [each for sessions in self._sessions.values() for each in sessions.values()]
        self._sessions = {}
        if left:
            with contextlib.suppress(TimeoutError):
                self._submit(_close_all(left)).result(_CLOSE_SECONDS)


async def _close_all(sessions: list[Session]) -> None:
    for session in sessions:
        try:
            await session.close()
        except (OSError, HermesError) as error:
            _log.warning("a debugging session could not be closed well: %s", error)


def _check_language(program: str, language: str) -> None:
    for other, endings in _ENDINGS.items():
        if other != language and program.endswith(endings):
            raise InvalidArguments(
                f"{program} is {other}, not {language}", hint=f"Pass language={other}."
            )


def _reading(shelf: Shelf) -> Callable[[str], Coroutine[Any, Any, list[str]]]:
    async def read(path: str) -> list[str]:
        try:
            held = await shelf.read(path)
        except ToolError:  # what may not be read is not shown
            return []
        return held.data[:_LARGEST_FILE].decode("utf-8", "replace").splitlines()

    return read
