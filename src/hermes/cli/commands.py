"""Find the command that the first words name, run it, and translate what goes wrong."""

from __future__ import annotations

from collections.abc import Iterable

from hermes.base.errors import ConfigError, Denied, HermesError
from hermes.base.optional import load
from hermes.cli.command import Command, Group, Usage
from hermes.config.environment import snapshot, wants_traces

COMMANDS = {
    "tool": "List, show, call, search and register tools.",
    "toolset": "List and show toolsets.",
    "config": "Read and change settings.",
    "journal": "Look at the record of every call.",
    "doctor": "Check the installation and say what is wrong.",
    "completion": "Print a completion script for your shell.",
}
_HELP = frozenset({"-h", "--help", "help"})


def run(words: list[str]) -> int:
    """Run a command line and return its exit code; errors end here, as words."""
    try:
        return _dispatch(words)
    except HermesError as error:
        load("hermes.cli.output").print_error(error, as_json="--json" in words)
        return _exit_code(error)
    except SystemExit as stop:  # argparse has printed the help
        return stop.code if isinstance(stop.code, int) else 0
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        load("hermes.cli.output").print_error(HermesError(reason), as_json="--json" in words)
        return 1
    except Exception as error:  # the edge: a bug becomes one clean sentence
        if wants_traces(snapshot()):
            raise
        bug = HermesError(
            f"unexpected {type(error).__name__}: {error}",
            hint="This is a bug in hermes; HERMES_DEBUG=1 shows the trace.",
        )
        load("hermes.cli.output").print_error(bug, as_json="--json" in words)
        return 1


def entry(name: str) -> Group | Command:
    """Return the declaration of a top-level command."""
    found: Group | Command = load(f"hermes.cli.{name}").ENTRY
    return found


def _dispatch(words: list[str]) -> int:
    if not words:
        return int(load("hermes.cli.welcome").show())
    if words[:2] == ["completion", "--complete"]:
        return int(load("hermes.cli.completion").answer(words[2:]))
    name, *rest = words
    if name in _HELP:
        load("hermes.cli.output").print_lines(_help())
        return 0
    if name not in COMMANDS:
        raise _unknown(name, "command", COMMANDS, "hermes --help")
    found = entry(name)
    if isinstance(found, Command):
        return _run_one(found, f"hermes {name}", rest)
    return _run_group(found, rest)


def _run_group(group: Group, words: list[str]) -> int:
    path = f"hermes {group.name}"
    if not words or words[0] in _HELP:
        load("hermes.cli.output").print_lines(_group_help(group))
        return 0
    command = group.find(words[0])
    if command is None:
        names = [known.name for known in group.commands]
        raise _unknown(words[0], f"'{path}' command", names, f"{path} --help")
    return _run_one(command, f"{path} {command.name}", words[1:])


def _run_one(command: Command, path: str, words: list[str]) -> int:
    return command.run(load("hermes.cli.parser").parse(command, path, words))


def _unknown(word: str, what: str, known: Iterable[str], help: str) -> Usage:
    near: str | None = load("hermes.base.text").did_you_mean(word, known)
    if word.startswith("-") and near is None:
        return Usage(f"unknown option {word!r}", hint="Options go after the command.")
    return Usage(f"unknown {what} {word!r}", hint=near or f"See '{help}'.")


def _exit_code(error: HermesError) -> int:
    if isinstance(error, Denied):
        return 3
    return 2 if isinstance(error, (Usage, ConfigError)) else 1


def _help() -> list[str]:
    return [
        "usage: hermes COMMAND …",
        "",
        "Hands for language models: tools declared once, offered to any model, called safely.",
        "",
        "commands:",
        *(f"  {name:<12}{summary}" for name, summary in COMMANDS.items()),
        "",
        "options:",
        f"  {'-h, --help':<16}Show this help; every command has its own.",
        f"  {'-V, --version':<16}Print the version.",
        "",
        "environment:",
        f"  {'HERMES_HOME':<16}Folder that holds all state (~/.hermes).",
        f"  {'HERMES_DEBUG=1':<16}Show traces of unexpected errors.",
        f"  {'NO_COLOR=1':<16}No colour.",
        "",
        "examples:",
        "  hermes tool list",
        "  hermes tool call system_info",
        "  hermes tool call sleep seconds=1",
    ]


def _group_help(group: Group) -> list[str]:
    return [
        f"usage: hermes {group.name} COMMAND …",
        "",
        group.summary,
        "",
        "commands:",
        *(f"  {command.name:<12}{command.summary}" for command in group.commands),
        "",
        "examples:",
        *(f"  {command.examples[0]}" for command in group.commands if command.examples),
    ]
