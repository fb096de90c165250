"""The pages of help: of everything, of a group, of one command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hermes.cli.command import COMMANDS, Argument, Command, Group
from hermes.cli.invoked import NAME, as_invoked, program
from hermes.cli.layout import filled, pairs, wrapped
from hermes.cli.output import reading_width

Row = tuple[str, str]
_HELP: Row = ("-h, --help", "Show this help.")


def of_everything() -> Iterator[str]:
    """Yield what ``hermes --help`` says."""
    width = reading_width()
    yield from _usage("hermes", ["COMMAND", "…"], width)
    about = "Hands for language models: tools declared once, offered to any model, called safely."
    yield from _paragraph(about, width)
    yield from _section("Commands", list(COMMANDS.items()), width, left=14)
    options = [("-h, --help", "Show this help; every command has its own."), _VERSION]
    yield from _section("Options", options, width, left=14)
    yield from _section("Environment", list(_ENVIRONMENT), width, left=14)
    yield from _examples(_FIRST, width)


def of_group(group: Group) -> Iterator[str]:
    """Yield what is said of the commands about one thing."""
    width = reading_width()
    yield from _usage(f"hermes {group.name}", ["COMMAND", "…"], width)
    yield from _paragraph(group.summary, width)
    commands = [(command.name, command.summary) for command in group.commands]
    left = max(len(name) for name, _ in [*commands, _HELP])
    yield from _section("Commands", commands, width, left=left)
    yield from _section("Options", [_HELP], width, left=left)
    examples = [command.examples[0] for command in group.commands if command.examples]
    yield from _examples(examples, width)


def of_command(command: Command, path: str) -> Iterator[str]:
    """Yield what is said of one command under its whole name."""
    width = reading_width()
    yield from _usage(path, command.words(), width)
    yield from _paragraph(command.summary, width)
    named = [each for each in command.arguments if not each.is_option]
    options = [_row(each) for each in command.arguments if each.is_option]
    left = max(len(name) for name, _ in [*map(_row, named), *options, _HELP])
    if named:
        yield from _section("Arguments", [_row(each) for each in named], width, left=left)
    yield from _section("Options", [*options, _HELP], width, left=left)
    yield from _examples(command.examples, width)


def _usage(path: str, words: Sequence[str], width: int) -> list[str]:
    first = f"Usage: {program()}{path.removeprefix(NAME)} "
    rest = " " * (len(first) if len(first) < width // 2 else len("Usage: "))
    return filled(words, width, first=first, rest=rest) if words else [first.rstrip()]


def _paragraph(text: str, width: int) -> list[str]:
    return ["", *wrapped(text, width)]


def _section(title: str, rows: Sequence[Row], width: int, *, left: int) -> Iterator[str]:
    yield from ("", f"{title}:")
    yield from pairs(rows, width, left=left)


def _examples(examples: Iterable[str], width: int) -> Iterator[str]:
    yield from ("", "Examples:")
    for example in examples:
        yield from wrapped(f"  {as_invoked(example)}", width, indent="    ")


def _row(each: Argument) -> Row:
    return each.shown(), each.help


_VERSION: Row = ("-V, --version", "Print the version.")
_ENVIRONMENT: tuple[Row, ...] = (
    ("HERMES_HOME", "Folder that holds all state (~/.hermes)."),
    ("HERMES_DEBUG=1", "Show traces of unexpected errors."),
    ("NO_COLOR=1", "No colour."),
)
_FIRST = ("hermes tool list", "hermes tool call system_info", "hermes tool call sleep seconds=1")
