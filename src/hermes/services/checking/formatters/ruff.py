"""Python by ruff."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import PYTHON, Work, whole
from hermes.services.checking.formatters.black import uses_black


class RuffFormat:
    """Python, unless the project is formatted by black."""

    name = "ruff"
    program = "ruff"
    suffixes: tuple[str, ...] = PYTHON
    install = "pip install ruff"
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Format all Python that black does not."""
        del is_snippet
        return None if uses_black(project) else "Python files"

    def check(self, work: Work) -> Program:
        """Return what names the files: as differences, a form that all versions have."""
        words = ["format", "--diff", "--no-cache", "--force-exclude", "--", *work.targets]
        return work.run(words, work.project.folders[-1])

    def unformed(self, work: Work, ran: Ran) -> list[str]:
        """Read the heads of the differences."""
        lines = ran.text.splitlines()
        return [
            whole(first[4:], work.project.folders[-1])
            for first, second, third in zip(lines, lines[1:], lines[2:], strict=False)
            if first.startswith("--- ") and second == f"+++ {first[4:]}" and third.startswith("@@ ")
        ]

    def trouble(self, ran: Ran) -> str:
        """Return why some files could not be read."""
        return "" if ran.code in (0, 1) else ran.errors.decode("utf-8", "replace").strip()

    def format(self, work: Work, path: str, data: bytes) -> Program:
        """Return what prints a file in form."""
        words = ["format", "--no-cache", "--stdin-filename", path, "-"]
        return work.run(words, work.project.folders[-1], data)
