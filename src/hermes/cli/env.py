"""``hermes env``: which environments there are, whether they work, and a shell in one."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from hermes.base.errors import Unavailable
from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.call import in_environment
from hermes.cli.command import JSON, PROFILE, Command, Group, Usage, argument
from hermes.config.environment import snapshot
from hermes.config.load import load as load_settings

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.app import Runtime
    from hermes.app.trying import Standing

_SHELL = "unset HISTFILE; PS1={prompt} exec bash --noprofile --norc -i"
_CLEAR = "\r\033[K"


def list_environments(options: Namespace) -> int:
    """Print every backend with whether it can be used here, and what is missing."""
    found = load("hermes.app.trying").standings(load_settings())
    if options.json:
        output.print_json([_told(one) for one in found])
    elif output.is_terminal():
        output.print_table(("environment", "", "about"), map(_row, found))
    else:
        output.print_table((), map(_plain_row, found))
    return 0


def _told(one: Standing) -> dict[str, Any]:
    return {
        "name": one.name,
        "about": one.about,
        "chosen": one.is_chosen,
        "available": one.lacking is None,
        "missing": one.lacking.message if one.lacking else None,
        "fix": (one.lacking.hint or None) if one.lacking else None,
    }


def _row(one: Standing) -> tuple[str, ...]:
    mark = "chosen" if one.is_chosen else "yes"
    if one.lacking is None:
        return one.name, mark, one.about
    why = f"{one.lacking.message} → {one.lacking.hint}" if one.lacking.hint else one.lacking.message
    told: str = load("hermes.cli.invoked").as_invoked(why)
    return one.name, "chosen, but no" if one.is_chosen else "no", told


def _plain_row(one: Standing) -> tuple[str, ...]:
    told = _told(one)
    state = "available" if told["available"] else "unavailable"
    chosen = "chosen" if one.is_chosen else ""
    return one.name, state, chosen, told["missing"] or "", told["fix"] or "", one.about


def test_environment(options: Namespace) -> int:
    """Run the checks that every environment passes, and return 1 if one failed."""
    trying = load("hermes.app.trying")
    checks = trying.chosen(options.check, is_quick=options.quick)
    if not checks:
        names = [check.name for check in trying.CHECKS]
        near = load("hermes.base.text").did_you_mean(options.check[0], names)
        raise Usage(f"there is no check {options.check[0]!r}", hint=near)
    started = time.monotonic()
    with _runtime(options) as runtime, _refusing():
        name = runtime.settings.terminal.environment
        with _Progress(name, len(checks)) as progress:
            findings = trying.try_out(runtime, checks, progress)
    report = load("hermes.cli.env_report").Report(
        name, checks, findings, time.monotonic() - started
    )
    if options.json:
        output.print_json(report.as_dict())
    else:
        report.show()
    return 1 if report.failed else 0


class _Progress:
    """Show a person which check runs, on one line that is written over."""

    def __init__(self, name: str, total: int) -> None:
        self._name, self._total, self._done, self._failed = name, total, 0, 0
        self._is_watched = sys.stderr.isatty()

    def __call__(self, check: Any, finding: Any) -> None:
        if finding is None:
            failed = f", {self._failed} failed" if self._failed else ""
            line = f"{self._name}: {self._done}/{self._total}{failed}  {check.name}"
            self._show(_CLEAR + line[: output.width(sys.stderr) - 1])
            return
        self._done += 1
        self._failed += finding.verdict == "failed"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._show(_CLEAR)

    def _show(self, text: str) -> None:
        if self._is_watched:
            print(text, end="", file=sys.stderr, flush=True)


def open_shell(options: Namespace) -> int:
    """Let the person sit in an environment, as the commands of a model would run there."""
    with _runtime(options) as runtime, _refusing():
        trying, sitting = load("hermes.app.trying"), load("hermes.cli.env_shell")
        root = os.getcwd()  # noqa: PTH109 - a text is wanted
        environment = trying.environment(runtime, root, output.print_note)
        try:
            trying.wait(environment.start())
            code: int = sitting.sit(environment, _text(options, environment), _variables())
        finally:
            trying.wait(environment.close())
    return code


def _text(options: Namespace, environment: Any) -> str:
    """Return what is run: the command that was given, a shell to sit in, or one that reads."""
    if options.command:
        return shlex.join(options.command)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "exec bash"
    output.print_note(f"a shell in {environment.name}, at {environment.root}; 'exit' leaves it.")
    return _SHELL.format(prompt=shlex.quote(f"[{environment.name}] \\w \\$ "))


def _variables() -> dict[str, str]:
    term = snapshot().get("TERM")
    return {"TERM": term} if term else {}


@contextmanager
def _runtime(options: Namespace) -> Iterator[Runtime]:
    config = in_environment(options.name)
    with load("hermes.app").Runtime(profile=options.profile, config=config) as runtime:
        yield runtime


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn an environment's refusal into words for the person."""
    try:
        yield
    except load("hermes.environments.contract").Refused as error:
        raise Unavailable(error.message, hint=error.hint or None) from error


_NAME = argument(
    "name",
    help="Which one; without a name, the one that is chosen.",
    metavar="NAME",
    nargs="?",
    complete="environment",
)

ENTRY = Group(
    "env",
    "List the environments that commands can run in, test one, or sit in it.",
    (
        Command(
            "list",
            "List the environments, and what each lacks here.",
            list_environments,
            (JSON,),
            ("hermes env list", "hermes env list --json"),
        ),
        Command(
            "test",
            "Hold an environment against the checks that every one of them passes.",
            test_environment,
            (
                _NAME,
                argument("--quick", help="One check of every kind.", action="store_true"),
                argument(
                    "--check",
                    help="Only this check; may be repeated.",
                    metavar="CHECK",
                    action="append",
                    default=[],
                    complete="check",
                ),
                PROFILE,
                JSON,
            ),
            ("hermes env test --quick", "hermes env test docker --json"),
        ),
        Command(
            "shell",
            "Open a shell where a model's commands would run, or run one command there.",
            open_shell,
            (
                _NAME,
                argument("command", help="A command, after --.", metavar="COMMAND", nargs="*"),
                PROFILE,
            ),
            ("hermes env shell", "hermes env shell docker -- python3 --version"),
        ),
    ),
)
