"""Which tools there are, and which of them a project uses."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from hermes.environments.programs import Site
from hermes.environments.projects import Project, Search, look
from hermes.services.checking.contract import Absent, Formatter, Linter, Snippet, Tool, Work
from hermes.services.checking.formatters.black import Black
from hermes.services.checking.formatters.gofmt import GofmtFormat
from hermes.services.checking.formatters.prettier import CONFIGS as PRETTIER
from hermes.services.checking.formatters.prettier import Prettier
from hermes.services.checking.formatters.ruff import RuffFormat
from hermes.services.checking.formatters.rustfmt import RustfmtFormat
from hermes.services.checking.linters.clippy import Clippy
from hermes.services.checking.linters.eslint import CONFIGS as ESLINT
from hermes.services.checking.linters.eslint import Eslint
from hermes.services.checking.linters.gofmt import Gofmt
from hermes.services.checking.linters.govet import GoVet
from hermes.services.checking.linters.mypy import Mypy
from hermes.services.checking.linters.pyright import Pyright
from hermes.services.checking.linters.ruff import Ruff
from hermes.services.checking.linters.rustfmt import Rustfmt
from hermes.services.checking.linters.shellcheck import Shellcheck
from hermes.services.checking.linters.tsc import Tsc

LINTERS: tuple[Linter, ...] = (
    Ruff(), Mypy(), Pyright(), Eslint(), Tsc(), Shellcheck(), Gofmt(), GoVet(), Rustfmt(), Clippy(),
)  # fmt: skip
FORMATTERS: tuple[Formatter, ...] = (
    RuffFormat(), Black(), Prettier(), GofmtFormat(), RustfmtFormat(),
)  # fmt: skip

SEARCH = Search(
    settings=(
        "pyproject.toml", "setup.cfg", "mypy.ini", ".mypy.ini", "pyrightconfig.json",
        "package.json", "tsconfig.json", "go.mod", "Cargo.toml", *ESLINT, *PRETTIER,
    ),
    texts=("pyproject.toml", "setup.cfg", "package.json", "Cargo.toml"),
    programs=tuple(sorted({each.program for each in [*LINTERS, *FORMATTERS]})),
)  # fmt: skip
MARKERS = ("pyproject.toml", "package.json", "tsconfig.json", "go.mod", "Cargo.toml")
_MOST_BELOW = 12
_MOST_ARGUMENTS = 60_000
_REFUSED = "it runs code of the project, and the permission profile does not allow code:execute"


class Chosen(NamedTuple):
    """Which tools are used, each with its work, and which would be."""

    used: list[tuple[int, Work]]
    """Places in the list of tools; a tool may have several pieces of work."""
    absent: list[Absent]


async def look_around(site: Site, targets: tuple[str, ...]) -> list[Project]:
    """Return the project of some paths, and projects below them that have settings of their own."""
    first = await look(site, targets, SEARCH)
    below: dict[str, None] = {}
    for marker in MARKERS:
        if first.find(marker) is None:
            below |= dict.fromkeys(_outermost(first.files, marker))
    folders = list(below)[:_MOST_BELOW]
    return [first, *[await look(site, (folder,), SEARCH) for folder in folders]]


def _outermost(files: Iterable[str], marker: str) -> Iterator[str]:
    """Yield the folders that have a file of this name, without those below another one."""
    found: list[str] = []
    folders = [posixpath.dirname(each) for each in files if posixpath.basename(each) == marker]
    for folder in sorted(folders, key=len):
        if not any(folder.startswith(f"{outer}/") for outer in found):
            found.append(folder)
            yield folder


def choose(
    tools: Sequence[Tool],
    site: Site,
    projects: Sequence[Project],
    targets: tuple[str, ...],
    snippet: Snippet | None = None,
) -> Chosen:
    """Return which of some tools are used: by the first project, or else by those below it."""
    chosen = Chosen([], [])
    for place, tool in enumerate(tools):
        if snippet is not None and not (tool.snippets and snippet.name.endswith(tool.suffixes)):
            continue
        for project in projects:
            files = project.with_suffix(tool.suffixes)
            reason = tool.reason(project, is_snippet=snippet is not None)
            if reason is None or not (files or snippet):
                continue
            mine = targets if project is projects[0] else (project.folders[0],)
            work = Work(site, project, "", mine, files, snippet)
            if not _add(chosen, place, tool, reason, work) or project is projects[0]:
                break
    return chosen


def _add(chosen: Chosen, place: int, tool: Tool, reason: str, work: Work) -> bool:
    """Have a tool do some work, or note why it cannot."""
    program = work.project.programs.get(tool.program)
    if tool.runs_project_code and not work.site.runs_project_code:
        chosen.absent.append(Absent(tool.name, _REFUSED))
        return False
    if program is None:
        why = f"it is not installed, and is used for: {reason}"
        chosen.absent.append(Absent(tool.name, why, tool.install))
        return False
    work = replace(work, program=program)
    is_one = work.snippet is not None or tool.is_whole
    pieces = [work] if is_one else [replace(work, files=each) for each in _pieces(work.files)]
    chosen.used.extend((place, piece) for piece in pieces)
    return True


def _pieces(files: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield files in groups that fit into the arguments of one program."""
    group: list[str] = []
    size = 0
    for path in files:
        if size + len(path) > _MOST_ARGUMENTS and group:
            yield tuple(group)
            group, size = [], 0
        group.append(path)
        size += len(path) + 3
    if group:
        yield tuple(group)
