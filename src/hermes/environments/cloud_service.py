"""What services share: programs are started, looked after, and put to rest with their sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Protocol

from hermes.environments.cloud import tend
from hermes.environments.contract import Refused
from hermes.environments.inside.line import BEAT
from hermes.environments.lined import Lined
from hermes.environments.link import Link

_CLEAN_SECONDS = 30.0
_LONGEST_SECONDS = 60.0
_BEATS_PER_REFRESH = 4


class Terminal(Protocol):
    """Where a program runs, on the loop of the service's client."""

    async def send(self, data: bytes) -> None:
        """Type some bytes.

        Raises:
            OSError: it is gone.
        """

    async def kill(self) -> None:
        """End all that runs in it, as far as that can be reached, and let go of it."""

    async def leave(self) -> None:
        """Let go of it."""

    async def ended(self) -> tuple[int | None, str]:
        """Wait for its end; returns the exit code and the last words."""


class _Screen:
    """A terminal, for threads."""

    terminal: Terminal

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def post(self, data: bytes) -> None:
        """Type some bytes."""
        self._do(self.terminal.send(data))

    def kill(self) -> None:
        """End the terminal with all that runs in it."""
        self._do(self.terminal.kill())

    def release(self) -> None:
        """Let go of the terminal."""
        self._do(self.terminal.leave())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        if self._loop.is_closed():
            work.close()
            return
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_LONGEST_SECONDS)


class CloudService(ABC):
    """The sandbox of one task."""

    def __init__(self, idle_minutes: float) -> None:
        self._idle_minutes = idle_minutes
        self._loop = asyncio.get_running_loop()
        self._lock = asyncio.Lock()
        self._running: set[Lined] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def _ready(self) -> None:
        """Have the sandbox run, made or woken if need be."""

    @abstractmethod
    async def _open(self, argv: Sequence[str], arrive: Callable[[bytes], None]) -> Terminal:
        """Start a program that first writes ``bootstrap.READY``; ``arrive`` takes its output."""

    @abstractmethod
    async def _refresh(self) -> None:
        """Tell the service that the sandbox is in use."""

    @abstractmethod
    async def _sleep(self) -> None:
        """Have the sandbox cost as little as it can, its files kept."""

    @abstractmethod
    async def _keep(self) -> str:
        """Keep the files of the sandbox, and return the name to start from them again."""

    @abstractmethod
    async def _remove(self) -> None:
        """Remove the sandbox and let go of the client."""

    @abstractmethod
    def _told(self) -> contextlib.AbstractContextManager[None]:
        """Say what the errors of the service mean."""

    async def start(self, argv: Sequence[str]) -> Lined:
        """Start a program in the sandbox.

        Raises:
            Refused: it cannot be had.
        """
        async with self._lock:
            with self._told():
                await self._ready()
                return await self._begin(argv)

    async def _begin(self, argv: Sequence[str]) -> Lined:
        screen = _Screen()

        def attended(link: Link) -> None:
            work = self._look_after(screen, program, link)
            self._loop.call_soon_threadsafe(self._meanwhile, work)

        program = Lined(screen, attended)
        screen.terminal = await self._open(argv, program.arrive)
        self._running.add(program)
        self._meanwhile(self._wait_for(screen, program))
        if not await asyncio.to_thread(program.clean.wait, _CLEAN_SECONDS):
            await screen.terminal.kill()
            raise Refused("the sandbox does not answer", "Use an image with bash and python3.")
        await asyncio.to_thread(program.begin)
        return program

    def _meanwhile(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wait_for(self, screen: _Screen, program: Lined) -> None:
        code, words = None, ""
        with contextlib.suppress(asyncio.CancelledError):  # we have let go of it
            code, words = await screen.terminal.ended()
        self._running.discard(program)
        program.over(code, words)

    async def _look_after(self, screen: _Screen, program: Lined, link: Link) -> None:
        """Tell the program that we live, keep its sandbox up while it works, and let both rest."""
        beats = itertools.count(1)

        async def beat(is_busy: bool) -> None:
            try:
                await screen.terminal.send(BEAT)
            except OSError as error:  # a library may try for minutes before it says so itself
                program.over(None, str(error))
                return
            if is_busy and next(beats) % _BEATS_PER_REFRESH == 0:
                with contextlib.suppress(Refused):  # the next one may work
                    await self._refresh()

        if await tend(link, self._idle_minutes, beat):
            await self._rest(program)

    async def _rest(self, program: Lined) -> None:
        async with self._lock:
            await asyncio.to_thread(program.close)
            await asyncio.to_thread(program.release)
            self._running.discard(program)
            if not self._running:
                await self._sleep()

    async def snapshot(self) -> str:
        """Keep the sandbox's files, and return the name to start from them again."""
        async with self._lock:
            with self._told():
                await self._ready()
                return await self._keep()

    async def close(self) -> None:
        """Remove the sandbox and let go of the client."""
        async with self._lock:
            await self._remove()


@contextlib.contextmanager
def told(
    errors: tuple[type[Exception], ...], refusal: Callable[[Exception], Refused]
) -> Iterator[None]:
    """Turn the errors of a library into refusals."""
    try:
        yield
    except errors as error:
        raise refusal(error) from None
