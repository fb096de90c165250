"""Look at a project from inside its environment: its settings, its programs, its files."""

from __future__ import annotations

import json
import posixpath
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Any, NamedTuple

from hermes.base.errors import ToolError
from hermes.environments.programs import Program, Site, run

LOCAL_PROGRAMS = (".venv/bin", "venv/bin", "node_modules/.bin")
"""Where projects keep programs of their own."""
_MOST_FOLDERS = 12
_LONGEST_TEXT = 400_000
_MOST_NAMES = 2_000_000
_LOOK_SECONDS = 30.0
_PRUNED = (
    ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", "target", "dist",
    "build", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache", "vendor", ".next", ".cache",
)  # fmt: skip


class Search(NamedTuple):
    """What is looked for."""

    settings: tuple[str, ...]
    """Names of files that tell which programs a project uses."""
    texts: tuple[str, ...]
    """Those of them whose contents matter."""
    programs: tuple[str, ...]
    needs_names: bool = True
    """Whether the files below the targets are to be listed."""


@dataclass(frozen=True, slots=True)
class Project:
    """What was seen of a project: from the target's folder up to the workspace."""

    folders: tuple[str, ...]
    """The folder of the targets first, those around it after."""
    settings: frozenset[str] = frozenset()
    """Whole paths of the files that were looked for and are there."""
    texts: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    """Where a program is: the project's own before the machine's."""
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """All places where a program is, in that order."""
    files: tuple[str, ...] = ()
    """Whole paths of the files below the targets."""

    def find(self, *names: str) -> str | None:
        """Return the path of the nearest of some files, or None."""
        for folder in self.folders:
            for name in names:
                path = posixpath.join(folder, name)
                if path in self.settings:
                    return path
        return None

    def text(self, name: str) -> str:
        """Return what the nearest file of a name holds, or nothing."""
        path = self.find(name)
        return self.texts.get(path, "") if path else ""

    def toml(self, name: str) -> dict[str, Any]:
        """Return the nearest TOML file of a name as a value; one that is broken has nothing."""
        try:
            return tomllib.loads(self.text(name))
        except tomllib.TOMLDecodeError:
            return {}

    def json(self, name: str) -> dict[str, Any]:
        """Return the nearest JSON file of a name as a value; one that is broken has nothing."""
        try:
            value = json.loads(self.text(name) or "{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def home_of(self, *names: str) -> str:
        """Return the folder of the nearest of some files; without one, the nearest folder."""
        path = self.find(*names)
        return posixpath.dirname(path) if path else self.folders[0]

    def depends_on(self, package: str) -> bool:
        """Say whether package.json names a package."""
        told = self.json("package.json")
        return any(
            package in told[part]
            for part in ("dependencies", "devDependencies", "peerDependencies")
            if isinstance(told.get(part), dict)
        )

    def with_suffix(self, suffixes: Iterable[str]) -> tuple[str, ...]:
        """Return the files that end so."""
        ends = tuple(suffixes)
        return tuple(path for path in self.files if path.endswith(ends))


def is_own(path: str, site: Site) -> bool:
    """Say whether a program lies in the workspace, where a task may have put it."""
    return path.startswith(site.root.rstrip("/") + "/")


async def look(site: Site, targets: Sequence[str], search: Search) -> Project:
    """Return what can be seen of the project that some paths belong to.

    Raises:
        ToolError: the environment cannot be looked at.
    """
    start = posixpath.commonpath(targets) if targets else site.cwd
    folders = _folders(start, site.root)
    script = _script(site, folders, targets, search)
    ran = await run(
        site.environment,
        Program(("sh", "-c", script, "look", *targets), site.root, seconds=_LOOK_SECONDS),
    )
    head, _, names = ran.output.partition(b"\0n\0")
    if not head.startswith(b"look\0"):
        raise ToolError(
            f"the project cannot be looked at: {ran.complaint or 'nothing was answered'}",
            code="environment_error",
        )
    return _project(head, names, site)


async def python_with(site: Site, project: Project, module: str) -> str | None:
    """Return the nearest Python that has a module; the project's own before the machine's."""
    script = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
    for python in _pythons(project):
        ran = await run(
            site.environment, Program((python, "-c", script), site.root, seconds=_LOOK_SECONDS)
        )
        if ran.code == 0:
            return python
    return None


def _pythons(project: Project) -> tuple[str, ...]:
    """Return the places of Python; in one folder, both names are the same one."""
    found: dict[str, str] = {}
    for name in ("python", "python3"):
        for path in project.places.get(name, ()):
            found.setdefault(posixpath.dirname(path), path)
    local = [path for folder, path in found.items() if folder.endswith(LOCAL_PROGRAMS[:2])]
    return (*local, *(path for path in found.values() if path not in local))


def _folders(start: str, root: str) -> list[str]:
    """Return a folder and those around it, up to the workspace; the nearest first."""
    found = [start]
    while found[-1] not in (root, "/") and len(found) < _MOST_FOLDERS:
        found.append(posixpath.dirname(found[-1]))
    if root not in found:  # it lies elsewhere: what is around it is none of its business
        return [start, posixpath.dirname(start)]
    return found


def _script(site: Site, folders: Sequence[str], targets: Sequence[str], search: Search) -> str:
    """Return a script for any shell that prints what is there, each part ended by a NUL."""
    inside = " ".join(map(quote, LOCAL_PROGRAMS)) if site.runs_project_code else ""
    own = quote(site.own_programs) if site.own_programs else ""
    names = _names(targets) if search.needs_names and targets else ""
    return f"""
printf 'look\\0'
for d in {" ".join(map(quote, folders))}; do
  [ -d "$d" ] || continue
  printf 'd%s\\0' "$d"
  for n in {" ".join(map(quote, dict.fromkeys((*search.settings, *search.texts))))}; do
    [ -f "$d/$n" ] && printf 's%s\\0' "$d/$n"
  done
  for n in {" ".join(map(quote, search.texts))}; do
    [ -f "$d/$n" ] && printf 't%s\\0' "$d/$n" && head -c {_LONGEST_TEXT} "$d/$n" | tr -d '\\000' && printf '\\0'
  done
  for b in {inside}; do for p in {" ".join(map(quote, search.programs))}; do
    [ -x "$d/$b/$p" ] && [ ! -d "$d/$b/$p" ] && printf 'p%s\\0%s\\0' "$p" "$d/$b/$p"
  done; done
done
for p in {" ".join(map(quote, search.programs))}; do
  w=$(command -v -- "$p" 2>/dev/null) && case $w in /*) printf 'p%s\\0%s\\0' "$p" "$w";; esac
  for b in {own}; do [ -x "$b/$p" ] && printf 'p%s\\0%s\\0' "$p" "$b/$p"; done
done
printf '\\0n\\0'
{names}
"""  # noqa: E501 - a script


def _names(targets: Sequence[str]) -> str:
    """Return the part that lists files: as git knows them, or all but what is made again."""
    del targets  # they are the script's arguments: a shell need not read them
    pruned = " -o ".join(f"-name {quote(name)}" for name in _PRUNED)
    return f"""
for t in "$@"; do
  if [ -f "$t" ]; then printf '%s\\0' "$t"
  elif git -C "$t" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    printf '\\001%s\\0' "$t"; git -C "$t" ls-files -z -co --exclude-standard; printf '\\001\\0'
  else find "$t" \\( {pruned} \\) -prune -o -type f -print0
  fi
done | head -c {_MOST_NAMES}
"""


def _project(head: bytes, names: bytes, site: Site) -> Project:
    parts = iter(head.decode("utf-8", "replace").split("\0")[1:])
    folders: list[str] = []
    settings: set[str] = set()
    texts: dict[str, str] = {}
    places: dict[str, list[str]] = {}
    for part in parts:
        kind, value = part[:1], part[1:]
        if kind == "d":
            folders.append(value)
        elif kind == "s":
            settings.add(value)
        elif kind == "t":
            texts[value] = next(parts, "")
        elif kind == "p":
            where = next(parts, "")
            if site.runs_project_code or not is_own(where, site):
                places.setdefault(value, []).append(where)
    return Project(
        tuple(folders) or (site.root,),
        frozenset(settings),
        texts,
        {name: found[0] for name, found in places.items()},
        {name: tuple(dict.fromkeys(found)) for name, found in places.items()},
        tuple(_files(names)),
    )


def _files(names: bytes) -> Iterable[str]:
    """Yield whole paths; what git lists stands between the folder that it is below and an end."""
    folder = ""
    for name in names.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        if name.startswith("\x01"):
            folder = name[1:]
        elif name:
            yield posixpath.join(folder, name) if folder else name
