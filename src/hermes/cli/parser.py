"""Parse the words of one command; only this command's parser is built."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from hermes.base.optional import load
from hermes.base.text import nearest
from hermes.cli import output
from hermes.cli.command import Command, Usage


class Parser(argparse.ArgumentParser):
    """Parse the words of a command, and raise ``Usage`` instead of ending the process."""

    def __init__(self, command: Command, path: str) -> None:
        usage = command.usage(path).replace("%", "%%")
        super().__init__(prog=path, usage=usage, formatter_class=_formatter, allow_abbrev=False)
        self._command = command
        for argument in command.arguments:
            self.add_argument(*argument.flags, help=argument.help, **argument.parsing)

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002 - argparse asks for it
        """Print the command's help, laid out for the width there is."""
        output.print_lines(load("hermes.cli.help").of_command(self._command, self.prog))

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


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Return what argparse asks for while it is built; told a width, it need not load shutil."""
    return argparse.HelpFormatter(prog, width=80)


def parse(command: Command, path: str, words: list[str]) -> argparse.Namespace:
    """Return a command's options; ``-h`` prints its help and raises ``SystemExit``.

    Raises:
        Usage: the words do not fit the command.
    """
    many = _many(command)
    if many is None or "--" not in words:
        return Parser(command, path).parse_intermixed_args(words)
    # argparse would still look for options behind the two dashes
    end = words.index("--")
    options = Parser(command, path).parse_intermixed_args(words[:end])
    setattr(options, many, [*getattr(options, many), *words[end + 1 :]])
    return options


def _many(command: Command) -> str | None:
    """Return the name of the argument that takes any number of words, if there is one."""
    found = (each for each in command.arguments if each.parsing.get("nargs") == "*")
    return next((each.flags[0] for each in found if not each.is_option), None)
