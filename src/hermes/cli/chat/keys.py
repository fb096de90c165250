"""The keyboard while a turn runs: Ctrl-C stops, Ctrl-O expands, the rest waits for the prompt."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

from hermes.base.optional import load

_EXPAND = "\x0f"
_RUBOUT = ("\x7f", "\x08")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")
_MOST_TYPED = 10_000


class Typed(NamedTuple):
    """What was typed ahead, and whether it was ended by Enter."""

    text: str = ""
    is_sent: bool = False


NOTHING = Typed()


class Keys:
    """Listen to a terminal without showing what is typed."""

    def __init__(
        self, given: TextIO, on_interrupt: Callable[[], None], on_expand: Callable[[], None]
    ) -> None:
        self._given = given
        self._on_interrupt, self._on_expand = on_interrupt, on_expand
        self._typed = ""
        self._is_listening = False
        self._before: list[Any] | None = None
        """How the terminal was before it was taken over."""
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decode = decoder("ignore").decode

    def take(self) -> Typed:
        """Return what was typed ahead, once."""
        text, self._typed = self._typed, ""
        return Typed(text.rstrip("\n"), text.endswith("\n"))

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the keyboard over for a turn."""
        loop = asyncio.get_running_loop()
        with _silent(self._given.fileno()) as self._before:
            loop.add_signal_handler(signal.SIGINT, self._on_interrupt)
            self._is_listening = True
            self._attach()
            try:
                yield
            finally:
                self._detach()
                self._is_listening = False
                loop.remove_signal_handler(signal.SIGINT)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the keyboard to a question; what was typed before it is no answer to it."""
        self._detach()
        try:
            yield
        finally:
            if self._is_listening:
                self._attach()

    @contextmanager
    def spoken(self) -> Iterator[None]:
        """Have the terminal show what is typed again, line by line, for as long as it is asked."""
        if self._before is None:
            yield
            return
        termios = load("termios")
        now = termios.tcgetattr(self._given.fileno())
        termios.tcsetattr(self._given.fileno(), termios.TCSADRAIN, self._before)
        try:
            yield
        finally:
            termios.tcsetattr(self._given.fileno(), termios.TCSADRAIN, now)

    def _attach(self) -> None:
        asyncio.get_running_loop().add_reader(self._given.fileno(), self._read)

    def _detach(self) -> None:
        asyncio.get_running_loop().remove_reader(self._given.fileno())

    def _read(self) -> None:
        data = os.read(self._given.fileno(), 4_096)
        if not data:  # the terminal is gone
            self._detach()
            return
        self.type(self._decode(data))

    def type(self, text: str) -> None:
        """Take in what was typed."""
        for char in _ESCAPES.sub("", text.replace("\r", "\n")):
            if char == _EXPAND:
                self._on_expand()
            elif char in _RUBOUT:
                self._typed = self._typed[:-1]
            elif (char.isprintable() or char == "\n") and len(self._typed) < _MOST_TYPED:
                self._typed += char


@contextmanager
def _silent(descriptor: int) -> Iterator[list[Any]]:
    """Have the terminal hand over every key at once and show none; Ctrl-C stays a signal."""
    termios = load("termios")
    old = termios.tcgetattr(descriptor)
    new = termios.tcgetattr(descriptor)
    new[3] = (new[3] | termios.ISIG | termios.NOFLSH) & ~(termios.ICANON | termios.ECHO)
    new[6][termios.VMIN], new[6][termios.VTIME] = 1, 0
    termios.tcsetattr(descriptor, termios.TCSADRAIN, new)
    try:
        yield old
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, old)
