"""What came of the checks on an environment: a table for people, a mapping for programs."""

from __future__ import annotations

from typing import Any

from hermes.app.trying import group
from hermes.base.text import plural
from hermes.cli import output
from hermes.environments.conformance import Check, Finding

_VERDICTS = ("passed", "failed", "not offered")


class Report:
    """The findings on one environment."""

    def __init__(
        self, name: str, checks: list[Check], findings: list[Finding], seconds: float
    ) -> None:
        self._name, self._seconds = name, seconds
        self._pairs = list(zip(checks, findings, strict=True))
        self.failed = [pair for pair in self._pairs if pair[1].verdict == "failed"]

    def _count(self, verdict: str, of: str | None = None) -> int:
        return sum(
            finding.verdict == verdict and of in (None, group(check))
            for check, finding in self._pairs
        )

    def as_dict(self) -> dict[str, Any]:
        """Return all of it."""
        return {
            "environment": self._name,
            "ok": not self.failed,
            **{verdict.replace(" ", "_"): self._count(verdict) for verdict in _VERDICTS},
            "seconds": round(self._seconds, 1),
            "checks": [
                {
                    "name": check.name,
                    "group": group(check),
                    "promise": check.promise,
                    "verdict": finding.verdict,
                    "why": finding.why or None,
                    "seconds": round(finding.seconds, 3),
                }
                for check, finding in self._pairs
            ],
        }

    def show(self) -> None:
        """Print it: by group on a terminal, every check elsewhere."""
        if not output.is_terminal():
            output.print_table((), ((c.name, f.verdict, f.why) for c, f in self._pairs))
            return
        output.print_table(("about", *_VERDICTS, "seconds"), self._rows())
        output.print_lines(["", *self._failures(), self._sum()])

    def _rows(self) -> list[tuple[str, ...]]:
        rows = []
        for name in dict.fromkeys(group(check) for check, _ in self._pairs):
            seconds = sum(f.seconds for check, f in self._pairs if group(check) == name)
            counts = (str(self._count(verdict, name) or "") for verdict in _VERDICTS)
            rows.append((name, *counts, f"{seconds:.1f}"))
        return rows

    def _failures(self) -> list[str]:
        lines = []
        for check, finding in self.failed:
            lines += [f"failed: {check.name}: {check.promise}", f"        {finding.why}", ""]
        return lines

    def _sum(self) -> str:
        passed = f"{self._name} passed {plural(self._count('passed'), 'check')}"
        more = [f"failed {len(self.failed)}"] if self.failed else []
        if missing := self._count("not offered"):
            more.append(f"does not offer {missing}")
        return f"{', '.join([passed, *more])} in {self._seconds:.1f} s."
