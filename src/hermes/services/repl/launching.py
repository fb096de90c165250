"""How the program of a session is started, in each language."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, Literal

Language = Literal["python", "javascript"]
_KERNEL = "ipykernel"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PROGRAMS = {"python": "python_kernel.py", "javascript": "node_kernel.js"}
_FOUND: Mapping[str, str] = {
    "python": "$(command -v python3 || command -v python)",
    "javascript": "$(command -v node)",
}

_VARIABLES = (
    "MPLBACKEND=${MPLBACKEND:-module://matplotlib_inline.backend_inline}"
    " PYDEVD_DISABLE_FILE_VALIDATION=1"
)
"""Plots become images; a debugger that the kernel brings along says nothing."""


@functools.cache
def program(language: Language) -> str:
    """Return the program that holds a session."""
    place = resources.files("hermes.services.repl.inside") / _PROGRAMS[language]
    return place.read_text(encoding="utf-8")


def command(language: Language, *, is_here: bool) -> str:
    """Return the shell text that becomes the program of a session.

    ``is_here`` says that it runs on this machine, so that what hermes was installed with can be
    lent to it. Node writes its messages to a descriptor of its own, where no program disturbs them.
    """
    missing = json.dumps({"kind": "missing", "what": language})
    lines = [
        f'__p={_FOUND[language]}; [ -n "$__p" ] || '
        f"{{ printf '%s\\n' {shlex.quote(missing)}; exit 3; }}"
    ]
    if language == "javascript":
        lines += ["exec 3>&1 1>&2", f'exec "$__p" -e {shlex.quote(program(language))}']
    else:
        lent = _lent() if is_here else None
        more = f" {shlex.quote(lent)}" if lent else ""
        lines += [f'{_VARIABLES} exec "$__p" -c {shlex.quote(program(language))}{more}']
    return "\n".join(lines)


@functools.cache
def _lent() -> str | None:
    """Return, as JSON, the kernel's packages that a Python without them can be lent.

    They are named one by one: nothing else of our own packages is seen by a session.
    """
    found = dict(_closure(_KERNEL))
    if not found:
        return None
    names = sorted({name for each in found.values() for name in _modules(each)})
    folders = sorted({str(each.locate_file("")) for each in found.values()})
    lent: dict[str, Any] = {
        "version": list(sys.version_info[:2]),
        "python": getattr(sys, "_base_executable", sys.executable),
        "names": names,
        "folders": folders,
    }
    return json.dumps(lent)


def _closure(name: str) -> Iterator[tuple[str, importlib.metadata.Distribution]]:
    """Yield a distribution and all that it needs, as far as it is installed."""
    seen, waiting = set(), [name]
    while waiting:
        wanted = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if wanted in seen:
            continue
        seen.add(wanted)
        try:
            found = importlib.metadata.distribution(wanted)
        except importlib.metadata.PackageNotFoundError:
            continue
        yield wanted, found
        for line in found.requires or ():
            needed = _NAME.match(line)
            if needed and "extra ==" not in line:
                waiting.append(needed[0])


def _modules(found: importlib.metadata.Distribution) -> Iterator[str]:
    """Yield the names by which a distribution is imported."""
    for path in found.files or ():
        first = path.parts[0]
        if len(path.parts) > 1 and "." not in first:
            yield first
        elif len(path.parts) == 1 and path.suffix in (".py", ".so"):
            yield first.partition(".")[0]
