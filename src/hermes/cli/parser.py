"""Parse the words of one command; only this command's parser is built."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from hermes.base.text import nearest
from hermes.cli.command import Command, Usage


class Parser(argparse.ArgumentParser):
    """Parse words, and raise ``Usage`` instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the words, and the nearest option when one is misspelt."""
        raise Usage(message, hint=self._suggestion(message) or f"See '{self.prog} --help'.")

    def _suggestion(self, message: str) -> str | None:
        if not message.startswith("unrecognized arguments"):
            return None
        words = message.partition(": ")[2].split()
        option = next((word for word in words if word.startswith("--")), None)
        options = [flag for action in self._actions for flag in action.option_strings]
        near = nearest(option, options, limit=1) if option else []
        return f"Did you mean '{near[0]}'?" if near else None


class _Help(argparse.RawDescriptionHelpFormatter):
    """Lay out help for the width there is; told the width, argparse need not load shutil."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=_width())


def _width() -> int:
    try:
        return min(max(os.get_terminal_size(sys.stdout.fileno()).columns - 2, 40), 100)
    except (OSError, ValueError):
        return 98


def parse(command: Command, path: str, words: list[str]) -> argparse.Namespace:
    """Return a command's options; ``-h`` prints its help and raises ``SystemExit``.

    Raises:
        Usage: the words do not fit the command.
    """
    parser = build(command, path)
    return parser.parse_intermixed_args(words)


def build(command: Command, path: str) -> Parser:
    """Return the parser of a command under its whole name."""
    examples = "\n".join(f"  {example}" for example in command.examples)
    parser = Parser(
        prog=path,
        usage=command.usage(path).replace("%", "%%"),
        description=command.summary,
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    for argument in command.arguments:
        parser.add_argument(*argument.flags, help=argument.help, **argument.parsing)
    return parser
