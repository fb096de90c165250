"""JavaScript and TypeScript by jest and vitest, which answer in one form."""

from __future__ import annotations

import json
import re
from typing import Any

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.testing.contract import (
    MARK,
    QUIET,
    Case,
    Outcome,
    Report,
    Work,
    few,
    shortened,
)

SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_LINE = re.compile(r"^\s*(?P<mark>[✓√✕\u00d7✗○↓-]) (?P<test>.+?)(?:\s+\(?\d+\s?m?s\)?)?$")
_MARKS: dict[str, Outcome] = {"✓": "passed", "√": "passed", "○": "skipped", "↓": "skipped"}
_STATUS: dict[str, Outcome] = {"passed": "passed", "failed": "failed"}
_SHARE = re.compile(r"^(?:Statements|Lines)\s*:\s*(?P<percent>[\d.]{1,8})%", re.MULTILINE)
_PLACE = re.compile(r"(?:file://)?(?P<file>/[^\s():]+):(?P<line>\d{1,9}):\d{1,9}\)?$")


class Jest:
    """Tests of projects that use jest."""

    name = "jest"
    program = "jest"
    install = "npm install --save-dev jest"
    suffixes: tuple[str, ...] = SCRIPTS
    configs: tuple[str, ...] = (
        "jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs",
        "jest.config.json",
    )  # fmt: skip

    def reason(self, project: Project) -> str | None:
        """Run what is configured so."""
        if project.find(*self.configs):
            return "its settings"
        told = project.json("package.json")
        return "package.json" if self.name in told or project.depends_on(self.name) else None

    def start(self, work: Work) -> Program:
        """Return what runs the tests; it answers on one stream and tells on the other."""
        words = ["--json", "--verbose", "--colors=false"]
        if work.filter:
            words.append(f"--testNamePattern={work.filter}")
        if work.coverage:
            words += ["--coverage", "--coverageReporters=text-summary"]
        home = self.home(work.project)
        words += [re.escape(each) for each in work.targets if each != home]
        return work.run(words, home)

    def home(self, project: Project) -> str:
        """Return where it runs."""
        return project.home_of(*self.configs, "package.json")

    def hear(self, work: Work, report: Report, stream: int, line: str) -> None:
        """Take the lines of tests that ended: all that is known when the time is up."""
        del work, stream
        if told := _LINE.match(line[:500]):
            outcome = _MARKS.get(told["mark"], "failed")
            report.add(Case(told["test"].removeprefix("skipped "), outcome))

    def finish(self, work: Work, report: Report, ran: Ran) -> None:
        """Take the answer, which knows all that the lines told."""
        take_answer(report, self.answer(ran), ran)
        if work.coverage:
            _covered(report, ran)

    def answer(self, ran: Ran) -> str:
        """Return the text of the answer."""
        return next((line for line in ran.text.splitlines() if line.startswith('{"num')), "")


class Vitest(Jest):
    """Tests of projects that use vitest."""

    name = "vitest"
    program = "vitest"
    install = "npm install --save-dev vitest"
    configs: tuple[str, ...] = (
        "vitest.config.ts", "vitest.config.js", "vitest.config.mts", "vitest.config.mjs",
        "vitest.workspace.ts",
    )  # fmt: skip

    def start(self, work: Work) -> Program:
        """Return what runs the tests, and prints its answer after all else."""
        script = (
            'f=$(mktemp) || exit 126; "$@" --outputFile.json="$f"; c=$?; '
            f'printf \'\\n\\036{work.word} \'; cat "$f"; echo; rm -f "$f"; exit $c'
        )
        words = ["run", "--reporter=verbose", "--reporter=json"]
        if work.filter:
            words.append(f"--testNamePattern={work.filter}")
        if work.coverage:
            words += ["--coverage.enabled", "--coverage.reporter=text-summary"]
        home = self.home(work.project)
        words += [each for each in work.targets if each != home]
        argv = ("sh", "-c", script, "test", work.program, *words)
        return Program(argv, home, env=QUIET, seconds=work.seconds)

    def answer(self, ran: Ran) -> str:
        """Return the text of the answer."""
        return ran.text.rpartition(MARK)[2].partition(" ")[2] if MARK in ran.text else ""


def take_answer(report: Report, text: str, ran: Ran) -> None:
    """Take what jest and vitest answer at their end; without an answer, what was told stays."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        if not report.cases and not ran.is_timed_out and ran.code != 0:
            report.trouble = ran.complaint
        return
    report.cases.clear()
    for file in _objects(told.get("testResults")):
        tests = _objects(file.get("assertionResults"))
        for test in tests:
            report.add(_case(test, str(file.get("name") or "")))
        if not tests and file.get("status") == "failed":
            name, message = str(file.get("name") or "?"), str(file.get("message") or "")
            report.add(Case(name, "error", message=shortened(message), file=name))


def _case(test: dict[str, Any], file: str) -> Case:
    outcome = _STATUS.get(str(test.get("status")), "skipped")
    above = test.get("ancestorTitles")
    titles = [*(above if isinstance(above, list) else []), test.get("title")]
    messages = test.get("failureMessages")
    message = str(messages[0]) if isinstance(messages, list) and messages else ""
    lines = [line for line in message.splitlines() if "node_modules" not in line]
    place = next((found for line in lines if (found := _PLACE.search(line.strip()))), None)
    milliseconds = test.get("duration")
    said = [line for line in lines if not line.strip().startswith("at ")]
    return Case(
        " > ".join(str(each) for each in titles if each),
        outcome,
        round(milliseconds / 1000, 3) if isinstance(milliseconds, int | float) else 0.0,
        shortened("\n".join(said)),
        place["file"] if place else file,
        int(place["line"]) if place else 0,
        few(lines) if outcome == "failed" else (),
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _covered(report: Report, ran: Ran) -> None:
    found = _SHARE.search(ran.text) or _SHARE.search(ran.errors.decode("utf-8", "replace"))
    try:
        percent = float(found["percent"]) if found else None
    except ValueError:
        percent = None
    if percent is None:
        report.coverage = {"missing": f"no coverage was told: {ran.complaint[-300:]}"}
    else:
        report.coverage = {"percent": percent}
