"""Python by ruff."""

from __future__ import annotations

import posixpath

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import (
    PYTHON,
    Broken,
    Work,
    dicts,
    number,
    part,
    read_json,
    whole,
)
from hermes.services.checking.findings import Finding


class Ruff:
    """Style and faults of Python; it reads the project's settings and runs nothing of it."""

    name = "ruff"
    program = "ruff"
    suffixes: tuple[str, ...] = PYTHON
    install = "pip install ruff"
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check all Python."""
        del project, is_snippet
        return "Python files"

    def check(self, work: Work) -> Program:
        """Return what finds."""
        words = ["check", "--output-format=json", "--no-cache", "--force-exclude"]
        if work.snippet is not None:
            name = posixpath.join(work.site.cwd, work.snippet.name)
            return work.run(
                [*words, "--stdin-filename", name, "-"], work.site.cwd, work.snippet.data
            )
        return work.run([*words, "--", *work.targets], work.project.folders[-1])

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found."""
        if ran.code not in (0, 1):
            raise Broken(ran.complaint)
        return [
            Finding(
                whole(str(each.get("filename") or ""), work.project.folders[-1]),
                number(part(each.get("location")).get("row")),
                number(part(each.get("location")).get("column")),
                str(each.get("code") or "invalid-syntax"),
                str(each.get("message") or ""),
                "error",
                part(each.get("fix")).get("applicability") == "safe",
                self.name,
            )
            for each in dicts(read_json(ran, list))
        ]

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Return what prints a fixed file."""
        words = ["check", "--fix-only", "--quiet", "--no-cache", "--stdin-filename", path, "-"]
        return work.run(words, work.project.folders[-1], data)

    def fixed(self, ran: Ran) -> bytes | None:
        """Read the fixed file."""
        return ran.output if ran.code == 0 else None
