"""Globs of paths below a folder: ``*.py`` anywhere, ``src/*.py`` there, ``**`` for any depth."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hermes.policy.path_globs import name_regex


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return what says whether a relative path fits one of the patterns."""
    match = re.compile("|".join(map(_regex, patterns)) or r"(?!)", re.DOTALL).fullmatch
    return lambda path: match(path) is not None


def _regex(pattern: str) -> str:
    plain = pattern.removeprefix("./").strip("/")
    names = plain.split("/")
    is_anchored = pattern.startswith(("./", "/")) or len(names) > 1
    start = "" if is_anchored else "(?:.*/)?"
    parts = []
    for at, name in enumerate(names):
        is_last = at == len(names) - 1
        if name == "**":
            parts.append(".*" if is_last else "(?:.*/)?")
        else:
            parts.append(name_regex(name) + ("" if is_last else "/"))
    return start + "".join(parts)
