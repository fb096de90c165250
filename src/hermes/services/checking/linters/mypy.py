"""Python's types by mypy."""

from __future__ import annotations

import json

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import PYTHON, Broken, FixesNothing, Work, number, whole
from hermes.services.checking.findings import Finding, Severity

_CONFIGURED = ("mypy.ini", ".mypy.ini")
_SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning", "note": "info"}


class Mypy(FixesNothing):
    """Types, where the project says that it is checked so; plugins are the project's code."""

    name = "mypy"
    program = "mypy"
    suffixes: tuple[str, ...] = PYTHON
    install = "pip install mypy"
    runs_project_code = True
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check what is configured to be checked."""
        del is_snippet
        if project.find(*_CONFIGURED):
            return "mypy.ini"
        if "mypy" in (project.toml("pyproject.toml").get("tool") or {}):
            return "[tool.mypy] in pyproject.toml"
        return "[mypy] in setup.cfg" if "[mypy]" in project.text("setup.cfg") else None

    def check(self, work: Work) -> Program:
        """Return what finds, in a cache of its own: the workspace may be read-only."""
        words = ["--output=json", "--no-error-summary", "--cache-dir=/tmp/mypy-cache"]
        words += ["--no-pretty", "--show-column-numbers"]
        if work.snippet is not None:
            return work.in_scratch(words, _home(work.project))
        return work.run([*words, "--", *work.files], _home(work.project))

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found: an object a line."""
        found = []
        for line in ran.text.splitlines():
            try:
                told = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(told, dict):
                continue
            path = whole(str(told.get("file") or ""), _home(work.project))
            column = told.get("column")
            found.append(
                Finding(
                    path,
                    number(told.get("line")),
                    column + 1 if isinstance(column, int) and column >= 0 else 1,
                    str(told.get("code") or "error"),
                    str(told.get("message") or ""),
                    _SEVERITIES.get(str(told.get("severity")), "error"),
                    tool=self.name,
                )
            )
        if ran.code not in (0, 1) and not found:
            raise Broken(ran.complaint)
        return found


def _home(project: Project) -> str:
    return project.home_of(*_CONFIGURED, "pyproject.toml", "setup.cfg")
