"""Commands in the background: named, logged, watched, and never forgotten."""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
import time
import warnings
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes.base.files import private_folder
from hermes.environments.contract import Outcome, Process, Refused
from hermes.environments.log import Log
from hermes.environments.records import Records

MOST_RUNNING = 512
MOST_ENDED = 64
_NOTICES_KEPT = 200
_BURST, _BURST_SECONDS = 8, 10.0
_LONGEST_LINE = 4_000


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened in the background, told once."""

    session_id: str
    kind: str
    """``ended``, ``matched`` or ``lost``."""
    text: str


@dataclass(slots=True)
class Session:
    """One command in the background."""

    id: str
    task_id: str
    command: str
    cwd: str
    pty: bool
    log: Log
    started: float = field(default_factory=time.time)
    process: Process | None = None
    outcome: Outcome | None = None
    cursor: int = 0
    """How far its log was read by ``poll``."""
    killed: bool = False

    @property
    def is_running(self) -> bool:
        """Whether it still runs."""
        return self.outcome is None


class Watch:
    """Look for patterns in what comes, line by line, and tell of each line at most once."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        with warnings.catch_warnings(action="ignore"):
            self._patterns = [re.compile(_usable(pattern)) for pattern in patterns]
        self._line = b""
        self._told: deque[float] = deque(maxlen=_BURST)
        self.suppressed = 0

    def look(self, data: bytes) -> list[str]:
        """Return the lines that match."""
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-_LONGEST_LINE:]
        return self._found(lines)

    def end(self) -> list[str]:
        """Return what is left to tell at the end: a last line that was not ended, and a count."""
        found = self._found([self._line])
        more, self._line, self.suppressed = self.suppressed, b"", 0
        return [*found, f"{more} more lines matched"] if more else found

    def _found(self, lines: list[bytes]) -> list[str]:
        found = []
        for line in lines:
            text = line.decode("utf-8", "replace").rstrip("\r")[:_LONGEST_LINE]
            if any(pattern.search(text) for pattern in self._patterns):
                found += self._allowed(text)
        return found

    def _allowed(self, text: str) -> list[str]:
        now = time.monotonic()
        if len(self._told) == _BURST and now - self._told[0] < _BURST_SECONDS:
            self.suppressed += 1
            return []
        self._told.append(now)
        more, self.suppressed = self.suppressed, 0
        return [f"{text} (and {more} more lines before it)" if more else text]


def _usable(pattern: str) -> str:
    """Return a pattern; one that is no regular expression is meant as it stands."""
    try:
        re.compile(pattern)
    except re.error:
        return re.escape(pattern)
    return pattern


class Processes:
    """All commands in the background of this process; whoever made it closes it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._records = Records(folder)
        self._sessions: dict[str, Session] = {}
        self._notices: dict[str, deque[Notice]] = {}
        self._lock = threading.Lock()
        self._lost: list[dict[str, Any]] | None = None
        self._gone: dict[str, dict[str, Any]] = {}

    def prepare(self, task_id: str, command: str, cwd: str, *, pty: bool) -> Session:
        """Make the place for a command that is about to start.

        Raises:
            Refused: too many run already.
        """
        running = sum(session.is_running for session in self._sessions.values())
        if running >= MOST_RUNNING:
            raise Refused(
                f"{running} commands run in the background already",
                "End some of them first, with action=kill.",
            )
        private_folder(self._folder)
        name = f"proc_{secrets.token_hex(6)}"
        return Session(name, task_id, command, cwd, pty, Log(self._folder / f"{name}.log"))

    def add(
        self, session: Session, process: Process, *, notify: bool, patterns: tuple[str, ...]
    ) -> None:
        """Follow a command that was started."""
        session.process = process
        with self._lock:
            self._sessions[session.id] = session
        facts = {"command": session.command, "task_id": session.task_id, "started": session.started}
        self._records.write(session.id, facts)
        watch = Watch(patterns)
        if patterns:
            session.log.follow(lambda data: self._matched(session, watch.look(data)))

        def end(outcome: Outcome) -> None:
            self._matched(session, watch.end())
            self._ended(session, outcome, notify=notify)

        process.on_end(end)

    def _matched(self, session: Session, lines: list[str]) -> None:
        for line in lines:
            self._tell(session.task_id, Notice(session.id, "matched", line))

    def _ended(self, session: Session, outcome: Outcome, *, notify: bool) -> None:
        session.outcome = outcome
        self._records.remove(session.id)
        if notify:
            code = outcome.exit_code
            text = f"{session.command[:200]} ended with exit code {code}"
            self._tell(session.task_id, Notice(session.id, "ended", text))
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        with self._lock:
            ended = [one for one in self._sessions.values() if not one.is_running]
            for session in ended[: max(0, len(ended) - MOST_ENDED)]:
                del self._sessions[session.id]
                session.log.close()

    def _tell(self, task_id: str, notice: Notice) -> None:
        with self._lock:
            self._notices.setdefault(task_id, deque(maxlen=_NOTICES_KEPT)).append(notice)

    def notices(self, task_id: str) -> list[Notice]:
        """Return what happened in the background of a task; each is returned once."""
        with self._lock:
            return list(self._notices.pop(task_id, ()))

    def lost(self) -> list[dict[str, Any]]:
        """Return what ran when an earlier hermes was stopped, and so has ended; each once."""
        if self._lost is None:
            self._lost = self._records.orphaned() if self._folder.is_dir() else []
            self._gone = {one["id"]: one for one in self._lost}
        return self._lost

    def gone(self, session_id: str) -> dict[str, Any] | None:
        """Return what is known of a command that ended because hermes was stopped."""
        self.lost()
        return self._gone.get(session_id)

    def of_task(self, task_id: str) -> list[Session]:
        """Return the commands of a task, oldest first."""
        return [one for one in self._sessions.values() if one.task_id == task_id]

    def find(self, task_id: str, session_id: str) -> Session | None:
        """Return a command of a task by its name."""
        session = self._sessions.get(session_id)
        return session if session is not None and session.task_id == task_id else None

    async def end_task(self, task_id: str) -> None:
        """Kill and forget the commands of a task."""
        mine = self.of_task(task_id)
        closing = (one.process.close() for one in mine if one.process is not None)
        await asyncio.gather(*closing, return_exceptions=True)  # one must not keep the others
        for session in mine:
            self._sessions.pop(session.id, None)
            self._records.remove(session.id)
            session.log.close()
        self._notices.pop(task_id, None)

    async def close(self) -> None:
        """Kill and forget all of them."""
        for task_id in {session.task_id for session in self._sessions.values()}:
            await self.end_task(task_id)
