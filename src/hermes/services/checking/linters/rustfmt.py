"""The form of Rust by rustfmt."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import Broken, Work, whole
from hermes.services.checking.findings import Finding

INSTALL = "rustup component add rustfmt"
_EDITION = "2021"
_STDIN = ("stdin", "<stdin>")


def edition(project: Project) -> str:
    """Return which Rust a project is written in."""
    package = project.toml("Cargo.toml").get("package")
    found = package.get("edition") if isinstance(package, dict) else None
    return found if isinstance(found, str) else _EDITION


class Rustfmt:
    """Files that are not as rustfmt would write them."""

    name = "rustfmt"
    program = "rustfmt"
    suffixes: tuple[str, ...] = (".rs",)
    install = INSTALL
    runs_project_code = False
    snippets = True
    is_whole = False

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check all Rust."""
        del project, is_snippet
        return "Rust files"

    def check(self, work: Work) -> Program:
        """Return what finds."""
        words = ["--check", "-l", "--edition", edition(work.project)]
        if work.snippet is not None:
            return work.run(words, work.site.cwd, work.snippet.data)
        return work.run([*words, *work.files], work.project.folders[-1])

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read the names of files; it names each as often as it comes to it."""
        names = dict.fromkeys(line.strip() for line in ran.text.splitlines() if line.strip())
        found = [
            Finding(
                whole("" if name in _STDIN else name, work.project.folders[-1]),
                1,
                1,
                "rustfmt",
                "not formatted",
                "warning",
                True,
                self.name,
            )
            for name in names
        ]
        if ran.code != 0 and not found:
            raise Broken(ran.complaint)
        return found

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Return what prints a file in form."""
        del path
        words = ["--emit", "stdout", "--edition", edition(work.project)]
        return work.run(words, work.project.folders[-1], data)

    def fixed(self, ran: Ran) -> bytes | None:
        """Read the file in form."""
        return ran.output if ran.code == 0 else None
