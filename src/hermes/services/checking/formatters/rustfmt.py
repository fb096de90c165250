"""Rust by rustfmt."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import Work, whole
from hermes.services.checking.linters.rustfmt import INSTALL, edition


class RustfmtFormat:
    """Rust."""

    name = "rustfmt"
    program = "rustfmt"
    suffixes: tuple[str, ...] = (".rs",)
    install = INSTALL
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Format all Rust."""
        del project, is_snippet
        return "Rust files"

    def check(self, work: Work) -> Program:
        """Return what names the files."""
        words = ["--check", "-l", "--edition", edition(work.project), *work.files]
        return work.run(words, work.project.folders[-1])

    def unformed(self, work: Work, ran: Ran) -> list[str]:
        """Read the names of the files; it names each as often as it comes to it."""
        names = dict.fromkeys(line.strip() for line in ran.text.splitlines() if line.strip())
        return [whole(name, work.project.folders[-1]) for name in names]

    def trouble(self, ran: Ran) -> str:
        """Return why some files could not be read."""
        said = ran.errors.decode("utf-8", "replace")
        return said.strip()[-1_500:] if "error" in said else ""

    def format(self, work: Work, path: str, data: bytes) -> Program:
        """Return what prints a file in form."""
        del path
        words = ["--emit", "stdout", "--edition", edition(work.project)]
        return work.run(words, work.project.folders[-1], data)
