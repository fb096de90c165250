"""Commands for tools: one environment per task, in the foreground and in the background."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hermes.base.errors import Unavailable
from hermes.base.files import private_folder
from hermes.environments.capture import Capture
from hermes.environments.contract import (
    NORMAL,
    Command,
    Environment,
    Outcome,
    Power,
    Refused,
    Screen,
)
from hermes.environments.log import Log
from hermes.environments.processes import Processes, Session
from hermes.policy.need import Deed
from hermes.policy.power import needed
from hermes.services.terminal import screens
from hermes.services.terminal.idle import Begin, Idle
from hermes.services.terminal.shown import result, streams
from hermes.services.terminal.text import readable

T = TypeVar("T")
_LOW_BYTES = 200 << 20
_CLOSE_SECONDS = 20.0
_TELL_SECONDS = 0.25
_PART = 1 << 16
_LOOK_SECONDS = 20.0
_RESTED = (
    "After {:g} s without a command the shell was closed; this one has its folder, variables, "
    "functions, aliases and options, but no traps or open files."
)
_log = logging.getLogger("hermes.terminal")


@dataclass(frozen=True, slots=True)
class Job:
    """A command that a tool was asked to run."""

    task_id: str
    call_id: str
    root: str
    """The folder that the task started in."""
    cwd: str
    command: str
    workdir: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float = 180.0
    moves_on: bool = False
    pty: bool = False
    power: Power = NORMAL
    notify: bool = False
    patterns: tuple[str, ...] = ()
    progress: Callable[[str], None] | None = None
    environment: str = ""
    """The backend that was chosen for the task; without one, the settings'."""
    deed: Deed | None = None
    """What the command was judged to do."""

    def as_command(self, known: Mapping[str, str]) -> Command:
        """Return it in the words of environments, with the variables that are not known there."""
        env = {name: value for name, value in self.variables.items() if known.get(name) != value}
        return Command(
            self.command,
            cwd=self.workdir,
            env=env,
            unset=tuple(name for name in known if name not in self.variables),
            timeout_seconds=self.timeout_seconds,
            moves_on=self.moves_on,
            pty=Screen() if self.pty else None,
            power=self.power,
        )


Make = Callable[[Job, Callable[[str], None]], Environment]
"""Makes the environment of a task by its first job; what takes a while is told to the function."""


class Kept(Protocol):
    """What was kept of a workspace before a command."""

    warning: str | None
    """Why nothing was, although it should be."""

    async def end(self) -> None:
        """Find out what the command changed."""


Keep = Callable[[Job], Awaitable[Kept | None]]
"""Keeps the workspace before a command that could lose something of it."""


async def keep_nothing(job: Job) -> None:
    """Keep nothing."""
    del job


class Terminal:
    """Run commands where their task runs them; whoever made it closes it."""

    def __init__(
        self,
        make: Make,
        processes: Processes,
        results: Path,
        submit: Callable[[Coroutine[Any, Any, Any]], Future[Any]],
        keep: Keep = keep_nothing,
        *,
        idle_seconds: float = 0,
        begin: Begin | None = None,
    ) -> None:
        self.processes = processes
        self._keep = keep
        self._make, self._results, self._submit = make, results, submit
        self._environments: dict[str, Environment] = {}
        self._known: dict[str, Mapping[str, str]] = {}
        self._progress: dict[str, Callable[[str], None] | None] = {}
        self._lock = threading.Lock()
        self._idle_seconds = idle_seconds
        self._idle = Idle(idle_seconds, self._rest, begin or submit)
        self._rested: dict[str, str] = {}
        self._endings: set[Future[None]] = set()

    def environment(self, job: Job) -> Environment:
        """Return the environment of a task; a new one is not started yet."""
        self._progress[job.task_id] = job.progress
        with self._lock:
            found = self._environments.get(job.task_id)
            if found is None:
                found = self._made(job)
                self._environments[job.task_id] = found
                self._known[job.task_id] = dict(job.variables)
            return found

    def _made(self, job: Job) -> Environment:
        try:
            return self._make(job, functools.partial(self._report, job.task_id))
        except Refused as error:
            raise Unavailable(error.message, hint=error.hint or None) from error

    def using(self, task_id: str) -> AbstractAsyncContextManager[None]:
        """Keep the environment of a task from resting meanwhile."""
        return self._idle.using(task_id)

    def changed_variables(self, task_id: str, variables: Mapping[str, str]) -> dict[str, str]:
        """Return those variables that a task has got since its environment was made."""
        known = self._known.get(task_id, {})
        return {name: value for name, value in variables.items() if known.get(name) != value}

    def has_run(self, task_id: str) -> bool:
        """Say whether a task has an environment."""
        return task_id in self._environments

    def _report(self, task_id: str, text: str) -> None:
        """Tell whoever watches the command that runs now what its environment does."""
        tell = self._progress.get(task_id)
        if tell is not None:
            tell(text)

    async def run(self, job: Job) -> tuple[dict[str, Any], str, str]:
        """Run a command to its end; return the answer, where the task is now, and its workspace.

        Raises:
            ToolError: it could not be started.
        """
        async with self._idle.using(job.task_id):
            return await self._run(job)

    async def _run(self, job: Job) -> tuple[dict[str, Any], str, str]:
        environment = self.environment(job)
        kept = await self._keep(job)
        capture = Capture(lambda: self._file(job.call_id), on_news=_telling(job.progress))
        session = None
        if job.moves_on:
            session = self.processes.prepare(job.task_id, job.command, job.cwd, pty=job.pty)
        try:
            watcher = capture if session is None else Both(capture, session.log)
            outcome = await _refusing(environment.execute(self._command(job), watcher))
        except BaseException:
            if session is not None:
                session.log.close()
            raise
        finally:
            capture.close()
        if kept is not None and outcome.process is None:
            await kept.end()
        answer = self._told(job, outcome, capture, session) | _warned(kept)
        return answer, outcome.cwd, environment.root

    def _command(self, job: Job) -> Command:
        return job.as_command(self._known.get(job.task_id, {}))

    def _told(
        self, job: Job, outcome: Outcome, capture: Capture, session: Session | None
    ) -> dict[str, Any]:
        if session is not None and outcome.process is not None:
            self.processes.add(session, outcome.process, notify=job.notify, patterns=job.patterns)
            answer = {"session_id": session.id, **streams(capture)}
            answer["note"] = (
                f"Still running after {job.timeout_seconds:g} s; it goes on in the background. "
                "Use process with this session_id to follow it."
            )
        else:
            if session is not None:
                session.log.close()
            answer = result(job.command, outcome, capture, job.cwd)
        if job.pty:
            answer |= screens.shown(capture.last(0), Screen())
        if rested := self._rested.pop(job.task_id, ""):
            answer["note"] = f"{rested} {answer.get('note', '')}".strip()
        return answer | self._news(job)

    async def start(self, job: Job) -> dict[str, Any]:
        """Start a command in the background and return its name at once."""
        async with self._idle.using(job.task_id):
            return await self._start(job)

    async def _start(self, job: Job) -> dict[str, Any]:
        environment = self.environment(job)
        kept = await self._keep(job)
        session = self.processes.prepare(job.task_id, job.command, job.cwd, pty=job.pty)
        try:
            process = await _refusing(environment.spawn(self._command(job), session.log))
        except BaseException:
            session.log.close()
            raise
        self.processes.add(session, process, notify=job.notify, patterns=job.patterns)
        return {"session_id": session.id, "status": "running", **self._news(job), **_warned(kept)}

    def _news(self, job: Job) -> dict[str, Any]:
        """Return what else the model must know now: news of the background, a full disk."""
        news: dict[str, Any] = {}
        if notices := self.notices(job.task_id):
            news["notices"] = notices
        if warning := _disk(job.root):
            news["warning"] = warning
        return news

    def notices(self, task_id: str) -> list[dict[str, str]]:
        """Return what happened in the background of a task, each once."""
        return [
            {"session_id": one.session_id, "event": one.kind, "text": readable(one.text.encode())}
            for one in self.processes.notices(task_id)
        ]

    async def _rest(self, task_id: str) -> bool:
        """Let the environment of a task rest, unless something runs there."""
        environment = self._environments.get(task_id)
        if environment is None:
            return True
        if any(one.is_running for one in self.processes.of_task(task_id)):
            return False
        try:
            if await _has_jobs(environment):
                return False
            lost = await environment.rest()
        except (Refused, OSError) as error:
            _log.warning("the environment of %s cannot rest: %s", task_id, error)
            return True
        self._rested[task_id] = f"{_RESTED.format(self._idle_seconds)} {lost}".strip()
        return True

    def forget(self, task_id: str) -> None:
        """End all that runs for a task."""
        self._rested.pop(task_id, None)
        environment = self._environments.pop(task_id, None)
        self._known.pop(task_id, None)
        self._progress.pop(task_id, None)
        if environment is not None or self.processes.of_task(task_id):
            ending = self._submit(self._end(task_id, environment))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    async def _end(self, task_id: str, environment: Environment | None) -> None:
        await self.processes.end_task(task_id)
        if environment is not None:
            await environment.close()

    def close(self) -> None:
        """End everything that still runs."""
        self._idle.stop()
        self._submit(self._close()).result(timeout=_CLOSE_SECONDS)

    async def _close(self) -> None:
        await self.processes.close()
        environments, self._environments = list(self._environments.values()), {}
        endings = map(asyncio.wrap_future, tuple(self._endings))
        await asyncio.gather(*endings, *(one.close() for one in environments))

    def _file(self, call_id: str) -> Path:
        name = "".join(char if char.isalnum() or char in "-_" else "_" for char in call_id)[:60]
        return private_folder(self._results) / f"{name}-{os.urandom(3).hex()}.txt"


class Both:
    """Give what a command prints to two watchers."""

    def __init__(self, capture: Capture, log: Log) -> None:
        self._capture, self._log = capture, log

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        data = os.read(fd, _PART)
        if data:
            self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Take more of a stream."""
        self._capture.feed(stream, data)
        self._log.feed(stream, data)

    def last(self, stream: int) -> bytes:
        """Return the end of what came on a stream."""
        return self._log.last(stream)


async def _has_jobs(environment: Environment) -> bool:
    """Say whether the shell of an environment has jobs that run."""
    heard = Capture()
    await environment.execute(Command("jobs -pr", timeout_seconds=_LOOK_SECONDS), heard)
    return heard.streams[0].size > 0


async def _refusing(work: Awaitable[T]) -> T:
    """Turn an environment's refusal into an answer for the model."""
    try:
        return await work
    except Refused as error:
        raise Unavailable(error.message, hint=error.hint or None) from error


def _telling(progress: Callable[[str], None] | None) -> Callable[[int, bytes], None] | None:
    """Show a person the last line that came, a few times a second at most."""
    if progress is None:
        return None
    last = time.monotonic()

    def tell(stream: int, data: bytes) -> None:
        nonlocal last
        del stream
        if time.monotonic() - last > _TELL_SECONDS:
            last = time.monotonic()
            lines = readable(data[-2_000:]).strip().splitlines()
            if lines:
                progress(lines[-1][:200])

    return tell


def _warned(kept: Kept | None) -> dict[str, Any]:
    return {"warning": kept.warning} if kept is not None and kept.warning else {}


def _disk(folder: str) -> str | None:
    """Return a warning when a disk is nearly full."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return f"The folder {folder} is not there any more."
    free = found.f_bavail * found.f_frsize
    if free >= _LOW_BYTES:
        return None
    return f"The disk is nearly full: {free >> 20} MB are free."


def power(deed: Deed | None, access: str, writable: Sequence[str]) -> Power:
    """Return what a command is given beyond its box: what it was judged to need, and asked for."""
    found = needed(deed)
    return Power(
        (*found.writable, *writable), access == "network", found.is_outside or access == "outside"
    )
