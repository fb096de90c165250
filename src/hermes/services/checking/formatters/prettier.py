"""JavaScript, TypeScript and what is written beside them by prettier."""

from __future__ import annotations

import posixpath

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import JAVASCRIPT, TYPESCRIPT, Work, whole

CONFIGS = (
    ".prettierrc", ".prettierrc.json", ".prettierrc.yml", ".prettierrc.yaml", ".prettierrc.json5",
    ".prettierrc.js", ".prettierrc.cjs", ".prettierrc.mjs", ".prettierrc.toml",
    "prettier.config.js", "prettier.config.cjs", "prettier.config.mjs",
)  # fmt: skip


class Prettier:
    """What prettier knows, in projects that use it; settings and plugins may be programs."""

    name = "prettier"
    program = "prettier"
    suffixes: tuple[str, ...] = (
        *JAVASCRIPT, *TYPESCRIPT, ".json", ".css", ".scss", ".less", ".html", ".vue", ".md",
        ".yaml", ".yml", ".graphql",
    )  # fmt: skip
    install = "npm install --save-dev prettier"
    runs_project_code = True
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Format what is configured so, JavaScript and TypeScript, and any snippet."""
        if path := project.find(*CONFIGS):
            return posixpath.basename(path)
        if "prettier" in project.json("package.json") or project.depends_on("prettier"):
            return "package.json"
        if is_snippet:
            return "code that it knows"
        is_script = bool(project.with_suffix((*JAVASCRIPT, *TYPESCRIPT)))
        return "JavaScript and TypeScript files" if is_script else None

    def check(self, work: Work) -> Program:
        """Return what names the files; without settings, only scripts are its business."""
        is_configured = self._is_configured(work.project)
        files = work.files if is_configured else _scripts(work.files)
        words = ["--list-different", "--ignore-unknown", "--", *files]
        return work.run(words, _home(work.project))

    def _is_configured(self, project: Project) -> bool:
        told = project.json("package.json")
        return bool(project.find(*CONFIGS)) or "prettier" in told or project.depends_on("prettier")

    def unformed(self, work: Work, ran: Ran) -> list[str]:
        """Read the names of the files."""
        folder = _home(work.project)
        return [whole(line, folder) for line in ran.text.splitlines() if line.strip()]

    def trouble(self, ran: Ran) -> str:
        """Return why some files could not be read."""
        return "" if ran.code in (0, 1) else ran.complaint

    def format(self, work: Work, path: str, data: bytes) -> Program:
        """Return what prints a file in form."""
        return work.run(["--stdin-filepath", path], _home(work.project), data)


def _scripts(files: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in files if path.endswith((*JAVASCRIPT, *TYPESCRIPT)))


def _home(project: Project) -> str:
    return project.home_of(*CONFIGS, "package.json")
