"""Let a person sit in an environment: their terminal is the program's, in both directions."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hermes.app.trying import wait
from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.environments.contract import Command, Environment, Outcome, Process, Screen

_PART = 1 << 16
_SIGNALLED = 128


class Passed:
    """Pass what a program prints on to the streams of this process."""

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now."""
        data = os.read(fd, _PART)
        self.feed(stream, data)
        return len(data)

    def feed(self, stream: int, data: bytes) -> None:
        """Write all of it, however slowly it is read."""
        left = memoryview(data)
        with contextlib.suppress(BrokenPipeError):
            while left:
                left = left[os.write(stream + 1, left) :]

    def last(self, stream: int) -> bytes:
        """Keep nothing."""
        del stream
        return b""


def sit(environment: Environment, text: str, variables: dict[str, str]) -> int:
    """Run a command on the terminal of this process, or its pipes, and return its exit code."""
    is_terminal = os.isatty(0) and os.isatty(1)
    command = Command(text, env=variables, pty=_size() if is_terminal else None)
    process: Process = wait(environment.spawn(command, Passed()))
    with _news() as (heard, tell):
        process.on_end(lambda _: tell(b"e"))
        if is_terminal:
            with _raw(), _resizing(tell):
                _pass_on(process, heard)
        else:
            _pass_on(process, heard)
    return _code(wait(process.wait()))


def _size() -> Screen:
    found = os.get_terminal_size(1)
    return Screen(found.columns or 80, found.lines or 24)


@contextmanager
def _news() -> Iterator[tuple[int, Callable[[bytes], object]]]:
    """Give a descriptor that wakes the loop below, and what writes to it from anywhere."""
    heard, told = os.pipe()
    os.set_blocking(told, False)
    is_open = True

    def tell(what: bytes) -> None:
        if is_open:
            with contextlib.suppress(BlockingIOError):
                os.write(told, what)

    try:
        yield heard, tell
    finally:
        is_open = False
        os.close(heard)
        os.close(told)


@contextmanager
def _raw() -> Iterator[None]:
    """Have the terminal pass on every key as it is, Ctrl-C too."""
    termios, tty = load("termios"), load("tty")
    old = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, old)


@contextmanager
def _resizing(tell: Callable[[bytes], object]) -> Iterator[None]:
    old = signal.signal(signal.SIGWINCH, lambda *_: tell(b"r"))
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, old)


def _pass_on(process: Process, heard: int) -> None:
    """Pass on what is typed, and the size of the window, until the program has ended."""
    listening = [heard, 0]
    while True:
        ready = select.select(listening, [], [])[0]
        if heard in ready:
            news = os.read(heard, _PART)
            if b"e" in news:
                return
            wait(process.resize(_size()))
        if 0 in ready and not _typed(process):
            listening = [heard]


def _typed(process: Process) -> bool:
    """Pass on what was typed; says whether more may come."""
    data = os.read(0, _PART)
    try:
        wait(process.write(data) if data else process.close_input())
    except OSError:  # it has ended, or closed its input
        return False
    return bool(data)


def _code(outcome: Outcome) -> int:
    if outcome.exit_code is None:
        raise HermesError(outcome.note or f"the environment was {outcome.how}")
    sys.stdout.flush()
    code = outcome.exit_code
    return code if code >= 0 else _SIGNALLED - code
