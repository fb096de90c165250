"""Choose the Python that a script runs in: the project's own, else the machine's, never ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_ENVIRONMENTS = (".venv", "venv", "env")
_NAMES = ("python3", "python")


def choose(root: str, cwd: str, variables: Mapping[str, str]) -> str:
    """Return an interpreter that does not see the packages of hermes."""
    for path in _candidates(root, cwd, variables):
        if _is_program(path) and not _is_ours(path):
            return path
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def _candidates(root: str, cwd: str, variables: Mapping[str, str]) -> Iterator[str]:
    for folder in dict.fromkeys((cwd, root)):
        yield from (f"{folder}/{name}/bin/python" for name in _ENVIRONMENTS)
    if active := variables.get("VIRTUAL_ENV"):
        yield f"{active}/bin/python"
    for folder in variables.get("PATH", "/usr/bin:/bin").split(":"):
        if folder.startswith("/"):
            yield from (f"{folder}/{name}" for name in _NAMES)


def _is_program(path: str) -> bool:
    """Say whether it can be run at once: what version managers put in place takes its time."""
    try:
        with Path(path).open("rb") as file:
            return file.read(2) != b"#!" and os.access(path, os.X_OK)
    except OSError:
        return False


def _is_ours(path: str) -> bool:
    """Say whether an interpreter is the one of the environment that hermes is installed in."""
    home = os.path.dirname(os.path.dirname(path))  # noqa: PTH120 - a text is at hand
    return sys.prefix != sys.base_prefix and os.path.realpath(home) == os.path.realpath(sys.prefix)
