"""Run pytest and tell of every test as it ends. Runs anywhere: nothing of hermes is imported."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from hermes.services.testing.inside.measuring import measuring, told


class Events:
    """A plugin that prints an object a line, on a stream that pytest does not capture."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._out = os.dup(1)

    def tell(self, **event: Any) -> None:
        """Print an event."""
        line = f"\x1e{self._word} {json.dumps(event)}\n"
        os.write(self._out, line.encode("utf-8", "replace"))

    def pytest_collection_finish(self, session: Any) -> None:
        """Tell how many tests there will be."""
        self.tell(event="expected", count=len(session.items))

    def pytest_collectreport(self, report: Any) -> None:
        """Tell of files that cannot be read, and of those that skip themselves."""
        if report.failed:
            self._case(report, report.nodeid, "error")
        elif report.skipped and report.nodeid.endswith(".py"):
            self._case(report, report.nodeid, "skipped")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tell that a test begins."""
        self.tell(event="start", test=nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Tell how a test ended, or what is around it."""
        if report.when == "call" or report.outcome != "passed":
            outcome = report.outcome
            if outcome == "failed" and report.when != "call":
                outcome = "error"
            self._case(report, report.nodeid, outcome)

    def _case(self, report: Any, test: str, outcome: str) -> None:
        path, line, message = _crash(report)
        is_broken = outcome in ("failed", "error")
        text = str(getattr(report, "longreprtext", "")) if is_broken else ""
        lines = [each for each in text.splitlines() if each[:1] in (">", "E")]
        output = getattr(report, "capstdout", "") + getattr(report, "capstderr", "")
        self.tell(
            event="case",
            test=test,
            outcome=outcome,
            seconds=getattr(report, "duration", 0.0),
            message=message or text[-2000:],
            file=path,
            line=line,
            lines=lines[-14:],
            output=output[-1000:] if is_broken else "",
        )

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Tell that pytest itself broke."""
        self.tell(event="trouble", text=str(excrepr)[-2000:])


def _crash(report: Any) -> tuple[str, int, str]:
    """Return where a test broke, in what is shown of its trace, and why."""
    found = report.longrepr
    if isinstance(found, tuple) and len(found) == 3:
        return str(found[0]), found[1] or 0, str(found[2])
    crash = getattr(found, "reprcrash", None)
    if crash is None:
        location = getattr(report, "location", None) or ("", 0)
        text = str(found or "")
        told = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
        line = (location[1] or 0) + 1 if location[0] else 0
        return str(location[0] or report.nodeid), line, told[-1] if told else text[-2000:]
    entries = getattr(getattr(found, "reprtraceback", None), "reprentries", None) or [None]
    place = getattr(entries[-1], "reprfileloc", None) or crash
    return os.path.abspath(str(place.path)), place.lineno, str(crash.message)[:3000]


def main() -> int:
    """Run the tests that the arguments name."""
    events = Events(sys.argv[1])
    try:
        import pytest
    except ImportError:
        events.tell(event="missing", module="pytest")
        return 3
    cov = measuring(events.tell, wanted=sys.argv[2] == "coverage")
    code = pytest.main(sys.argv[3:], plugins=[events])
    told(events.tell, cov)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
