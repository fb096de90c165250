"""The local machine: a persistent shell per task, inside the task's box."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from hermes.environments import leftovers
from hermes.environments.bare_state import bare
from hermes.environments.contract import (
    NORMAL,
    Command,
    Files,
    How,
    Outcome,
    Power,
    Process,
    Refused,
    Watcher,
)
from hermes.environments.inside.apart import Apart
from hermes.environments.inside.driver import State, changes, quoted
from hermes.environments.inside.pump import Pump
from hermes.environments.inside.shell import Held, Order, Ran, Running, Shell
from hermes.environments.local_files import LocalFiles
from hermes.environments.local_process import Inside, LocalProcess, MovedProcess, standard
from hermes.environments.sound import refuse_unreadable

Three = tuple[int, int, int]
_MEMORY = "/dev/shm"
_KILL_AFTER_SECONDS = 2.0
_SHELL_AGAIN = (
    "The shell was started again: its variables, functions and folder are as they were before this "
    "command."
)


class Walls(Protocol):
    """Starts programs in the box of a task; whoever knows the profile hands it in."""

    def beyond(self, power: Power) -> Power:
        """Return what of a power the task's box does not give by itself."""

    async def start(
        self,
        argv: Sequence[str],
        given: Three,
        *,
        env: Mapping[str, str],
        cwd: str,
        own: tuple[str, str],
        power: Power,
    ) -> Inside:
        """Start a program on three descriptors, which stay the caller's.

        ``own`` are two folders of the task: one that it may write to, and one that is its /tmp.

        Raises:
            OSError: it cannot be started.
        """


class LocalEnvironment:
    """Run the commands of one task on this machine."""

    name = "local"
    lacks: frozenset[str] = frozenset()

    def __init__(
        self, root: str, home: str, walls: Walls, variables: Mapping[str, str], pump: Pump
    ) -> None:
        self.root, self.home = root, home
        self._walls, self._variables, self._pump = walls, dict(variables), pump
        self._shell: Shell | None = None
        self._shells = 0
        self._inside: Inside | None = None
        self._state: State | None = None
        self._cwd = root
        self._pending: list[str] = []
        self._lock = threading.Lock()
        self._busy = threading.Lock()
        self._opening: Future[None] | None = None
        self._own: tuple[str, str] = ("", "")
        self._processes: set[LocalProcess | MovedProcess] = set()
        self._files = LocalFiles()

    @property
    def files(self) -> Files:
        """The files of this machine."""
        return self._files

    def folders(self) -> tuple[str, str]:
        """Return the folders of the task, made by their first use: its shell's, and its /tmp."""
        with self._lock:
            if not self._own[0]:
                memory = _memory()
                for parent in {memory, None}:
                    leftovers.sweep(parent)
                self._own = (leftovers.make("shell", memory), leftovers.make("task", None))
            return self._own

    async def start(self) -> None:
        """Start the shell of the task, or start it again with its last state."""
        while self._shell is None or not self._shell.is_open:
            with self._lock:
                opening = self._opening
                if opening is None:
                    self._opening = mine = Future[None]()
            if opening is not None:  # another call of this task, perhaps on another loop
                await asyncio.shield(asyncio.wrap_future(opening))
                continue
            try:
                await self._start()
            finally:
                self._opening = None
                mine.set_result(None)

    async def _start(self) -> None:
        self.folders()
        if self._shell is None:
            self._shells += 1
            folder = (
                f"{self._own[0]}/{self._shells}"  # one that moved to the background has its own
            )
            self._shell = Shell(self._start_shell, folder, self._pump.discard)
        else:
            self._state = self._shell.last_state() or self._state
        try:
            await self._shell.open(self._state)
        except OSError as error:
            raise Refused(f"the shell cannot be started: {error.strerror or error}") from error

    async def _start_shell(self, argv: list[str], given: Three) -> Held:
        cwd = self.root if _is_folder(self.root) else "/"
        inside = await self._walls.start(
            argv, given, env=self._variables, cwd=cwd, own=self._own, power=NORMAL
        )
        self._inside = inside
        return Held(inside.ended, inside.kill)

    async def execute(self, command: Command, watcher: Watcher) -> Outcome:
        """Run a command in the task's shell, or beside it if that is busy or not enough."""
        started = time.monotonic()
        refuse_unreadable(command)
        await self.start()
        command = replace(command, power=self._walls.beyond(command.power))
        is_special = command.pty is not None or command.power != NORMAL
        if is_special or not self._busy.acquire(blocking=False):
            return await self._beside(command, watcher, started)
        try:
            return await self._in_shell(command, watcher, started)
        finally:
            self._busy.release()

    async def _in_shell(self, command: Command, watcher: Watcher, started: float) -> Outcome:
        shell, inside = self._shell, self._inside
        assert shell is not None
        assert inside is not None
        before = self._before(command)
        gone = ""
        if not command.cwd and not _is_folder(self._cwd):
            before += f"\nbuiltin cd -- {quoted(self.root)}"
            gone = f"The folder {self._cwd} was removed; the command ran in {self.root}."
        order = Order(command.text, command.cwd or "", before, command.stdin)
        running = shell.begin(order, watcher)
        how: How = "exited"
        try:
            if not await running.answered(command.timeout_seconds):
                if command.moves_on:
                    self._pending.insert(0, before)
                    return self._moved(
                        MovedProcess(shell, running, inside, watcher, self._pump), started
                    )
                how = "timed out"
                await running.stop()
        except asyncio.CancelledError:
            await running.stop()
            await self._ended(shell, running, before)
            raise
        ran = await self._ended(shell, running, before)
        denied_by = inside.explain(watcher.last(1), ran.code, self._cwd)
        return Outcome(
            ran.code,
            "signalled" if how == "exited" and ran.code < 0 else how,
            time.monotonic() - started,
            self._cwd,
            _SHELL_AGAIN if ran.is_lost and (how != "exited" or ran.code > 128) else gone,
            denied_by or "",
        )

    async def _ended(self, shell: Shell, running: Running, before: str) -> Ran:
        """Take what is left of a command in the shell, and the state if that is lost."""
        running.let_go()
        ran = await running.result()
        if ran.is_lost:
            self._state = shell.last_state() or self._state
            if not shell.has_left:
                self._pending.insert(0, before)
        self._cwd = ran.cwd or self._cwd
        return ran

    def _moved(self, process: MovedProcess | LocalProcess, started: float) -> Outcome:
        """Let a command go on in the background; if it has the shell, the task gets a new one."""
        if isinstance(process, MovedProcess) and self._shell is not None:
            told = self._shell.told()
            self._state = told.state if told is not None else self._state
            self._shell = self._inside = None
        self._processes.add(process)
        process.on_end(lambda _: self._processes.discard(process))
        return Outcome(None, "moved", time.monotonic() - started, self._cwd, process=process)

    def _before(self, command: Command) -> str:
        """Return what is done in the shell before a command: other commands' changes, variables."""
        lines, self._pending = self._pending, []
        for name, value in command.env.items():
            if self._variables.get(name) != value:
                self._variables[name] = value
                lines.append(f"export {name}={quoted(value)}")
        for name in command.unset:
            self._variables.pop(name, None)
            lines.append(f"unset -v {name}")
        return "\n".join(lines)

    async def _now(self, before: str) -> tuple[State | None, str]:
        """Return the state of the task now, and what is still to be done to it.

        While a command has the shell, its state is the one before that command.
        """
        shell = self._shell
        if shell is None or not shell.is_open:
            return self._state, before
        if not self._busy.acquire(blocking=False):
            self._pending.append(before)
            told = shell.told()
            return (told.state if told is not None else self._state), before
        try:
            told = await shell.settled(before)
        finally:
            self._busy.release()
        return (told.state if told is not None else self._state), ""

    async def _beside(self, command: Command, watcher: Watcher, started: float) -> Outcome:
        """Run a command as a process of its own, and bring its changes back."""
        process, apart = await self._begin(command, watcher, is_foreground=True)
        how: How | None = None
        is_moved = False
        try:
            async with asyncio.timeout(command.timeout_seconds):
                outcome = await process.wait()
        except TimeoutError:
            if command.moves_on:
                is_moved = True
                process.on_end(lambda _: apart.remove())
                return self._moved(process, started)
            how = "timed out"
            await process.stop(_KILL_AFTER_SECONDS)
            outcome = await process.wait()
        except asyncio.CancelledError:
            await process.stop(_KILL_AFTER_SECONDS)
            raise
        finally:
            if not is_moved:
                self._settle(apart, process, keeps_folder=command.cwd is None)
        return Outcome(
            outcome.exit_code,
            how or outcome.how,
            time.monotonic() - started,
            self._cwd,
            outcome.note,
            process.explain(watcher.last(0 if command.pty else 1), self._cwd),
        )

    async def _begin(
        self, command: Command, watcher: Watcher, *, is_foreground: bool
    ) -> tuple[LocalProcess, Apart]:
        state, before = await self._now(self._before(command))
        folder, is_more = self._own[0], command.power != NORMAL
        if is_more:  # nobody in the task's box may touch what will run outside of it
            folder = leftovers.make("apart", _memory())
            state = bare(state, self._variables) if state is not None else None
        apart = Apart(folder, command.text, cwd=command.cwd or "", owns_folder=is_more)
        argv = apart.on(state, "" if is_more else before)
        ends = standard(command)
        try:
            inside = await self._walls.start(
                argv,
                ends.theirs,
                env=self._variables,
                cwd=self.root if _is_folder(self.root) else "/",
                own=(folder, self._own[1]),
                power=command.power,
            )
        except BaseException as error:
            apart.remove()
            ends.close()
            if isinstance(error, OSError):
                raise Refused(f"it cannot be started: {error.strerror or error}") from error
            raise
        finally:
            ends.let_go()
        process = LocalProcess(inside, ends, watcher, self._pump)
        self._processes.add(process)
        process.feed(command.stdin, ends=is_foreground and command.pty is None)
        return process, apart

    def _settle(self, apart: Apart, process: LocalProcess, *, keeps_folder: bool) -> None:
        """Bring back what a command beside the shell did to the state."""
        self._processes.discard(process)
        changed = apart.changed()
        apart.remove()
        if changed is None:
            return
        before, after = changed
        if not keeps_folder:
            after = after._replace(cwd=before.cwd)
        self._pending.append(changes(before, after))
        if after.cwd != before.cwd:
            self._cwd = after.cwd

    async def spawn(self, command: Command, watcher: Watcher) -> Process:
        """Start a command in the background, on the state that the task has now."""
        refuse_unreadable(command)
        await self.start()
        command = replace(command, power=self._walls.beyond(command.power))
        process, apart = await self._begin(command, watcher, is_foreground=False)
        process.on_end(lambda _: self._processes.discard(process))
        process.on_end(lambda _: apart.remove())
        return process

    async def upload(self, source: str, target: str) -> None:
        """Copy a file or folder."""
        await asyncio.to_thread(_copy, source, target)

    async def download(self, source: str, target: str) -> None:
        """Copy a file or folder."""
        await asyncio.to_thread(_copy, source, target)

    async def snapshot(self) -> str:
        """Refuse: the machine's own files are kept by checkpoints."""
        raise Refused("the local machine has no snapshots", "Commit the work, or copy the folder.")

    async def rest(self) -> str:
        """End the shell; the next command gets a new one in the same state."""
        shell = self._shell
        if shell is None or not shell.is_open or not self._busy.acquire(blocking=False):
            return ""
        try:
            told = await shell.settled()
            self._state = told.state if told is not None else self._state
            self._shell = self._inside = None
            await shell.close()
        finally:
            self._busy.release()
        return ""

    async def close(self) -> None:
        """End the shell and all that it and its commands started."""
        for process in tuple(self._processes):
            await process.close()
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.kill()
            await self._until_idle()
            await shell.close()
        for folder in filter(None, self._own):
            shutil.rmtree(folder, ignore_errors=True)
        self._own = ("", "")

    async def _until_idle(self) -> None:
        """Wait for the command in the shell, which was killed, to be told as ended."""
        if self._busy.locked():
            free = await asyncio.to_thread(self._busy.acquire, timeout=_KILL_AFTER_SECONDS)
            if free:
                self._busy.release()


def _memory() -> str | None:
    """Return a folder in memory, where there is one: files of shells are small and many."""
    return _MEMORY if _is_folder(_MEMORY) else None


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - a text is at hand


def _copy(source: str, target: str) -> None:
    if _is_folder(source):
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
