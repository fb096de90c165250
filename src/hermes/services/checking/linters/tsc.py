"""TypeScript's types by its compiler."""

from __future__ import annotations

import re

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import TYPESCRIPT, Broken, FixesNothing, Work, whole
from hermes.services.checking.findings import Finding

_LINE = re.compile(
    r"^(?:(?P<file>[^\n(][^\n]*?)\((?P<line>\d{1,9}),(?P<column>\d{1,9})\): )?"
    r"(?P<kind>error|warning) (?P<rule>TS\d{1,9}): (?P<message>.*)$"
)


class Tsc(FixesNothing):
    """Types: of a whole project by its tsconfig.json, or of a snippet alone."""

    name = "tsc"
    program = "tsc"
    suffixes: tuple[str, ...] = TYPESCRIPT
    install = "npm install --save-dev typescript"
    runs_project_code = False
    snippets = True
    is_whole = True

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check projects that are configured, and snippets."""
        if project.find("tsconfig.json"):
            return "tsconfig.json"
        return "TypeScript code" if is_snippet else None

    def check(self, work: Work) -> Program:
        """Return what finds."""
        words = ["--noEmit", "--pretty", "false"]
        if work.snippet is not None:
            return work.in_scratch([*words, "--strict", "--skipLibCheck"], work.site.cwd)
        return work.run([*words, "--incremental", "false"], _home(work.project))

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found: a line each, with further lines that are set in."""
        folder = work.site.cwd if work.snippet is not None else _home(work.project)
        found = [
            Finding(
                whole(told["file"] or "", folder),
                int(told["line"] or 1),
                int(told["column"] or 1),
                told["rule"],
                told["message"],
                "error" if told["kind"] == "error" else "warning",
                tool=self.name,
            )
            for told in map(_LINE.match, ran.text.splitlines())
            if told is not None
        ]
        if ran.code != 0 and not found:
            raise Broken(ran.complaint)
        return found


def _home(project: Project) -> str:
    return project.home_of("tsconfig.json")
