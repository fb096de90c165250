"""Tell what came of a run: the numbers, and of failures what matters."""

from __future__ import annotations

from typing import Any

from hermes.environments.programs import Ran
from hermes.services.testing.contract import Case, Report, Runner, Work

_MOST_FAILURES = 30
_MOST_SLOW = 5
_SLOW_SECONDS = 0.05


def answer(runner: Runner, work: Work, report: Report, ran: Ran) -> dict[str, Any]:
    """Return a run as a model reads it."""
    broken = [case for case in report.cases.values() if case.outcome in ("failed", "error")]
    told: dict[str, Any] = {
        "ok": bool(report.cases) and not broken and not ran.is_timed_out and not report.trouble,
        "runner": runner.name,
        "passed": report.count("passed"),
        "failed": report.count("failed"),
        "errors": report.count("error"),
        "skipped": report.count("skipped"),
        "seconds": round(ran.seconds, 2),
    }
    if told["ok"] and ran.code != 0:
        told |= {"ok": False, "exit_code": ran.code, "output": ran.complaint}
    if broken:
        told["failures"] = [_failure(case, work) for case in broken[:_MOST_FAILURES]]
    if len(broken) > _MOST_FAILURES:
        told["failures_not_shown"] = len(broken) - _MOST_FAILURES
    if slowest := _slowest(report):
        told["slowest"] = slowest
    return told | _rest(work, report, ran)


def _rest(work: Work, report: Report, ran: Ran) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if ran.is_timed_out:
        told["timed_out"] = f"stopped after {work.seconds:g} s; these are the tests that had ended"
        told["running"] = list(report.running)[-5:]
        if report.expected > len(report.cases):
            told["not_run"] = report.expected - len(report.cases)
    if report.coverage:
        told["coverage"] = _coverage(report.coverage, work)
    if report.trouble:
        told["error"] = report.trouble
    elif not report.cases and not ran.is_timed_out:
        told["note"] = "no test was run"
        told["output"] = ran.complaint
    if ran.denied_by:
        told["denied_by"] = ran.denied_by
    return told


def _failure(case: Case, work: Work) -> dict[str, Any]:
    told: dict[str, Any] = {"test": case.test, "outcome": case.outcome, "message": case.message}
    if case.file:
        told["file"] = work.site.shown(case.file)
    if case.line:
        told["line"] = case.line
    if case.lines:
        told["lines"] = list(case.lines)
    if case.output:
        told["output"] = case.output
    return told


def _slowest(report: Report) -> list[dict[str, Any]]:
    slow = [case for case in report.cases.values() if case.seconds >= _SLOW_SECONDS]
    slow.sort(key=lambda case: -case.seconds)
    return [{"test": case.test, "seconds": case.seconds} for case in slow[:_MOST_SLOW]]


def _coverage(coverage: dict[str, Any], work: Work) -> dict[str, Any]:
    files = coverage.get("files")
    if not isinstance(files, list):
        return coverage
    shown = [
        {**each, "file": work.site.shown(str(each.get("file")))}
        for each in files
        if isinstance(each, dict)
    ]
    return {**coverage, "files": shown}
