"""The console approver: ask the person at the terminal, on standard error."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.asking_screen import Look, choices, draw, secret_question
from hermes.config.environment import snapshot
from hermes.runtime.approvals import Answer, ApprovalRequest, Approver, Secret, SecretRequest

if TYPE_CHECKING:
    from hermes.mcp.people import Form

_INTERRUPT = "\x03"
_WORDS = {
    "o": "once", "once": "once", "y": "once", "yes": "once", "s": "session", "session": "session",
    "a": "always", "always": "always", "d": "deny", "deny": "deny", "n": "deny", "no": "deny",
}  # fmt: skip


def on_terminal() -> Approver | None:
    """Return the approver for this terminal; None where nobody sits, as in a pipe."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    try:
        is_watched = os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        load("termios")
    except (OSError, ImportError, AttributeError):
        return None
    return Console(sys.stdin, sys.stderr) if is_watched else None


class Console:
    """Ask on one stream and read the answer from another, both of a terminal."""

    def __init__(self, given: TextIO, shown: TextIO) -> None:
        self._given = given
        self._shown = shown

    async def __call__(self, request: ApprovalRequest) -> Answer:
        """Show a question and wait for the answer."""
        return await self.ask(request)

    async def secret(self, request: SecretRequest) -> Secret | None:
        """Ask for a secret that is not shown as it is typed; nothing, or Ctrl-C, refuses."""
        wrong = ["  That was wrong; try again."] if request.was_wrong else []
        lines = ["", *wrong, *secret_question(request, self._look())]
        descriptor = self._given.fileno()
        try:
            with _lines_ended_by_interrupt(descriptor, is_shown=False):
                self._say("\n".join(lines), end=" ")
                typed = await _line(descriptor)
                self._say("")
            value = typed.rstrip("\r\n")
            if _INTERRUPT in typed or not value:
                return None
            with _lines_ended_by_interrupt(descriptor):
                self._say("  Keep it for the rest of this task? y or n:", end=" ")
                kept = await _line(descriptor)
        except asyncio.CancelledError:
            self._say("\n  No answer: refused.")
            raise
        if _INTERRUPT in kept:
            self._say("")
            return None
        return Secret(value, lasts=kept.strip().lower() in ("y", "yes"))

    async def form(self, form: Form) -> dict[str, str] | None:
        """Have a server's form filled in, field by field; Ctrl-C declines it."""
        screen = load("hermes.cli.form_screen")
        given: dict[str, str] = {}
        look = self._look()
        with _lines_ended_by_interrupt(self._given.fileno()):
            self._say("\n".join(screen.head(form, look)))
            for field in form.fields:
                self._say("\n".join(screen.question(field, look)), end=" ")
                line = await _line(self._given.fileno())
                if _INTERRUPT in line or not line:
                    self._say("")
                    return None
                given[field.name] = line.rstrip("\r\n")
            self._say(screen.last_word(form), end=" ")
            agreed = await _line(self._given.fileno())
        return given if agreed.strip().lower() in ("y", "yes") else None

    async def open_url(self, url: str) -> None:
        """Open an address in the person's browser, and print it for where there is none."""
        self._say(f"  {url}")
        await asyncio.to_thread(load("webbrowser").open, url)

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Show a question and wait for the answer; Ctrl-C refuses and stops."""
        look = self._look()
        screen = draw(request, look)
        lines = [*screen.lines, *choices(request, look, is_whole=screen.is_whole)]
        may_last = screen.is_whole and not request.withheld
        with _lines_ended_by_interrupt(self._given.fileno()):
            self._say("\n".join(lines))
            try:
                return await self._answer(may_last=may_last)
            except asyncio.CancelledError:
                self._say("\n  No answer: refused.")
                raise

    async def _answer(self, *, may_last: bool) -> Answer:
        keys = "o, s, a or d" if may_last else "o, s or d"
        while True:
            self._say(f"  {keys}? ", end="")
            line = await _line(self._given.fileno())
            answer = read(line, may_last=may_last)
            if _INTERRUPT in line or not line:
                self._say("")
            if answer is not None:
                return answer

    def _say(self, text: str, end: str = "\n") -> None:
        print(output.showable(text, self._shown), file=self._shown, end=end, flush=True)

    def _look(self) -> Look:
        environ = snapshot()
        is_plain = bool(environ.get("NO_COLOR")) or environ.get("TERM", "dumb") == "dumb"
        return Look(max(min(output.width(self._shown), 120), 20), not is_plain)


def read(line: str, *, may_last: bool) -> Answer | None:
    """Return the answer that a typed line stands for; None when it has to be asked again."""
    if _INTERRUPT in line:
        return Answer("deny", stop=True)
    if not line:  # the terminal was closed
        return Answer("deny")
    first, _, rest = line.strip().partition(" ")
    word = _WORDS.get(first.rstrip(":,").lower())
    if word == "deny":
        return Answer("deny", rest.strip())
    if word is None or rest.strip() or (word == "always" and not may_last):
        return None
    return Answer(word)  # type: ignore[arg-type]  # one of the words


async def _line(descriptor: int) -> str:
    """Return the next line that is typed; empty at the end of input."""
    loop = asyncio.get_running_loop()
    is_there: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not is_there.done():
            is_there.set_result(None)

    loop.add_reader(descriptor, wake)
    try:
        await is_there
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, 4_096).decode("utf-8", "replace")


@contextmanager
def _lines_ended_by_interrupt(descriptor: int, *, is_shown: bool = True) -> Iterator[None]:
    """Have the terminal give Ctrl-C as the end of a line; what was typed before is dropped."""
    termios = load("termios")
    old = termios.tcgetattr(descriptor)
    new = termios.tcgetattr(descriptor)
    new[3] = (new[3] | termios.ICANON | termios.ECHO) & ~termios.ISIG
    if not is_shown:
        new[3] &= ~termios.ECHO
    new[6][termios.VEOL] = _INTERRUPT.encode()
    termios.tcsetattr(descriptor, termios.TCSAFLUSH, new)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, old)
