"""The commands of one task where they run: a persistent shell, and programs beside it."""

# Paths are strings here: they are handed to a shell.
# ruff: noqa: PTH112
from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from typing import Any, Callable, List, NamedTuple, Optional, Set, Tuple

from hermes.environments.inside import trees
from hermes.environments.inside.apart import Apart
from hermes.environments.inside.children import Children
from hermes.environments.inside.driver import State, changes, quoted, read_state
from hermes.environments.inside.fifos import Sink
from hermes.environments.inside.jobs import Job
from hermes.environments.inside.shell import Held, Order, Running, Shell

_MEMORY = "/dev/shm"
_PARTS = 7
_TRIES = (0.002, 0.01, 0.05, 0.2, 1.0)
_SHELL_AGAIN = (
    "The shell was started again: its variables, functions and folder are as they were before this "
    "command."
)


class Wish(NamedTuple):
    """A command, as the host asks for it."""

    text: str
    cwd: str = ""
    before: str = ""
    stdin: bytes = b""
    seconds: Optional[float] = None
    moves_on: bool = False
    screen: Optional[List[int]] = None


class End(NamedTuple):
    """How a command ended."""

    code: Optional[int]
    how: str
    seconds: float
    cwd: str
    note: str = ""


class Given:
    """A command that has taken the shell into the background, as far as it can be reached."""

    def __init__(self, shell: Shell) -> None:
        self.pid = shell.process

    def send(self, number: int) -> None:
        """Send a signal to what the command started."""
        trees.send(trees.descendants(self.pid), number)


class Task:
    """All commands of one task. ``tell`` is given the state whenever it has changed."""

    def __init__(self, children: Children, tell: Callable[[bytes, str], None]) -> None:
        self._children, self._tell = children, tell
        self._folder = ""
        self._shells = 0
        self._shell: Optional[Shell] = None
        self._state: Optional[State] = None
        self._expected = 0
        """How many answers the shell has given, and so the number of its last state."""
        self._pending: List[str] = []
        """What other commands changed, to be done in the shell before its next command."""
        self._underway: List[str] = []
        """What of it the shell was given, and the state that is told does not have yet."""
        self._is_busy = False
        self._opening: Optional[asyncio.Future[Shell]] = None
        self._telling: Set[asyncio.Future[Any]] = set()
        self.root = self.cwd = "/"

    async def start(self, root: str, state: bytes, pending: str) -> None:
        """Start the shell in a folder, in a state if one is given."""
        memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        self._folder = tempfile.mkdtemp(prefix="hermes-agent-", dir=memory)
        self.root = self.cwd = root
        told = read_state(state) if state else None
        if told is not None:
            self._state, self.cwd = told.state, told.state.cwd or root
        self._pending = [pending] if pending else []
        await self._open()

    async def _open(self) -> Shell:
        """Have the shell open; a command that is stopped meanwhile must not stop this."""
        if self._shell is not None and self._shell.is_open:
            return self._shell
        if self._opening is None or self._opening.done():
            self._opening = asyncio.ensure_future(self._open_again())
        return await asyncio.shield(self._opening)

    async def _open_again(self) -> Shell:
        if self._shell is None:
            self._shells += 1
            self._shell = Shell(self._start_shell, f"{self._folder}/{self._shells}", _discard)
        else:
            self._state = self._shell.last_state() or self._state
        await self._shell.open(self._state)
        self._expected = 1 if self._state is None else 2
        return self._shell

    async def _start_shell(self, argv: List[str], given: Tuple[int, int, int]) -> Held:
        child = self._children.start(argv, given, self._some_folder())
        return Held(child.wait, child.kill)

    def _some_folder(self) -> str:
        return self.root if os.path.isdir(self.root) else "/"

    async def execute(self, wish: Wish, sink: Sink, moved: Callable[[Any], None]) -> End:
        """Run a command in the shell, or beside it if that is busy; being cancelled stops it.

        ``moved`` is told when its time is up and it goes on in the background.
        """
        if wish.screen is not None or self._is_busy:
            return await self._beside(wish, sink, moved)
        self._is_busy = True
        try:
            shell = await self._open()
            started = time.monotonic()
            order, gone = self._order(wish)
            self._underway.append(order.before)
            running = shell.begin(order, sink)
            try:
                if await running.answered(wish.seconds):
                    return await self._answered(shell, running, started, order.before, gone)
            except asyncio.CancelledError:
                await running.stop()
                await self._answered(shell, running, started, order.before)
                raise
            if not wish.moves_on:
                await running.stop()
                end = await self._answered(shell, running, started, order.before, _SHELL_AGAIN)
                return end._replace(how="timed out")
            self._give_away(shell, order.before)
        finally:
            self._is_busy = False
        moved(Given(shell))
        return await self._moved(shell, running, started)

    def _order(self, wish: Wish) -> Tuple[Order, str]:
        before, gone = self._before(wish), ""
        if not wish.cwd and not os.path.isdir(self.cwd):
            before += f"\nbuiltin cd -- {quoted(self.root)}"
            gone = f"The folder {self.cwd} was removed; the command ran in {self.root}."
        return Order(wish.text, wish.cwd, before, wish.stdin), gone

    def _before(self, wish: Wish) -> str:
        lines, self._pending = [*self._pending, wish.before], []
        return "\n".join(line for line in lines if line)

    async def _answered(
        self, shell: Shell, running: Running, started: float, before: str, note: str = ""
    ) -> End:
        running.let_go()
        ran = await running.result()
        if ran.is_lost:
            self._state = shell.last_state() or self._state
            if not shell.has_left:
                self._take_back(before)
            is_killed = ran.code < 0 or ran.code > 128
            note = _SHELL_AGAIN if is_killed or note == _SHELL_AGAIN else note
        self.cwd = ran.cwd or self.cwd
        self._expected += 1
        self._remember(shell)
        how = "signalled" if ran.code < 0 else "exited"
        return End(ran.code, how, time.monotonic() - started, self.cwd, note)

    def _take_back(self, before: str) -> None:
        """Do again for a new shell what its last state does not have."""
        self._underway = []
        if before:
            self._pending.insert(0, before)

    def _give_away(self, shell: Shell, before: str) -> None:
        """Let a command keep the shell; the task gets a new one in the last known state."""
        told = shell.told()
        self._state = told.state if told is not None else self._state
        self._take_back(before)
        self._shell = None

    async def _moved(self, shell: Shell, running: Running, started: float) -> End:
        try:
            await running.answered()
        except asyncio.CancelledError:
            await running.stop()
            raise
        finally:
            running.let_go()
            ran = await running.result()
            await shell.close()
        how = "signalled" if ran.code < 0 else "exited"
        return End(ran.code, how, time.monotonic() - started, "")

    async def begin(self, wish: Wish, sink: Sink) -> Tuple[Job, Apart]:
        """Start a command beside the shell, on the state that the task has now."""
        state = await self._now()
        before = self._before(wish)
        apart = Apart(self._folder, wish.text, cwd=wish.cwd)
        if before:
            self._pending.insert(0, before)
        argv = apart.on(state, before)
        try:
            job = Job(self._children, argv, self._some_folder(), sink, wish.screen)
        except BaseException:
            apart.remove()
            raise
        return job, apart

    async def _beside(self, wish: Wish, sink: Sink, moved: Callable[[Any], None]) -> End:
        started = time.monotonic()
        job, apart = await self.begin(wish, sink)
        feeding = asyncio.ensure_future(_feed(job, wish.stdin, closes=wish.screen is None))
        how = ""
        try:
            code = await job.exited(wish.seconds)
            if code is None and wish.moves_on:
                moved(job)
                code = await job.ended()
            elif code is None:
                how = "timed out"
                await job.stop()
                code = await job.exited()
        except asyncio.CancelledError:
            await job.stop()
            await job.exited()
            raise
        finally:
            feeding.cancel()
            job.linger()
            self._settle(apart, keeps_folder=not wish.cwd)
        how = how or ("signalled" if code is not None and code < 0 else "exited")
        return End(code, how, time.monotonic() - started, self.cwd)

    def _settle(self, apart: Apart, *, keeps_folder: bool) -> None:
        """Bring back what a command beside the shell did to the state."""
        changed = apart.changed()
        apart.remove()
        if changed is None:
            return
        before, after = changed
        if not keeps_folder:
            after = after._replace(cwd=before.cwd)
        done = changes(before, after)
        if done:
            self._pending.append(done)
        if after.cwd != before.cwd:
            self.cwd = after.cwd
        self._tell_now(_newest(f"{self._folder}/{self._shells}")[1])

    async def _now(self) -> Optional[State]:
        shell = self._shell
        if shell is None or not shell.is_open:
            return self._state
        if self._is_busy:
            told = shell.told()
        else:
            self._is_busy = True
            try:
                told = await shell.settled()
                self._expected += 2
            finally:
                self._is_busy = False
        return told.state if told is not None else self._state

    def _remember(self, shell: Shell) -> None:
        """Tell the state once the shell has written it down, which it does after its answer."""
        telling = asyncio.ensure_future(self._tell_soon(shell))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def _tell_soon(self, shell: Shell) -> None:
        folder, expected = f"{self._folder}/{self._shells}", self._expected
        done = tuple(self._underway)
        raw = b""
        for seconds in _TRIES:
            await asyncio.sleep(seconds)
            generation, raw = _newest(folder)
            if generation >= expected or not shell.is_open:
                break
        self._underway = [each for each in self._underway if each not in done]
        self._tell_now(raw)

    def _tell_now(self, raw: bytes) -> None:
        if raw:
            self._tell(raw, "\n".join(filter(None, (*self._underway, *self._pending))))

    async def close(self) -> None:
        """Remove what the task used there; its programs are the agent's to end."""
        for telling in tuple(self._telling):
            telling.cancel()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


async def _feed(job: Job, stdin: bytes, *, closes: bool) -> None:
    try:
        await job.write(stdin)
    except OSError:  # it does not want its input
        return
    if closes:
        await job.close_input()


def _newest(folder: str) -> Tuple[int, bytes]:
    """Return the newest state that a shell has wholly written down, and its number."""
    best = (0, b"")
    for name in ("state.0", "state.1"):
        try:
            fd = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue
        with os.fdopen(fd, "rb") as file:
            raw = file.read()
        parts = raw.split(b"\0")
        if len(parts) == _PARTS + 1 and parts[-2].isdigit():
            best = max(best, (int(parts[-2]), raw))
    return best


def _discard(fd: int) -> None:
    """Read a pipe to its end and keep nothing: a closed one would kill what writes to it."""
    os.set_blocking(fd, False)
    loop = asyncio.get_running_loop()
    loop.add_reader(fd, _throw_away, loop, fd)


def _throw_away(loop: asyncio.AbstractEventLoop, fd: int) -> None:
    try:
        if os.read(fd, 1 << 16):
            return
    except BlockingIOError:
        return
    loop.remove_reader(fd)
    os.close(fd)
