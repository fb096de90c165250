"""Python by black."""

from __future__ import annotations

import re

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import PYTHON, Work, whole

_WOULD = re.compile(r"^would reformat (?P<file>.+)$", re.MULTILINE)


def uses_black(project: Project) -> bool:
    """Say whether a project's settings are black's and not those of ruff's formatter."""
    tools = project.toml("pyproject.toml").get("tool")
    if not isinstance(tools, dict) or "black" not in tools:
        return False
    ruff = tools.get("ruff")
    return not (isinstance(ruff, dict) and "format" in ruff)


class Black:
    """Python, where the project has settings for black."""

    name = "black"
    program = "black"
    suffixes: tuple[str, ...] = PYTHON
    install = "pip install black"
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Format what is configured so."""
        del is_snippet
        return "[tool.black] in pyproject.toml" if uses_black(project) else None

    def check(self, work: Work) -> Program:
        """Return what names the files."""
        return work.run(["--check", "--", *work.targets], _home(work.project))

    def unformed(self, work: Work, ran: Ran) -> list[str]:
        """Read the names of the files."""
        told = ran.errors.decode("utf-8", "replace")
        return [whole(each["file"], _home(work.project)) for each in _WOULD.finditer(told)]

    def trouble(self, ran: Ran) -> str:
        """Return why some files could not be read."""
        if ran.code in (0, 1):
            return ""
        said = ran.errors.decode("utf-8", "replace").splitlines()
        return "\n".join(line for line in said if line.startswith("error:")) or ran.complaint

    def format(self, work: Work, path: str, data: bytes) -> Program:
        """Return what prints a file in form."""
        words = ["--quiet", "--stdin-filename", path, "-"]
        return work.run(words, _home(work.project), data)


def _home(project: Project) -> str:
    return project.home_of("pyproject.toml")
