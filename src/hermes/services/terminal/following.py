"""Follow, feed and end commands in the background."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from typing import Any

from hermes.base.errors import InvalidArguments, ToolError
from hermes.base.text import nearest
from hermes.environments.contract import Screen
from hermes.environments.processes import Processes, Session
from hermes.services.terminal import screens
from hermes.services.terminal.exit_codes import meaning
from hermes.services.terminal.text import readable

_SHOWN = 24_000
_GRACE_SECONDS = 3.0


class Following:
    """The commands of one task in the background."""

    def __init__(self, processes: Processes, task_id: str) -> None:
        self._processes, self._task_id = processes, task_id

    def find(self, session_id: str | None) -> Session:
        """Return a command by its name.

        Raises:
            ToolError: the task has none of that name.
        """
        if not session_id:
            raise InvalidArguments("this action needs a session_id", hint="action=list shows them.")
        session = self._processes.find(self._task_id, session_id)
        if session is None and (gone := self._processes.gone(session_id)) is not None:
            raise ToolError(
                f"{session_id} ended when hermes was stopped",
                code="ended",
                hint="Start it again.",
                command=gone["command"],
                output=_last(gone),
            )
        if session is None:
            known = [one.id for one in self._processes.of_task(self._task_id)]
            near = nearest(session_id, known) or known[-3:]
            hint = f"There is {', '.join(near)}." if near else "Nothing runs in the background."
            raise ToolError(f"there is no session {session_id}", code="not_found", hint=hint)
        return session

    def list(self) -> dict[str, Any]:
        """Return all of them, and what was lost when an earlier hermes was stopped."""
        listed = [facts(one) for one in self._processes.of_task(self._task_id)]
        answer: dict[str, Any] = {"processes": listed}
        if lost := self._processes.lost():
            answer["lost"] = [
                {
                    "session_id": one["id"],
                    "command": one["command"],
                    "note": "It ended when hermes was stopped.",
                    "output": _last(one),
                }
                for one in lost
            ]
            lost.clear()
        return answer

    def poll(self, session: Session) -> dict[str, Any]:
        """Return what is new since the last look."""
        part = session.log.read(session.cursor, _SHOWN)
        skipped = part.start - session.cursor
        session.cursor = part.end
        answer = {**facts(session), "output": readable(part.data)}
        if skipped > 0:
            answer["skipped_bytes"] = skipped
        if part.is_cut:
            answer["more"] = True
        if session.pty:
            whole = session.log.read(max(0, part.total - _SHOWN), _SHOWN)
            answer |= screens.shown(whole.data, Screen())
        return answer

    def log(self, session: Session, offset: int | None, limit: int) -> dict[str, Any]:
        """Return lines of the log: the last ones, or those from a line on."""
        part = session.log.read(0, 1 << 30)
        lines = readable(part.data).splitlines()
        start = max(0, len(lines) - limit) if offset is None else max(0, offset - 1)
        shown = lines[start : start + limit]
        answer = {**facts(session), "output": "\n".join(shown), "total_lines": len(lines)}
        answer["first_line"] = start + 1
        if start + len(shown) < len(lines):
            answer["next_offset"] = start + len(shown) + 1
        if part.start:
            answer["dropped_bytes"] = part.start
        return answer

    async def wait(self, session: Session, seconds: float) -> dict[str, Any]:
        """Wait for its end, or so long, and return what is new."""
        if session.process is not None and session.is_running:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    session.outcome = await session.process.wait()
        answer = self.poll(session)
        if session.is_running:
            answer["note"] = f"It still runs after {seconds:g} s."
        return answer

    async def kill(self, session: Session) -> dict[str, Any]:
        """End it: by TERM, and after a while by KILL."""
        if session.process is not None and session.is_running:
            session.killed = True
            await session.process.signal(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GRACE_SECONDS):
                    session.outcome = await session.process.wait()
            if session.is_running:
                await session.process.close()
                session.outcome = await session.process.wait()
        return self.poll(session)

    async def write(self, session: Session, data: bytes) -> dict[str, Any]:
        """Write to its input, and return what it says to that, if it does so at once."""
        if session.process is None or not session.is_running:
            raise ToolError(f"{session.id} has ended", code="ended", hint="Start it again.")
        try:
            await session.process.write(data)
        except OSError:
            raise ToolError(
                f"{session.id} reads no input", code="closed", hint="Its input is closed."
            ) from None
        return {**facts(session), "written": len(data)}

    async def close(self, session: Session) -> dict[str, Any]:
        """Tell it that no more input comes."""
        if session.process is not None and session.is_running:
            await session.process.close_input()
        return facts(session)


def facts(session: Session) -> dict[str, Any]:
    """Return what is known of a command in the background."""
    found: dict[str, Any] = {
        "session_id": session.id,
        "command": session.command[:500],
        "status": "running" if session.is_running else "ended",
    }
    if session.outcome is None:
        found["seconds"] = round(time.time() - session.started, 1)
        return found
    code = session.outcome.exit_code
    found |= {"exit_code": code, "seconds": round(session.outcome.seconds, 1)}
    if session.killed:
        found["status"] = "killed"
    if code and (said := meaning(session.command, code)):
        found["meaning"] = said
    if session.outcome.note:
        found["note"] = session.outcome.note
    return found


def _last(gone: dict[str, Any]) -> str:
    return readable(gone["output"])[-1_000:]
