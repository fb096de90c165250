"""Go by gofmt."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import Work, whole
from hermes.services.checking.linters.gofmt import INSTALL


class GofmtFormat:
    """Go."""

    name = "gofmt"
    program = "gofmt"
    suffixes: tuple[str, ...] = (".go",)
    install = INSTALL
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Format all Go."""
        del project, is_snippet
        return "Go files"

    def check(self, work: Work) -> Program:
        """Return what names the files."""
        return work.run(["-l", *work.files], work.project.folders[-1])

    def unformed(self, work: Work, ran: Ran) -> list[str]:
        """Read the names of the files."""
        folder = work.project.folders[-1]
        return [whole(line, folder) for line in ran.text.splitlines() if line.strip()]

    def trouble(self, ran: Ran) -> str:
        """Return why some files could not be read."""
        return ran.errors.decode("utf-8", "replace").strip()

    def format(self, work: Work, path: str, data: bytes) -> Program:
        """Return what prints a file in form."""
        del path
        return work.run([], work.project.folders[-1], data)
