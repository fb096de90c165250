"""Python's types by pyright."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import (
    PYTHON,
    FixesNothing,
    Work,
    dicts,
    part,
    read_json,
    whole,
)
from hermes.services.checking.findings import Finding, Severity

_SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning", "information": "info"}


class Pyright(FixesNothing):
    """Types, where the project says that it is checked so."""

    name = "pyright"
    program = "pyright"
    suffixes: tuple[str, ...] = PYTHON
    install = "pip install pyright"
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check what is configured to be checked."""
        del is_snippet
        if project.find("pyrightconfig.json"):
            return "pyrightconfig.json"
        has_table = "pyright" in (project.toml("pyproject.toml").get("tool") or {})
        return "[tool.pyright] in pyproject.toml" if has_table else None

    def check(self, work: Work) -> Program:
        """Return what finds."""
        home = work.project.home_of("pyrightconfig.json", "pyproject.toml")
        if work.snippet is not None:
            return work.in_scratch(["--outputjson"], home)
        return work.run(["--outputjson", *work.files], home)

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found; its lines and columns count from 0."""
        del work
        found = []
        for each in dicts(read_json(ran, dict).get("generalDiagnostics")):
            start = part(part(each.get("range")).get("start"))
            found.append(
                Finding(
                    whole(str(each.get("file") or ""), "/"),
                    _from_one(start.get("line")),
                    _from_one(start.get("character")),
                    str(each.get("rule") or "syntax"),
                    str(each.get("message") or ""),
                    _SEVERITIES.get(str(each.get("severity")), "error"),
                    tool=self.name,
                )
            )
        return found


def _from_one(value: object) -> int:
    return value + 1 if isinstance(value, int) and value >= 0 else 1
