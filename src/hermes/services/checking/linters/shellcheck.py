"""Shell scripts by shellcheck."""

from __future__ import annotations

from typing import Any

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import (
    SHELL,
    Broken,
    Work,
    dicts,
    number,
    part,
    read_json,
    whole,
)
from hermes.services.checking.findings import Finding, Severity, Spot

_SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning"}


class Shellcheck:
    """Faults of shell scripts."""

    name = "shellcheck"
    program = "shellcheck"
    suffixes: tuple[str, ...] = SHELL
    install = "apt install shellcheck"
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check all shell scripts."""
        del project, is_snippet
        return "shell scripts"

    def check(self, work: Work) -> Program:
        """Return what finds."""
        if work.snippet is not None:
            words = ["--format=json1", "--shell=bash", "-"]
            return work.run(words, work.site.cwd, work.snippet.data)
        return work.run(["--format=json1", "--", *work.files], work.project.folders[-1])

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found."""
        if ran.code not in (0, 1):
            raise Broken(ran.complaint)
        found = []
        for each in dicts(read_json(ran, dict).get("comments")):
            spots = tuple(_spot(one) for one in dicts(part(each.get("fix")).get("replacements")))
            found.append(
                Finding(
                    whole(str(each.get("file") or ""), work.project.folders[-1]),
                    number(each.get("line")),
                    number(each.get("column")),
                    f"SC{each.get('code')}",
                    str(each.get("message") or ""),
                    _SEVERITIES.get(str(each.get("level")), "info"),
                    bool(spots),
                    self.name,
                    spots,
                )
            )
        return found

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Leave it to the edits of the findings."""
        del work, path, data
        return None

    def fixed(self, ran: Ran) -> bytes | None:
        """Have nothing."""
        del ran
        return None


def _spot(told: dict[str, Any]) -> Spot:
    line, end = number(told.get("line")), number(told.get("endLine"))
    rank = told.get("precedence")
    return Spot(
        line,
        number(told.get("column")),
        end,
        number(told.get("endColumn")),
        str(told.get("replacement") or ""),
        rank if isinstance(rank, int) else 0,
    )
