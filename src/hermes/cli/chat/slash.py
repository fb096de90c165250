"""The commands that begin with a slash."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hermes.base.text import did_you_mean
from hermes.cli.command import Usage

if TYPE_CHECKING:
    from hermes.cli.chat.seat import Seat

_COMMAND = re.compile(r"/([a-z][a-z_-]*)(?:\s+(.*))?\s*", re.DOTALL)


class Chat(Protocol):
    """What a command works with, wherever the chat is shown."""

    seat: Seat

    async def by_hand(self, name: str, args: dict[str, Any]) -> None:
        """Call a tool for the person, and show all of its answer."""

    async def patiently(self, work: Awaitable[str]) -> str | None:
        """Wait for something that takes long; None when the person stopped it."""

    def put(self, parts: Iterable[Any]) -> None:
        """Put drawn lines on the screen."""

    def note(self, text: str) -> None:
        """Tell the person something small."""

    def recall(self) -> None:
        """Show how the conversation ended that goes on."""


Act = Callable[[Chat, str], Awaitable[None]]


class Leave(Exception):
    """The person wants to leave."""


class Slash(NamedTuple):
    """One command: what may follow its name, what it does, and its function."""

    usage: str
    help: str
    act: Act


def read(text: str) -> tuple[str, str] | None:
    """Return the name and the rest of a command, or None when a text is a message.

    A path such as ``/etc/hosts`` is part of a message.
    """
    found = _COMMAND.fullmatch(text.strip())
    return (found[1], (found[2] or "").strip()) if found else None


def find(name: str, known: dict[str, Slash]) -> Slash:
    """Return a command by its name.

    Raises:
        Usage: there is none.
    """
    if name in known:
        return known[name]
    near = did_you_mean(name, known)
    raise Usage(f"there is no command /{name}", hint=near or "/help shows what there is.")
