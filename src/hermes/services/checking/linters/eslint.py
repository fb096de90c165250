"""JavaScript and TypeScript by eslint."""

from __future__ import annotations

import posixpath

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import (
    JAVASCRIPT,
    TYPESCRIPT,
    Broken,
    Work,
    dicts,
    number,
    read_json,
    whole,
)
from hermes.services.checking.findings import Finding

CONFIGS = (
    "eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts",
    ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.yaml", ".eslintrc.yml", ".eslintrc.json",
    ".eslintrc",
)  # fmt: skip


class Eslint:
    """Style and faults, where the project has settings for it: those are programs of its own."""

    name = "eslint"
    program = "eslint"
    suffixes: tuple[str, ...] = (*JAVASCRIPT, *TYPESCRIPT)
    install = "npm install --save-dev eslint"
    runs_project_code = True
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check what is configured to be checked."""
        del is_snippet
        if path := project.find(*CONFIGS):
            return posixpath.basename(path)
        return "eslintConfig" if "eslintConfig" in project.json("package.json") else None

    def check(self, work: Work) -> Program:
        """Return what finds."""
        words = ["--format=json"]
        if work.snippet is not None:
            home = _home(work.project)
            name = posixpath.join(home, work.snippet.name)
            stdin = [*words, "--stdin", "--stdin-filename", name]
            return work.run(stdin, home, work.snippet.data)
        return work.run(
            [*words, "--no-error-on-unmatched-pattern", *work.files], _home(work.project)
        )

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found."""
        if ran.code not in (0, 1):
            raise Broken(ran.complaint)
        return [
            Finding(
                whole(str(file.get("filePath") or ""), _home(work.project)),
                number(each.get("line")),
                number(each.get("column")),
                str(each.get("ruleId") or "syntax"),
                str(each.get("message") or ""),
                "warning" if each.get("severity") == 1 else "error",
                each.get("fix") is not None,
                self.name,
            )
            for file in dicts(read_json(ran, list))
            for each in dicts(file.get("messages"))
        ]

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Return what prints a fixed file, within its answer."""
        words = ["--format=json", "--fix-dry-run", "--stdin", "--stdin-filename", path]
        return work.run(words, _home(work.project), data)

    def fixed(self, ran: Ran) -> bytes | None:
        """Read the fixed file."""
        for file in dicts(read_json(ran, list)):
            if isinstance(file.get("output"), str):
                return str(file["output"]).encode("utf-8", "surrogatepass")
        return None


def _home(project: Project) -> str:
    return project.home_of(*CONFIGS, "package.json")
