"""Faults of Go by go vet."""

from __future__ import annotations

import re

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import Broken, FixesNothing, Work, whole
from hermes.services.checking.findings import Finding
from hermes.services.checking.linters.gofmt import INSTALL

_LINE = re.compile(
    r"^(?:vet: )?(?P<file>[^:\n]+\.go):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? (?P<message>.+)$"
)


class GoVet(FixesNothing):
    """What go vet suspects in a module; it compiles what the module holds."""

    name = "go vet"
    program = "go"
    suffixes: tuple[str, ...] = (".go",)
    install = INSTALL
    runs_project_code = True
    snippets = False
    is_whole = True

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check modules."""
        del is_snippet
        return "go.mod" if project.find("go.mod") else None

    def check(self, work: Work) -> Program:
        """Return what finds."""
        return work.run(["vet", "./..."], work.project.home_of("go.mod"))

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found: a line each, on the stream of errors."""
        folder = work.project.home_of("go.mod")
        told = [_LINE.match(line) for line in ran.errors.decode("utf-8", "replace").splitlines()]
        found = [
            Finding(
                whole(each["file"], folder),
                int(each["line"]),
                int(each["column"] or 1),
                "vet",
                each["message"],
                tool=self.name,
            )
            for each in told
            if each is not None
        ]
        if ran.code != 0 and not found:
            raise Broken(ran.complaint)
        return found
