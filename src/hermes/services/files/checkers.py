"""Syntax checks by programs of this machine, where they are installed; none of them runs a file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import NamedTuple

_PATH = f"/usr/local/bin:/usr/local/go/bin:{os.defpath}"
_SECONDS = 2.0
_SHELLS = re.compile(rb"#!\s*\S*?(?:/|env\s+)(?:ba|da|k)?sh\b")
_NOT_FOR_US = re.compile(r"module|Unexpected token '<'")
"""What node says of a file that is right, but is a module or has markup in it."""


class Program(NamedTuple):
    """A program that reads a text from its input and tells the first problem."""

    words: tuple[str, ...]
    says: re.Pattern[str]


_SHELL = Program(("bash", "-n", "/dev/stdin"), re.compile(r"line (?P<line>\d+): (?P<what>.+)"))
_NODE = Program(
    ("node", "--check", "-"),
    re.compile(r"\[stdin\]:(?P<line>\d+)\n(?:.*\n)*?SyntaxError: (?P<what>.+)"),
)
_PROGRAMS = {
    "sh": _SHELL,
    "bash": _SHELL,
    "js": _NODE,
    "cjs": _NODE,
    "go": Program(("gofmt", "-e"), re.compile(r":(?P<line>\d+):\d+: (?P<what>.+)")),
    "lua": Program(("luac", "-p", "-"), re.compile(r"stdin:(?P<line>\d+): (?P<what>.+)")),
    "php": Program(
        ("php", "-n", "-l"), re.compile(r"rror:\s+(?P<what>.+) in .+ on line (?P<line>\d+)")
    ),
    "rb": Program(("ruby", "-c"), re.compile(r"-:(?P<line>\d+): (?P<what>.+)")),
}


def knows(ending: str) -> bool:
    """Say whether there is a program for files whose names end so."""
    program = _PROGRAMS.get(ending)
    return program is not None and shutil.which(program.words[0], path=_PATH) is not None


def problem(ending: str, data: bytes) -> str | None:
    """Return the first problem of a text, or None: also where its program does not answer."""
    program = _PROGRAMS[ending]
    if program is _SHELL and data.startswith(b"#!") and not _SHELLS.match(data):
        return None
    try:
        done = subprocess.run(
            program.words,
            input=data,
            capture_output=True,
            timeout=_SECONDS,
            cwd="/",
            env={"PATH": _PATH, "LC_ALL": "C.UTF-8"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = program.says.search((done.stderr + done.stdout).decode("utf-8", "replace"))
    if done.returncode == 0 or found is None:
        return None
    if program is _NODE and _NOT_FOR_US.search(found["what"]):
        return None
    return f"line {found['line']}: {found['what']}"
