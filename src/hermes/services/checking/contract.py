"""What every linter and every formatter can do: one Protocol each, one file per tool."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from hermes.environments.programs import Program, Ran, Site
from hermes.environments.projects import Project
from hermes.services.checking.findings import Finding

SUFFIXES: Mapping[str, str] = {
    "python": ".py",
    "javascript": ".js",
    "jsx": ".jsx",
    "typescript": ".ts",
    "tsx": ".tsx",
    "bash": ".sh",
    "go": ".go",
    "rust": ".rs",
    "json": ".json",
    "yaml": ".yaml",
    "css": ".css",
    "html": ".html",
    "markdown": ".md",
}
"""How files of a language are named."""

PYTHON = (".py", ".pyi")
JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx")
TYPESCRIPT = (".ts", ".mts", ".cts", ".tsx")
SHELL = (".sh", ".bash")
_QUIET = {"NO_COLOR": "1", "FORCE_COLOR": "0", "CLICOLOR": "0", "CARGO_TERM_COLOR": "never"}


class Broken(Exception):
    """A tool did not do its work; says why in its own words."""


class Snippet(NamedTuple):
    """Code that is in no file."""

    name: str
    """What a file of it would be named."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Work:
    """What one tool is to look at."""

    site: Site
    project: Project
    program: str
    """Where the tool is."""
    targets: tuple[str, ...] = ()
    """The files and folders that were asked for."""
    files: tuple[str, ...] = ()
    """The files among and below them that are of its kind."""
    snippet: Snippet | None = None
    seconds: float = 300.0

    def run(self, argv: Sequence[str], cwd: str, stdin: bytes = b"") -> Program:
        """Return the tool with arguments, without colours."""
        return Program((self.program, *argv), cwd, stdin, _QUIET, self.seconds)

    def in_scratch(self, argv: Sequence[str], cwd: str) -> Program:
        """Return the tool on a file that holds the snippet, in a folder that it leaves behind."""
        assert self.snippet is not None
        script = (
            "d=$(mktemp -d) || exit 126; trap 'rm -rf \"$d\"' EXIT; n=$1; shift; "
            'cat >"$d/$n" && "$@" "$d/$n"'
        )
        words = ("sh", "-c", script, "check", self.snippet.name, self.program, *argv)
        return Program(words, cwd, self.snippet.data, _QUIET, self.seconds)

    def covers(self, path: str) -> bool:
        """Say whether a path was asked for; of a snippet, all is."""
        if self.snippet is not None or not self.targets:
            return True
        return any(path == each or path.startswith(each.rstrip("/") + "/") for each in self.targets)


class Tool(Protocol):
    """A program that looks at code, and when it does."""

    name: str
    program: str
    suffixes: tuple[str, ...]
    install: str
    """The command that a person installs it with."""
    runs_project_code: bool
    """Whether it runs what the project holds: settings that are programs, build scripts, macros."""
    snippets: bool
    """Whether it can look at code that is in no file."""
    is_whole: bool
    """Whether it looks at the whole project, whichever files it is asked about."""

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Say why it is used here; None when it is not."""


class Linter(Tool, Protocol):
    """Finds what is wrong with code."""

    def check(self, work: Work) -> Program:
        """Return what finds."""

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found.

        Raises:
            Broken: it did not do its work.
        """

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Return what prints a file with what it found fixed; None if findings tell the edits."""

    def fixed(self, ran: Ran) -> bytes | None:
        """Read the fixed file; None when there is nothing to fix."""


class Formatter(Tool, Protocol):
    """Brings code into form."""

    def check(self, work: Work) -> Program:
        """Return what names the files that are not in form."""

    def unformed(self, work: Work, ran: Ran) -> list[str]:
        """Read the names of the files that are not in form."""

    def trouble(self, ran: Ran) -> str:
        """Return why it could not do all of its work, in its own words; nothing if it could."""

    def format(self, work: Work, path: str, data: bytes) -> Program:
        """Return what prints a file in form."""


@dataclass(frozen=True, slots=True)
class Absent:
    """A tool that would be used here and is not."""

    name: str
    why: str
    install: str = ""

    def as_json(self) -> dict[str, str]:
        """Return it as a model reads it."""
        told = {"tool": self.name, "why": self.why}
        return told | ({"install": self.install} if self.install else {})


@dataclass(slots=True)
class Tally:
    """What came of all tools together."""

    findings: list[Finding] = field(default_factory=list)
    used: list[dict[str, Any]] = field(default_factory=list)
    absent: list[Absent] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)


def whole(path: str, folder: str) -> str:
    """Return a path that a tool named as seen from a folder."""
    return posixpath.normpath(posixpath.join(folder, path)) if path else ""


def number(value: Any) -> int:
    """Return a line or column, whatever a tool says it is."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 1


def read_json(ran: Ran, what: type[list[Any]] | type[dict[str, Any]]) -> Any:
    """Return a tool's answer.

    Raises:
        Broken: it is none.
    """
    try:
        value = json.loads(ran.output)
    except (ValueError, RecursionError) as error:
        raise Broken(ran.complaint or f"exit code {ran.code}, and no answer") from error
    if not isinstance(value, what):
        raise Broken(f"it answered something else: {ran.text[:200]}")
    return value


def dicts(value: Any) -> Iterable[dict[str, Any]]:
    """Yield the objects of a list; of anything else nothing."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def part(value: Any) -> dict[str, Any]:
    """Return an object; anything else counts as an empty one."""
    return value if isinstance(value, dict) else {}


class FixesNothing:
    """What tools share whose findings are for a person to think about."""

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Fix nothing."""
        del work, path, data
        return None

    def fixed(self, ran: Ran) -> bytes | None:
        """Have nothing."""
        del ran
        return None
