"""Ask git which files of a folder differ from the last commit, and let nothing there run."""

from __future__ import annotations

import os
import subprocess
import time

_SECONDS = 2.0
_MOST_BYTES = 8 << 20
_QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin",
    "LC_ALL": "C",
}
_OFF = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "core.untrackedCache=false")


def marks(root: str, place: str) -> dict[str, str]:
    """Return the marks of changed files below a folder: ``M``, ``A``, ``D``, ``R``, ``U``, ``?``.

    Empty where there is no repository, no git, or no time. Filters and monitors that a repository
    names are programs of whoever wrote its settings, and are switched off.
    """
    if not is_in_repository(root):
        return {}
    until = time.monotonic() + _SECONDS
    names = _git(place, until, "config", "--list", "--name-only", "-z")
    if names is None:
        return {}
    off = [*_OFF, *_filters(names)]
    words = [word for setting in off for word in ("-c", setting)]
    words += ["status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=all"]
    words += ["--", "."]
    prefix = _git(place, until, "rev-parse", "--show-prefix")
    found = _git(place, until, *words) if prefix is not None else None
    if prefix is None or found is None:
        return {}
    return _read(found, os.fsdecode(prefix.rstrip(b"\n")))


def is_in_repository(root: str) -> bool:
    """Say whether a folder lies in a repository."""
    folder = root.rstrip("/")
    while not os.path.lexists(f"{folder}/.git"):
        folder, slash, _ = folder.rpartition("/")
        if not slash:
            return False
    return True


def _filters(names: bytes) -> list[str]:
    keys = {os.fsdecode(name) for name in names.split(b"\0")}
    own = sorted(key for key in keys if key.lower().startswith("filter.") and "=" not in key)
    return [f"{key.rpartition('.')[0]}.{word}=" for key in own for word in ("clean", "process")]


def _git(place: str, until: float, *words: str) -> bytes | None:
    left = until - time.monotonic()
    if left <= 0:
        return None
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=place,
            env=_QUIET,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=left,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and len(done.stdout) < _MOST_BYTES else None


def _read(output: bytes, prefix: str) -> dict[str, str]:
    """Read the records of ``git status``; what is moved has a second name after it."""
    found: dict[str, str] = {}
    records = iter(output.split(b"\0"))
    for record in records:
        kind = record[:1]
        if kind == b"?":
            path, mark = record[2:], "?"
        elif kind in (b"1", b"2", b"u"):
            words = record.split(b" ", {b"1": 8, b"2": 9, b"u": 10}[kind])
            path, mark = words[-1], "U" if kind == b"u" else words[1].decode().replace(".", "")[:1]
            if kind == b"2":
                next(records, None)
        else:
            continue
        name = os.fsdecode(path).rstrip("/")
        if name.startswith(prefix):
            found[name[len(prefix) :]] = mark
    return found
