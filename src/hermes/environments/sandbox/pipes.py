"""Talk to a program over pipes until it has ended."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence
from dataclasses import dataclass

from hermes.environments.sandbox.child import Child

Three = tuple[int, int, int]
_PART = 1 << 16


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a program."""

    code: int
    """The exit code; negative for the signal that ended it."""
    output: bytes
    errors: bytes
    timed_out: bool = False


def pipes() -> tuple[Three, Three]:
    """Return stdin, stdout and stderr for a program, and our ends of them."""
    their_in, our_in = os.pipe()
    our_out, their_out = os.pipe()
    our_err, their_err = os.pipe()
    return (their_in, their_out, their_err), (our_in, our_out, our_err)


def close(descriptors: Sequence[int]) -> None:
    """Close descriptors."""
    for fd in descriptors:
        os.close(fd)


def exchange(child: Child, ours: Three, given: bytes, seconds: float | None) -> Finished:
    """Write a program's input and read its output until it ends; a program that is late is killed.

    Our ends of the pipes are closed on the way.
    """
    conversation = _Conversation(child, ours, given)
    try:
        is_late = not conversation.hold(None if seconds is None else time.monotonic() + seconds)
        if is_late:
            child.kill()
            conversation.hold(None)
    finally:
        conversation.close()
    code = child.wait()
    output, errors = (b"".join(parts) for parts in conversation.parts.values())
    return Finished(-9 if code is None else code, output, errors, timed_out=is_late)


class _Conversation:
    def __init__(self, child: Child, ours: Three, given: bytes) -> None:
        self._child = child
        self._input, *outputs = ours
        self._left = memoryview(given)
        self.parts: dict[int, list[bytes]] = {fd: [] for fd in outputs}
        self._waiting = select.poll()
        self._open = set(outputs)
        for fd in outputs:
            self._waiting.register(fd, select.POLLIN)
        os.set_blocking(self._input, False)
        if given:
            self._waiting.register(self._input, select.POLLOUT)
        else:
            self._end_input()

    def hold(self, until: float | None) -> bool:
        """Go on until all outputs are closed; return False if it is too late before that.

        Everything that could hold them open dies with the program, so no other end is needed.
        """
        while self._open:
            left = None if until is None else (until - time.monotonic()) * 1000
            if left is not None and left <= 0:
                return False
            for fd, _ in self._waiting.poll(left):
                if fd == self._input:
                    self._write()
                else:
                    self._read(fd)
        left = None if until is None else max(0.0, until - time.monotonic())
        return self._child.wait(left) is not None

    def close(self) -> None:
        """Close what is still open."""
        if self._input >= 0:
            self._end_input()
        for fd in tuple(self._open):
            os.close(fd)
        self._open.clear()

    def _write(self) -> None:
        try:
            self._left = self._left[os.write(self._input, self._left) :]
        except BrokenPipeError:
            self._left = memoryview(b"")
        if not self._left:
            self._waiting.unregister(self._input)
            self._end_input()

    def _end_input(self) -> None:
        os.close(self._input)
        self._input = -1

    def _read(self, fd: int) -> None:
        part = os.read(fd, _PART)
        if part:
            self.parts[fd].append(part)
            return
        self._waiting.unregister(fd)
        self._open.discard(fd)
        os.close(fd)
