"""Tell files that hold nothing of value by their names, and those that hold work."""

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
_WORK = re.compile(
    r"\.(?:py|jsx?|tsx?|go|rs|java|c|cc|cpp|h|rb|php|md|sql|kt|swift|vue|html|db|sqlite3?|csv|xlsx"
    r"|parquet|json|ya?ml|toml|xml)$"
)


def is_scratch(path: str) -> bool:
    """Say whether a path lies in a folder for temporary files."""
    return bool(_SCRATCH.match(path)) and ".." not in path


def is_throwaway(path: str) -> bool:
    """Say whether a file is scratch, or by its name made by a program and soon forgotten."""
    if is_scratch(path):
        return True
    return not path.startswith(("/", "~", "..")) and bool(_PASSING.search(path))


def is_work(path: str) -> bool:
    """Say whether a file by its name holds what somebody wrote or gathered."""
    return _WORK.search(path) is not None
