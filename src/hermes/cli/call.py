"""``hermes tool call``: one call through the pipeline, its JSON on stdout and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hermes.app import Runtime
from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.arguments import read_pairs
from hermes.cli.command import Usage
from hermes.config.environment import snapshot, wants_traces

if TYPE_CHECKING:
    from argparse import Namespace

FAILED = 1
DENIED = 3


def call(options: Namespace) -> int:
    """Call the tool that the options name, print its answer and return the exit code."""
    arguments = _arguments(options)
    seconds = _seconds(options)
    given = {"profile": options.profile, "config": in_environment(options.env)}
    with _traces(), Runtime(**given, approver=_approver()) as runtime:
        if sys.stderr.isatty():
            runtime.services.on_progress = lambda _, text: print(f"… {text}", file=sys.stderr)
        answer = runtime.call_sync(
            options.name, arguments, options.task, door="cli", timeout_seconds=seconds
        )
    output.print_json_text(answer)
    return exit_code(answer)


def in_environment(name: str | None) -> dict[str, str]:
    """Return the setting that ``--env`` stands for."""
    return {} if name is None else {"terminal.environment": name}


def _approver() -> Any:
    """Return who is asked: the person at the terminal, or nobody where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return load("hermes.cli.approver").on_terminal()


@contextmanager
def _traces() -> Iterator[None]:
    """Show what goes to the log on standard error too, when traces are wanted."""
    if not wants_traces(snapshot()):
        yield
        return
    logging = load("logging")
    log, shown = logging.getLogger("hermes"), logging.StreamHandler()
    log.addHandler(shown)
    try:
        yield
    finally:
        log.removeHandler(shown)


def exit_code(answer: str) -> int:
    """Return 0 for a result, 1 for an error, 3 when the call was denied."""
    value = json.loads(answer)
    if next(iter(value), None) != "error" or not isinstance(value["error"], str):
        return 0
    return DENIED if value.get("code") == "denied" else FAILED


def _arguments(options: Namespace) -> Any:
    """Return an object, or text as a model would send it: the pipeline reads both."""
    ways = [bool(options.arguments), options.json is not None, options.stdin]
    if sum(ways) > 1:
        raise Usage(
            "arguments are given in more than one way",
            hint="Use key=value words, --json or --stdin.",
        )
    if options.stdin:
        try:
            return sys.stdin.read()
        except UnicodeError as error:
            raise Usage(f"standard input is not UTF-8 text: {error}") from error
    return options.json if options.json is not None else read_pairs(options.arguments)


def _seconds(options: Namespace) -> float | None:
    """Return the time that --timeout grants, whatever limit the tool declares."""
    seconds: float | None = options.timeout
    if seconds is not None and not 0 < seconds < float("inf"):
        raise Usage("--timeout must be a number of seconds above 0")
    return seconds
