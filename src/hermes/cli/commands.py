"""Find the command that the first words name, run it, and translate what goes wrong."""

from __future__ import annotations

from collections.abc import Iterable

from hermes.base.errors import ConfigError, Denied, HermesError
from hermes.base.optional import load
from hermes.cli.command import COMMANDS, Command, Group, Usage
from hermes.config.environment import snapshot, wants_traces

_HELP = frozenset({"-h", "--help", "help"})


def run(words: list[str]) -> int:
    """Run a command line and return its exit code; errors end here, as words."""
    try:
        return _dispatch(words)
    except HermesError as error:
        told = load("hermes.cli.advice").on(error) if isinstance(error, ConfigError) else error
        load("hermes.cli.output").print_error(told, as_json="--json" in words)
        return exit_code(error)
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
    if not words and not load("hermes.cli.chat").is_meant():
        return int(load("hermes.cli.welcome").show())
    words = words or ["chat"]
    if words[:2] == ["completion", "--complete"]:
        return int(load("hermes.cli.completion").answer(words[2:]))
    name, *rest = words
    if name in _HELP:
        _print(load("hermes.cli.help").of_everything())
        return 0
    if name not in COMMANDS:
        raise _unknown(name, COMMANDS, "hermes")
    found = entry(name)
    if isinstance(found, Command):
        return _run_one(found, f"hermes {name}", rest)
    return _run_group(found, rest)


def _run_group(group: Group, words: list[str]) -> int:
    path = f"hermes {group.name}"
    if not words or words[0] in _HELP:
        _print(load("hermes.cli.help").of_group(group))
        return 0
    command = group.find(words[0])
    if command is None:
        names = [known.name for known in group.commands]
        raise _unknown(words[0], names, path)
    return _run_one(command, f"{path} {command.name}", words[1:])


def _run_one(command: Command, path: str, words: list[str]) -> int:
    return command.run(load("hermes.cli.parser").parse(command, path, words))


def _print(lines: Iterable[str]) -> None:
    load("hermes.cli.output").print_lines(lines)


def _unknown(word: str, known: Iterable[str], path: str) -> Usage:
    near: str | None = load("hermes.base.text").did_you_mean(word, known)
    if word.startswith("-") and near is None:
        return Usage(f"unknown option {word!r}", hint="Options go after the command.")
    whole = f"{path} {word}".removeprefix("hermes ")
    return Usage(f"unknown command {whole!r}", hint=near or f"See '{path} --help'.")


def exit_code(error: HermesError) -> int:
    """Return 2 for what the person has to put right, 3 for a denial, 1 for the rest."""
    if isinstance(error, Denied):
        return 3
    return 2 if isinstance(error, (Usage, ConfigError)) else 1
