"""Tell files that hold nothing of value by their names."""

from __future__ import annotations

import re

_SCRATCH = re.compile(
    r"(?:/private)?/(?:var/)?tmp/+[^/.]|/dev/shm/|/dev/(?:null|stdout|stderr|tty)$"
)
_PASSING = re.compile(
    r"""(?:^|/)(?:logs?|tmp|temp|build|dist|out|target|cache|\.cache|node_modules|__pycache__)/
    |\.(?:log|out|err|tmp|temp|bak|pid|lock|swp|orig|rej|cache|trace|prof|txt|pyc|o)(?:\.\d+)?$
    |(?:^|/)(?:nohup\.out|\.gitkeep|output|core)$""",
    re.VERBOSE | re.IGNORECASE,
)


def is_scratch(path: str) -> bool:
    """Say whether a path lies in a folder for temporary files."""
    return bool(_SCRATCH.match(path)) and ".." not in path


def is_throwaway(path: str) -> bool:
    """Say whether a file is scratch, or by its name made by a program and soon forgotten."""
    if is_scratch(path):
        return True
    return not path.startswith(("/", "~", "..")) and bool(_PASSING.search(path))
