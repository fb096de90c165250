"""A program behind a terminal that a service shows, as two clean streams."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any, Protocol

from hermes.environments.bootstrap import READY, line
from hermes.environments.inside.line import Line
from hermes.environments.link import Link

_LAST_WORDS = 4000
_NOISE = 1 << 18
_LEAVE_SECONDS = 5.0


class Screen(Protocol):
    """A terminal of a service. All of it is called from threads."""

    def post(self, data: bytes) -> None:
        """Type some bytes.

        Raises:
            OSError: it is gone.
        """

    def kill(self) -> None:
        """End the terminal with all that runs in it."""

    def release(self) -> None:
        """Let go of what is left of it."""


class Lined:
    """The program; whoever holds the terminal tells what it shows and when it has ended."""

    def __init__(self, screen: Screen, attended: Callable[[Link], None]) -> None:
        self._screen, self._attended = screen, attended
        self._line = Line(screen.post)
        self._shown = b""
        self._code: int | None = None
        self._words = ""
        self.clean = threading.Event()
        """Set when the program can be written to, or has ended before that."""
        self._is_clean = False

    def arrive(self, data: bytes) -> None:
        """Take what the terminal shows; never waits."""
        if self._is_clean:
            self._line.feed(data)
            return
        self._shown = (self._shown + data)[-_NOISE:]
        _, ready, rest = self._shown.partition(READY)
        if ready:
            self._is_clean = True
            self.clean.set()
            self._line.feed(rest)

    def begin(self) -> None:
        """Send the program that keeps the streams clean, once the terminal is."""
        if self._is_clean:
            with contextlib.suppress(OSError):
                self._screen.post(line())

    def over(self, code: int | None, words: str) -> None:
        """Take that the terminal has ended, and how."""
        self._code, self._words = code, words
        self.clean.set()
        self._line.cut()

    def read(self) -> bytes:
        """Wait for output and return it."""
        data = self._line.receive()
        if not data and not self._line.is_over.is_set():
            with contextlib.suppress(OSError):
                self._line.end()
        return data

    def write(self, data: bytes) -> None:
        """Write all of it to the input."""
        self._line.send(data)

    def close(self) -> None:
        """End the input, and the program if it does not end by itself."""
        if self._line.is_over.is_set():
            return
        with contextlib.suppress(OSError):
            self._line.end()
        if not self._line.has_heard.wait(_LEAVE_SECONDS):
            self.kill()

    def kill(self) -> None:
        """End the program at once."""
        self._screen.kill()
        self._line.cut()

    def release(self) -> None:
        """Let go of the terminal."""
        self._screen.release()

    def explain(self) -> tuple[int | None, str]:
        """Return the exit code and the last words of a program that has ended."""
        self.close()
        if self._line.last:
            return _said(self._line.last)
        if self._is_clean:
            return self._code, self._words
        shown = self._shown[-_LAST_WORDS:].decode("utf-8", "replace").replace("\r", "").strip()
        return self._code, shown or self._words

    def attend(self, link: Link) -> None:
        """Have somebody look after it while it is used."""
        self._attended(link)


def _said(last: dict[str, Any]) -> tuple[int | None, str]:
    """Return what came from there, where anybody may have written it."""
    code, words = last.get("code"), last.get("words")
    return code if isinstance(code, int) else None, str(words or "")[-_LAST_WORDS:]
