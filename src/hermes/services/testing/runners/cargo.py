"""Rust by cargo test."""

from __future__ import annotations

import re
from typing import Any

from hermes.base.errors import ToolError
from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.testing.contract import QUIET, Case, Outcome, Report, Work, few, shortened

_LINE = re.compile(r"^test (?P<test>.+?) \.\.\. (?P<how>ok|FAILED|ignored)")
_OUTCOMES: dict[str, Outcome] = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_COUNT = re.compile(r"^running (?P<count>\d{1,9}) tests?$")
_HEAD = re.compile(r"^---- (?P<test>.+?) stdout ----$", re.MULTILINE)
_PANIC = re.compile(
    r"panicked at (?P<file>[^\n]+?):(?P<line>\d{1,9}):\d{1,9}:\n(?P<message>(?:.+\n?)*?)(?=note:|stack backtrace:|\Z)"  # noqa: E501 - one pattern
)
_COVERED = (
    'if "$0" llvm-cov --version >/dev/null 2>&1; then exec "$0" llvm-cov "$@"; fi; '
    'exec "$0" test "$@"'
)
_SHARE = r"\s+\d+\s+\d+\s+(?:[\d.]+%|-)"
_TOTAL = re.compile(
    rf"^TOTAL(?:{_SHARE}){{2}}\s+\d+\s+\d+\s+(?P<lines>[\d.]+)%", re.MULTILINE | re.ASCII
)
"""What the table ends with: regions, functions and lines, each how many, missed and the share."""


class Cargo:
    """Tests of a Rust package, told as they end."""

    name = "cargo"
    program = "cargo"
    install = "install Rust from https://rustup.rs"
    suffixes: tuple[str, ...] = (".rs",)

    def reason(self, project: Project) -> str | None:
        """Run packages."""
        return "Cargo.toml" if project.find("Cargo.toml") else None

    def start(self, work: Work) -> Program:
        """Return what runs the tests."""
        if work.filter.startswith("-"):
            raise ToolError("a filter of cargo is a part of a test's name", code="bad_filter")
        words = ["--no-fail-fast", *(["--", work.filter] if work.filter else [])]
        home = work.project.home_of("Cargo.toml")
        if not work.coverage:
            return work.run(["test", *words], home)
        argv = ("sh", "-c", _COVERED, work.program, *words)
        return Program(argv, home, env=QUIET, seconds=work.seconds)

    def hear(self, work: Work, report: Report, stream: int, line: str) -> None:
        """Take the line of a test, or how many there will be."""
        del work
        if stream != 0:
            return
        if told := _LINE.match(line):
            report.add(Case(told["test"], _OUTCOMES[told["how"]]))
        elif told := _COUNT.match(line):
            report.expected += int(told["count"])

    def finish(self, work: Work, report: Report, ran: Ran) -> None:
        """Take what is told of failures after all tests; without tests, why nothing was built."""
        for test, text in _failures(ran.text):
            panic = _PANIC.search(text)
            lines = text.partition("stack backtrace:")[0].splitlines()
            report.cases[test] = Case(
                test,
                "failed",
                message=shortened(panic["message"] if panic else text),
                file=panic["file"] if panic else "",
                line=int(panic["line"]) if panic else 0,
                lines=few(lines),
            )
        if not report.cases and ran.code != 0:
            report.trouble = ran.complaint
        if work.coverage:
            report.coverage = _coverage(ran.text)


def _coverage(text: str) -> dict[str, Any]:
    total = _TOTAL.search(text)
    if total is None:
        return {"missing": "cargo install cargo-llvm-cov"}
    return {"percent": float(total["lines"])}


def _failures(text: str) -> list[tuple[str, str]]:
    """Return the tests that failed, each with what it printed."""
    heads = list(_HEAD.finditer(text))
    found = []
    for head, after in zip(heads, [*heads[1:], None], strict=False):
        part = text[head.end() : after.start() if after else len(text)]
        found.append((head["test"], part.partition("\nfailures:\n")[0].strip("\n")))
    return found
