"""Sessions that keep what their cells defined, for as long as their task lives."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from hermes.base.errors import InvalidArguments, ToolError, Unavailable
from hermes.environments.contract import Refused
from hermes.environments.programs import Caller, OpenSite, Site
from hermes.services.repl.launching import Language
from hermes.services.repl.outputs import Cell, shown
from hermes.services.repl.session import Ran, Session

MOST_SESSIONS = 8
_CLOSE_SECONDS = 20.0
_KEPT = "What its cells defined before is still there."


Variables = Callable[[Caller], Mapping[str, str]]
"""Gives the variables of a caller's task that its environment does not know yet."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A cell that a tool was asked to run."""

    code: str
    language: Language
    name: str
    seconds: float


class Repls:
    """All sessions of a runtime; whoever made it closes it."""

    def __init__(
        self,
        open_site: OpenSite,
        variables: Variables,
        submit: Callable[[Coroutine[Any, Any, Any]], Future[Any]],
    ) -> None:
        self._open_site, self._variables, self._submit = open_site, variables, submit
        self._sessions: dict[tuple[str, str], Session] = {}
        self._lock = threading.Lock()

    async def run(self, asked: Asked, caller: Caller) -> Cell:
        """Run a cell in a session, which is started by its first one.

        Raises:
            ToolError: there is no such session to be had.
        """
        while True:
            session = self._session(caller.task_id, asked)
            async with session.turn(), self._open_site(caller) as site:
                if not self._is_kept(caller.task_id, session):
                    continue  # it was closed while this waited for its turn
                note = await self._start(session, site, caller)
                ran = await session.run(asked.code, asked.seconds, caller.progress)
                return _told(session, ran, note)

    def _is_kept(self, task_id: str, session: Session) -> bool:
        return self._sessions.get((task_id, session.name)) is session

    def _session(self, task_id: str, asked: Asked) -> Session:
        with self._lock:
            session = self._sessions.get((task_id, asked.name))
            if session is not None and session.language != asked.language:
                raise InvalidArguments(
                    f"the session {asked.name!r} is one of {session.language}",
                    hint=f"Say language={session.language}, or use another session_id.",
                )
            if session is None:
                self._refuse_more(task_id)
                session = Session(asked.name, asked.language)
                self._sessions[task_id, asked.name] = session
            return session

    def _refuse_more(self, task_id: str) -> None:
        names = sorted(name for task, name in self._sessions if task == task_id)
        if len(names) >= MOST_SESSIONS:
            raise ToolError(
                f"this task has {len(names)} sessions already: {', '.join(names)}",
                hint="Close one with action=close.",
                code="too_many_sessions",
            )

    async def _start(self, session: Session, site: Site, caller: Caller) -> str:
        """Have the program of a session run; one that ended is begun anew."""
        if session.is_running:
            return ""
        note = "The session had ended before; this is a new one." if session.cells else ""
        try:
            await session.start(site.environment, site.cwd, self._variables(caller))
        except Refused as error:
            self._forget(caller.task_id, session.name)
            raise Unavailable(error.message, hint=error.hint or None) from error
        except BaseException:
            self._forget(caller.task_id, session.name)
            raise
        return note

    def _forget(self, task_id: str, name: str) -> Session | None:
        with self._lock:
            return self._sessions.pop((task_id, name), None)

    async def end(self, task_id: str, name: str) -> bool:
        """End a session; say whether there was one."""
        session = self._forget(task_id, name)
        if session is not None:
            await session.close()
        return session is not None

    def names(self, task_id: str) -> list[str]:
        """Return the sessions of a task."""
        return sorted(name for task, name in self._sessions if task == task_id)

    def forget(self, task_id: str) -> None:
        """End the sessions of a task."""
        ending = [
            session for name in self.names(task_id) if (session := self._forget(task_id, name))
        ]
        if ending:
            self._submit(_close(ending))

    def close(self) -> None:
        """End all sessions."""
        with self._lock:
            ending, self._sessions = list(self._sessions.values()), {}
        if ending:
            self._submit(_close(ending)).result(timeout=_CLOSE_SECONDS)


async def _close(sessions: list[Session]) -> None:
    await asyncio.gather(*(session.close() for session in sessions), return_exceptions=True)


def _told(session: Session, ran: Ran, note: str) -> Cell:
    """Return what a cell gave, with how it ended in words."""
    cell = shown(ran.messages)
    cell.answer.setdefault("status", "ended")
    if ran.how == "timed out":
        cell.answer["status"] = "timeout"
        for word in ("exception", "traceback"):  # the interrupt is ours
            cell.answer.pop(word, None)
    if ran.how == "timed out" and not ran.is_lost:
        note = f"{note} {ran.note} {_KEPT}"
    elif ran.note:
        note = f"{note} {ran.note}"
    if note.strip():
        cell.answer["note"] = note.strip()
    cell.answer["session_id"] = session.name
    return cell
