"""What a person sees first: painted before anything heavy is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import hermes
from hermes.base.optional import load
from hermes.base.text import escaped, plural
from hermes.cli import output
from hermes.config.environment import snapshot

if TYPE_CHECKING:
    from typing import Self

MARK = "\u276f "
_BOLD, _CYAN, _DIM, _PLAIN = "\033[1m", "\033[1;36m", "\033[2m", "\033[0m"
_AWAY = "\r\033[J"
_TRY = '"list the python files here"'


def can_draw() -> bool:
    """Say whether standard output is a terminal on which text can be drawn over."""
    return sys.stdout.isatty() and snapshot().get("TERM", "dumb") not in ("", "dumb")


def has_colour() -> bool:
    """Say whether that terminal has colours, and the person wants them."""
    return can_draw() and not snapshot().get("NO_COLOR")


def mark() -> str:
    """Return the sign that the prompt begins with."""
    return MARK if output.can_show(MARK) else "> "


def paint() -> None:
    """Paint the title and the prompt; the prompt goes away when the real one is there."""
    title, where = f"hermes {hermes.__version__}", _folder()
    if not has_colour():
        output.write(f"{title} · {where}" if output.can_show("·") else f"{title} - {where}")
    else:
        output.write(f"{_BOLD}{title}{_PLAIN}{_DIM} · {where}{_PLAIN}")
    if can_draw():
        sign = f"{_CYAN}{mark()}{_PLAIN}" if has_colour() else mark()
        sys.stdout.write(f"\n{sign}")
    sys.stdout.flush()


def _folder() -> str:
    folder = os.getcwd()  # noqa: PTH109 - a text is wanted
    home = snapshot().get("HOME", "")
    if home and (folder == home or folder.startswith(f"{home}/")):
        folder = f"~{folder[len(home) :]}"
    return escaped(folder).replace("\n", " ")


class Painted:
    """The painted prompt: what is typed at it is not shown yet, and kept for the real one."""

    def __init__(self) -> None:
        self._mode: list[Any] | None = None
        self._is_there = False

    def __enter__(self) -> Self:
        self._hush()
        paint()
        self._is_there = can_draw()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _hush(self) -> None:
        """Have the terminal show no key and change none; Ctrl-C stays a signal."""
        if not can_draw():
            return
        try:
            termios = load("termios")
            mode = termios.tcgetattr(0)
        except ImportError:
            return
        self._mode = termios.tcgetattr(0)
        mode[0] &= ~termios.ICRNL
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6][termios.VMIN] = mode[6][termios.VTIME] = 0
        termios.tcsetattr(0, termios.TCSADRAIN, mode)

    def end(self) -> str:
        """Take the prompt away with the blank line above it, and return what was typed."""
        typed = b""
        if self._mode is not None:
            while part := os.read(0, 4_096):
                typed += part
            termios = load("termios")
            termios.tcsetattr(0, termios.TCSADRAIN, self._mode)
            self._mode = None
        if self._is_there:
            sys.stdout.write(f"{_AWAY}\033[A")
            sys.stdout.flush()
            self._is_there = False
        return typed.decode("utf-8", "ignore")


def state(model: str, tools: int, profile: str) -> str:
    """Return who answers and with what."""
    return f"{model} · {plural(tools, 'tool')} · profile {profile} · /help"


def without_model(tools: int) -> Iterator[str]:
    """Yield the three lines for a person who has no model yet."""
    yield "No model was found: no key in the environment, no server on this machine."
    yield f"hermes:builtin answers instead, an offline demo: {_TRY}"
    yield f"All {tools} tools work by hand: /call system_info. A real one: 'hermes model list'"
