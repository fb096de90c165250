"""Name the command as it was typed, so that what a screen says can be typed again."""

from __future__ import annotations

import os
import re
import sys

from hermes.base.optional import load
from hermes.cli.command import COMMANDS
from hermes.config.environment import snapshot

NAME = "hermes"
_COMMAND = re.compile(rf"(?<![\w./-]){NAME}(?= (?:{'|'.join(COMMANDS)}|--?[a-z]+)\b)")


def program() -> str:
    """Return ``hermes``, or the path that was typed when no search of PATH would find it."""
    folder, slash, name = sys.argv[0].rpartition("/")
    if not slash or name != NAME or folder in snapshot().get("PATH", "").split(os.pathsep):
        return NAME
    quoted: str = load("shlex").quote(sys.argv[0])
    return quoted


def as_invoked(text: str) -> str:
    """Return a text with every command in it as this person would type it."""
    typed = program()
    return text if typed == NAME else _COMMAND.sub(lambda _: typed, text)
