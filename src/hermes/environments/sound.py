"""Refuse commands that no shell could read as they were meant."""

from __future__ import annotations

import re

from hermes.environments.contract import Command, Refused

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def refuse_unreadable(command: Command) -> None:
    """Look at the words of a command.

    Raises:
        Refused: a NUL, half a character, or a name that is no variable's.
    """
    for name in (*command.env, *command.unset):
        if _NAME.fullmatch(name) is None:
            raise Refused(f"{name!r} is no name of a variable", "Use letters, digits and _.")
    texts = {"the command": command.text, "its folder": command.cwd or ""}
    for what, text in (*texts.items(), *command.env.items()):
        if "\0" in text:
            raise Refused(f"{what} has a NUL character", "No shell reads one; leave it out.")
        if not _is_text(text):
            raise Refused(f"{what} has half a character", "Write it as valid Unicode.")


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
