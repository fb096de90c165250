"""A persistent shell: commands run in it one after the other, and it keeps what they change."""

# Paths are strings here: they are handed to a shell.
# ruff: noqa: PTH211, PTH100, PTH102, PTH103, PTH107, PTH108, PTH110, PTH118, PTH119, PTH120, PTH123, PTH207
from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from hermes.environments.inside import trees
from hermes.environments.inside.driver import (
    HEAD,
    KEEPER,
    LOOP,
    State,
    Told,
    read_told,
    restoring,
)
from hermes.environments.inside.fifos import Broken, Nothing, Pipes, Sink, drain, take
from hermes.environments.inside.talk import Answer, Talk

OUTPUT, ERRORS = 0, 1
_GRACE_SECONDS = 2.0
_LAST_SECONDS = 0.5
_LOOK_SECONDS = 0.01
_GONE = "gone"


class Order(NamedTuple):
    """A command for a persistent shell."""

    text: str
    folder: str = ""
    """Where it alone works."""
    before: str = ""
    """What is set in the shell beforehand; it lasts."""
    stdin: bytes = b""


class Ran(NamedTuple):
    """How a command in a persistent shell ended."""

    code: int
    cwd: str
    is_lost: bool = False
    """The shell ended with it: by ``exit``, by a signal, or because it had to be killed."""


class Held(NamedTuple):
    """A process that was started for a shell."""

    ended: Callable[[], Any]
    """Wait for its exit code."""
    kill: Callable[[], None]
    """End it with all that it started."""


Start = Callable[[List[str], Tuple[int, int, int]], Any]
"""Start a program on three descriptors, which stay the caller's; gives a ``Held``."""


class Shell:
    """One bash, reached by a socket that its commands do not see.

    ``folder`` is a private folder that both sides see. ``linger`` is given the pipes that something
    still writes to after its command has ended, to be read on: a closed one would kill it.
    """

    def __init__(self, start: Start, folder: str, linger: Callable[[int], None]) -> None:
        self._start = start
        self._folder = folder
        self._linger = linger
        self._talk: Optional[Talk] = None
        self._held: Optional[Held] = None
        self._is_up = False
        self._pipes: Optional[Pipes] = None

    @property
    def process(self) -> int:
        """The number of the shell's process, as it is known outside; 0 when it is not."""
        return self._talk.process if self._talk is not None else 0

    async def open(self, state: Optional[State] = None) -> None:
        """Start the shell, or start it again, in a state if one is given.

        Raises:
            Broken: it does not start.
        """
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        for name in ("left", "state.0", "state.1"):
            with contextlib.suppress(OSError):
                os.unlink(f"{self._folder}/{name}")
        try:
            if not await self._is_again():
                await self._bury()
                await self._begin()
                if self._talk is None or not _is_well(await self._talk.answer()):
                    raise Broken(0, "the shell ended before it was ready")
        except BaseException:  # half a start is none: the next one begins afresh
            self.kill()
            await self._bury()
            raise
        self._is_up = True
        if state is not None:
            await self.run(Order("", before=restoring(state)), Nothing())

    async def _is_again(self) -> bool:
        """Have the shell started again by what started it; say whether that is still there."""
        if self._talk is None:
            return False
        self._talk.process = 0
        return _is_well(await self._talk.ask(b"\n"))

    async def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        talk = Talk(ours)
        quiet = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        words = ["/bin/sh", "-c", KEEPER, "sh", self._folder, LOOP]
        try:
            self._held = await self._start(words, (theirs.fileno(), quiet, quiet))
        except BaseException:
            talk.close()
            raise
        finally:
            theirs.close()
            os.close(quiet)
        self._talk = talk

    @property
    def is_open(self) -> bool:
        """Say whether commands can be run."""
        return self._is_up

    async def run(self, order: Order, sink: Sink) -> Ran:
        """Run a command to its end; being cancelled stops it."""
        running = self.begin(order, sink)
        try:
            await running.answered()
        except asyncio.CancelledError:
            await running.stop()
            running.let_go()
            await running.result()
            raise
        running.let_go()
        return await running.result()

    def begin(self, order: Order, sink: Sink) -> Running:
        """Have a command run, one at a time; what it prints goes to a sink on the running loop."""
        if self._pipes is None:
            self._pipes = Pipes(self._folder)
        self._pipes.give(order.stdin)
        return Running(self, order, self._pipes, sink)

    def kill(self) -> None:
        """End the shell with all that it started."""
        if self._held is not None:
            self._held.kill()

    def told(self) -> Optional[Told]:
        """Return what the shell wrote down last."""
        found = [self._read(f"state.{number}") for number in (0, 1)]
        known = [each for each in found if each is not None]
        return max(known, key=lambda told: told.code, default=None)

    def news(self) -> int:
        """Return a descriptor of its own on which the next answer comes."""
        return self._talk.copy() if self._talk is not None else -1

    def answer_of(self, fd: int) -> Optional[int]:
        """Return the exit code, if what has come by that descriptor tells it.

        Raises:
            EOFError: the shell has ended.
        """
        if self._talk is None:
            raise EOFError
        answer = self._talk.take_from(fd)
        return None if answer is None else _number(answer[answer[0] == _GONE])

    async def settled(self, before: str = "") -> Optional[Told]:
        """Return the state as it is now, with something set; only while no command runs."""
        await self.run(Order("", before=before), Nothing())
        await self.run(Order(""), Nothing())  # the answer comes before the state is written
        return self.told()

    async def close(self) -> None:
        """End the shell, and remove what it used."""
        self.kill()
        if self._held is not None:
            await self._bury()
        self._drop_pipes()

    def abandon(self) -> None:
        """Let go of a shell that has ended elsewhere."""
        talk, self._talk = self._talk, None
        self._held, self._is_up = None, False
        if talk is not None:
            talk.close()

    def release(self, pipes: Pipes) -> None:
        """Take back the pipes of a command; those that something still writes to are read on."""
        if pipes.rest():
            return
        self._pipes = None
        for fd in pipes.leave():
            self._linger(fd)

    def _drop_pipes(self) -> None:
        if self._pipes is not None:
            self._pipes.close()
        self._pipes = None

    def ask(self, order: Order, suffix: str) -> asyncio.Future[Answer]:
        """Send an order, and return what will be answered: exit code and folder."""
        texts = [
            part.encode("utf-8", "surrogateescape")
            for part in (order.text, order.folder, order.before)
        ]
        head = b"".join(b"%09d" % len(text) for text in texts) + suffix.encode()
        if len(head) != HEAD:
            raise Broken(0, "the command is too long for the shell")
        if self._talk is None:
            raise Broken(0, "the shell has ended")
        return self._talk.ask(head + b"".join(texts))

    def overhear(self) -> None:
        """Leave the answer to whoever reads `news`."""
        if self._talk is not None:
            self._talk.leave()

    async def farewell(self) -> Answer:
        """Wait for the word that the shell has ended."""
        answer: Answer = ("", "")
        while self._talk is not None and answer is not None and answer[0] != _GONE:
            answer = await self._talk.answer()
        return answer

    async def died(self, code: Optional[int] = None) -> Ran:
        """Say how a command ended that took the shell with it; without a code, all of it."""
        self._is_up = False
        code = await self._bury() if code is None else code
        left = self._read("left")
        return Ran(code, left.state.cwd if left is not None else "", is_lost=True)

    async def _bury(self) -> int:
        self.kill()
        held, self._held = self._held, None
        if self._talk is not None:
            self._talk.close()
        self._talk = None
        self._is_up = False
        code = await held.ended() if held is not None else -signal.SIGKILL
        return int(code)

    def last_state(self) -> Optional[State]:
        """Return the state of a shell that has ended: as it left it, or as it was told last."""
        told = self._read("left") or self.told()
        return told.state if told is not None else None

    @property
    def has_left(self) -> bool:
        """Say whether a shell that has ended wrote down its state at the very end."""
        return self._read("left") is not None

    def _read(self, name: str) -> Optional[Told]:
        return read_told(f"{self._folder}/{name}")


class Running:
    """A command that runs in a shell."""

    def __init__(self, shell: Shell, order: Order, pipes: Pipes, sink: Sink) -> None:
        self._shell, self._pipes, self._sink = shell, pipes, sink
        self._older = trees.children(shell.process) if shell.process else []
        self._since = trees.now()
        self._loop = asyncio.get_running_loop()
        self._asked = shell.ask(order, pipes.suffix)
        self.watched: Tuple[Tuple[int, int], ...] = (
            (OUTPUT, pipes.output),
            (ERRORS, pipes.errors),
        )
        for stream, fd in self.watched:
            self._loop.add_reader(fd, take, sink, stream, fd)

    async def answered(self, seconds: Optional[float] = None) -> bool:
        """Wait until it has ended, or so long; say whether it has."""
        done, _ = await asyncio.wait({self._asked}, timeout=seconds)
        return bool(done)

    async def stop(self) -> None:
        """End it with the shell, by TERM and then KILL; what earlier commands left goes on."""
        process = self._shell.process
        if process:
            family = trees.hold(process, but=self._older, since=self._since)
            trees.send(family, signal.SIGTERM)
            trees.send(family, signal.SIGCONT)
            if not await self._are_gone(family, _GRACE_SECONDS):
                trees.send(trees.grown(family), signal.SIGKILL)
                await self._are_gone(family, _LAST_SECONDS)
            await self._take_leave(process)
        if not self._asked.done():
            self._shell.kill()
            await self.answered()

    async def _are_gone(self, family: List[int], seconds: float) -> bool:
        """Wait until the command and all that it started have ended, or so long."""
        until = self._loop.time() + seconds
        await self.answered(seconds)
        while trees.alive(family[1:]):
            if self._loop.time() > until:
                return False
            await asyncio.sleep(_LOOK_SECONDS)
        return self._asked.done()

    async def _take_leave(self, process: int) -> None:
        """End a shell that was signalled and yet answered: it may die of it at any time."""
        answer = self._asked.result() if self._asked.done() else None
        if answer is None or answer[0] == _GONE:
            return
        trees.send([process], signal.SIGKILL)
        self._asked = asyncio.ensure_future(self._shell.farewell())
        await self.answered(_LAST_SECONDS)

    def let_go(self) -> None:
        """Read what is left to read, and give the pipes back."""
        if not self.watched:
            return
        for _, fd in self.watched:
            self._loop.remove_reader(fd)
        for stream, fd in self.watched:
            drain(self._sink, stream, fd)
        self.watched = ()
        self._shell.release(self._pipes)

    def detach(self) -> Tuple[Tuple[int, int], ...]:
        """Leave the loop: whoever asked reads the streams and the answer from now on."""
        watched, self.watched = self.watched, ()
        for _, fd in watched:
            self._loop.remove_reader(fd)
        self._asked.cancel()
        self._shell.overhear()
        return watched

    async def result(self) -> Ran:
        """Return how it ended, once it has."""
        answer = await self._asked
        if answer is None:
            return await self._shell.died()
        if answer[0] == _GONE:
            return await self._shell.died(_number(answer[1]))
        return Ran(_number(answer[0]), answer[1])


def _is_well(answer: Answer) -> bool:
    return answer is not None and answer[0] != _GONE


def _number(code: str) -> int:
    return int(code) if code.isdigit() else 1
