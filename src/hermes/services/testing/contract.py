"""What every test runner can do, and the words for what it tells: one Protocol, one file each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from hermes.environments.programs import Program, Ran, Site
from hermes.environments.projects import Project

Outcome = Literal["passed", "failed", "error", "skipped"]
OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "error", "skipped")
MARK = "\x1e"
"""Begins a line that our reporters print, before the word of their run."""
_MOST_LINES = 14
_LONGEST_LINE = 300
_LONGEST_MESSAGE = 1_500
QUIET = {"NO_COLOR": "1", "FORCE_COLOR": "0", "CARGO_TERM_COLOR": "never", "CI": "1"}


@dataclass(frozen=True, slots=True)
class Case:
    """One test, as it ended."""

    test: str
    outcome: Outcome
    seconds: float = 0.0
    message: str = ""
    file: str = ""
    line: int = 0
    lines: tuple[str, ...] = ()
    """The few lines of its report that matter."""
    output: str = ""


@dataclass(slots=True)
class Report:
    """What is known of a run so far; added to while it goes on."""

    cases: dict[str, Case] = field(default_factory=dict)
    expected: int = 0
    running: dict[str, None] = field(default_factory=dict)
    coverage: dict[str, Any] = field(default_factory=dict)
    missing: str = ""
    """What must be installed before anything can run."""
    trouble: str = ""

    def add(self, case: Case) -> None:
        """Note how a test ended; a failure after its success is what counts."""
        self.running.pop(case.test, None)
        known = self.cases.get(case.test)
        if known is None or known.outcome in ("passed", "skipped"):
            self.cases[case.test] = case

    def count(self, outcome: Outcome) -> int:
        """Return how many ended so."""
        return sum(case.outcome == outcome for case in self.cases.values())


class Work(NamedTuple):
    """What one runner is to run."""

    site: Site
    project: Project
    program: str
    """Where the runner, or the interpreter that it is a module of, is."""
    targets: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Tests within the one target, as the runner names them."""
    filter: str = ""
    coverage: bool = False
    seconds: float = 300.0
    word: str = ""
    """Begins what our own reporters say in this run, so that nothing else is taken for it."""

    def run(self, argv: tuple[str, ...] | list[str], cwd: str) -> Program:
        """Return the runner with arguments, without colours."""
        return Program((self.program, *argv), cwd, env=QUIET, seconds=self.seconds)


class Runner(Protocol):
    """Runs the tests of a project."""

    name: str
    program: str
    """What is looked for: a program, or ``python`` for a module of it."""
    install: str
    suffixes: tuple[str, ...]

    def reason(self, project: Project) -> str | None:
        """Say why it is used here; None when it is not."""

    def start(self, work: Work) -> Program:
        """Return what runs the tests.

        Raises:
            ToolError: there are none, or the filter is none for it.
        """

    def hear(self, work: Work, report: Report, stream: int, line: str) -> None:
        """Take a line that it printed; called as they come."""

    def finish(self, work: Work, report: Report, ran: Ran) -> None:
        """Take what it says only at its end."""


def shortened(text: str, most: int = _LONGEST_MESSAGE) -> str:
    """Return a text without its middle, if it is long."""
    text = text.strip()
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def few(lines: list[str]) -> tuple[str, ...]:
    """Return the last of some lines, each not too long."""
    kept = [line.rstrip()[:_LONGEST_LINE] for line in lines if line.strip()]
    return tuple(kept[-_MOST_LINES:])


def event(work: Work, line: str) -> dict[str, Any]:
    """Return what a reporter of ours says in a line; of any other line nothing."""
    start = line.find(f"{MARK}{work.word} ")
    if start < 0:
        return {}
    try:
        told = json.loads(line[start + len(work.word) + 2 :])
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def take(report: Report, told: dict[str, Any]) -> None:
    """Note what a reporter of ours says."""
    kind = told.get("event")
    if kind == "expected" and isinstance(told.get("count"), int):
        report.expected += told["count"]
    elif kind == "start":
        report.running[str(told.get("test"))] = None
    elif kind == "case":
        case = case_from(told)
        if case is not None:
            report.add(case)
    elif kind == "coverage" and isinstance(told.get("coverage"), dict):
        report.coverage = told["coverage"]
    elif kind == "missing":
        report.missing = str(told.get("module") or "")
    elif kind == "trouble":
        report.trouble = shortened(str(told.get("text") or ""))


def case_from(told: dict[str, Any]) -> Case | None:
    """Return a test that a reporter tells of; None if that makes no sense."""
    outcome = told.get("outcome")
    if outcome not in OUTCOMES:
        return None
    seconds, line = told.get("seconds"), told.get("line")
    lines = told.get("lines")
    message = str(told.get("message") or "")
    if lines:  # they say the rest
        message = "\n".join(message.splitlines()[:3])
    return Case(
        str(told.get("test") or "?"),
        outcome,
        round(seconds, 3) if isinstance(seconds, int | float) else 0.0,
        shortened(message),
        str(told.get("file") or ""),
        line if isinstance(line, int) else 0,
        few([str(each) for each in lines]) if isinstance(lines, list) else (),
        shortened(str(told.get("output") or ""), 800),
    )
