"""What a command is: words for people, arguments, and a function; no parser yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import HermesError

if TYPE_CHECKING:
    from argparse import Namespace


COMMANDS = {
    "chat": "Talk with an agent that has the tools; 'hermes' alone does the same.",
    "tool": "List, show, call, search and register tools.",
    "toolset": "List and show toolsets.",
    "model": "List the models that can be asked, choose one, and try it.",
    "mcp": "Use the tools of MCP servers, and serve ours.",
    "config": "Read and change settings.",
    "journal": "Look at the record of every call.",
    "sessions": "Find, read, export, rename, fork and delete conversations.",
    "undo": "Take back what tools changed.",
    "checkpoints": "Look at what can be undone, and drop what is old.",
    "permissions": "Show permission profiles, check calls against them, explain verdicts.",
    "approvals": "List, revoke and export what was approved for good.",
    "sandbox": "Run a command in the sandbox, or show what it allows.",
    "env": "List the environments that commands can run in, test one, or sit in it.",
    "doctor": "Check the installation and say what is wrong.",
    "completion": "Print a completion script for your shell.",
}


class Usage(HermesError):
    """Tell the person at the keyboard how the command is meant to be used."""

    code = "usage"


class Argument(NamedTuple):
    """One argument of a command: its flags or its name, help, and how it is parsed."""

    flags: tuple[str, ...]
    help: str
    parsing: dict[str, Any]
    complete: str = ""
    """What completes it: tool, toolset, setting, environment, check, checkpoint, session,
    server, arguments."""

    @property
    def is_option(self) -> bool:
        """Say whether the argument is given by a flag."""
        return self.flags[0].startswith("-")

    @property
    def takes_value(self) -> bool:
        """Say whether a flag is followed by a value."""
        return self.parsing.get("action") != "store_true"

    @property
    def value(self) -> str:
        """Return the word that stands for the argument's value."""
        return str(self.parsing.get("metavar") or self.flags[-1].lstrip("-").upper())

    def shown(self) -> str:
        """Return the argument as a list of arguments names it."""
        if not self.is_option:
            return self.value
        return ", ".join(self.flags) + (f" {self.value}" if self.takes_value else "")

    def usage(self) -> str:
        """Return the argument as it appears in a usage line."""
        name = self.value
        if self.is_option:
            used = f"{self.flags[0]} {name}" if self.takes_value else self.flags[0]
            return used if self.parsing.get("required") else f"[{used}]"
        count = self.parsing.get("nargs")
        return {"?": f"[{name}]", "*": f"[{name} …]", "+": f"{name} …"}.get(str(count), name)


def argument(*flags: str, help: str, complete: str = "", **parsing: Any) -> Argument:
    """Declare an argument; ``parsing`` goes to argparse as it is."""
    return Argument(flags, help, parsing, complete)


def count(word: str) -> int:
    """Return the number of things that ``--limit`` asks for.

    Raises:
        Usage: the word is no whole number, or below 1.
    """
    if not word.isdecimal() or int(word) < 1:
        raise Usage(f"--limit takes a whole number from 1 on, not {word!r}")
    return int(word)


JSON = argument("--json", help="Print JSON.", action="store_true")
PROFILE = argument("--profile", help="Judge calls by this permission profile.", metavar="NAME")
ENVIRONMENT = argument(
    "--env", help="Run commands in this environment.", metavar="NAME", complete="environment"
)
ARGUMENTS = argument(
    "arguments",
    help="Each as key=text, key:=json or key=@file; a repeated key makes a list.",
    metavar="KEY=VALUE",
    nargs="*",
    default=[],
    complete="arguments",
)


class Command(NamedTuple):
    """One thing a person can do."""

    name: str
    summary: str
    run: Callable[[Namespace], int]
    arguments: tuple[Argument, ...] = ()
    examples: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """Return the parts of the usage line that follow the command's name."""
        ordered = sorted(self.arguments, key=lambda argument: argument.is_option)
        return [argument.usage() for argument in ordered]

    def usage(self, path: str) -> str:
        """Return the usage line of the command under its whole name."""
        return " ".join([path, *self.words()])


class Group(NamedTuple):
    """Commands about one thing."""

    name: str
    summary: str
    commands: tuple[Command, ...]

    def find(self, name: str) -> Command | None:
        """Return the command of a name, or None."""
        return next((command for command in self.commands if command.name == name), None)
