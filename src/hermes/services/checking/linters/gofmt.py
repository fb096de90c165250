"""The form of Go by gofmt."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import Broken, Work, whole
from hermes.services.checking.findings import Finding

INSTALL = "install Go from https://go.dev/dl (apt install golang-go)"


class Gofmt:
    """Files that are not as gofmt would write them, and those that it cannot read."""

    name = "gofmt"
    program = "gofmt"
    suffixes: tuple[str, ...] = (".go",)
    install = INSTALL
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check all Go."""
        del project, is_snippet
        return "Go files"

    def check(self, work: Work) -> Program:
        """Return what finds."""
        if work.snippet is not None:
            return work.run(["-l"], work.site.cwd, work.snippet.data)
        return work.run(["-l", *work.files], work.project.folders[-1])

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read the names of files, and on the other stream what cannot be read."""
        folder = work.project.folders[-1]
        found = [
            Finding(whole(line, folder), 1, 1, "gofmt", "not formatted", "warning", True, self.name)
            for line in ran.text.splitlines()
            if line.strip()
        ]
        for line in ran.errors.decode("utf-8", "replace").splitlines():
            file, _, rest = line.partition(":")
            row, _, rest = rest.partition(":")
            column, _, message = rest.partition(":")
            if row.isdecimal() and column.isdecimal() and len(row) < 10 and len(column) < 10:
                place = whole(file, folder), int(row), int(column)
                found.append(Finding(*place, "syntax", message.strip(), tool=self.name))
        if ran.code != 0 and not found:
            raise Broken(ran.complaint)
        return found

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Return what prints a file in form."""
        del path
        return work.run([], work.project.folders[-1], data)

    def fixed(self, ran: Ran) -> bytes | None:
        """Read the file in form."""
        return ran.output if ran.code == 0 else None
