"""Find the file that is described, such as *the error log*, and put it in its place."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple

from hermes.agent.builtin.names import LANGUAGES, NOT_FOLDERS
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Answer, Wanted, want

_KINDS = {
    **{word: glob for word, glob in LANGUAGES.items() if len(word) > 1},
    "script": "*.{py,sh,js,ts,rb,pl}",
    "module": "*.{py,js,ts}",
    "source": "*.{py,js,ts,go,rs}",
    "guide": "*.{md,rst,txt}",
    "doc": "*.{md,rst,txt}",
    "docs": "*.{md,rst,txt}",
    "notes": "*.{md,txt}",
    "stylesheet": "*.css",
}
_PHRASE = re.compile(
    rf"\b(?:the|my|our)\s+(?P<word>[\w-]+)\s+(?P<kind>{'|'.join(map(re.escape, _KINDS))})"
    r"(?:\s+file)?\b(?!\s+(?:files|folder|director|version|package|process|server|level|message))",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"\b(?:the|my|our)\s+(?P<name>readme|makefile|dockerfile|changelog|gitignore|licen[sc]e)"
    r"(?:\s+file)?\b(?!\s+(?:files|for|of))",
    re.IGNORECASE,
)
_NAMES = {
    "readme": "README*", "makefile": "Makefile", "dockerfile": "Dockerfile*",
    "changelog": "CHANGELOG*", "gitignore": ".gitignore",
}  # fmt: skip
_PLAIN = frozenset(
    """
    git commit change test tests new whole same source last first other main current latest newest
    oldest biggest largest smallest longest shortest second third top bottom next previous entire
    recent whole full unit type old raw plain following npm pip empty single two three existing
    """.split()
)
"""Words before a kind that describe no file by its name."""
_ASKS = re.compile(
    r"^(?:find|locate|where|create|make (?!a copy)|write|add|remember|is there|do we)\b", re.I
)


class Described(NamedTuple):
    """A file by its description, and where that stands in a request."""

    pattern: str
    start: int
    end: int


def described(said: Said) -> Described | None:
    """Return the file that a request describes by a word of its name and its kind, if it does."""
    if said.one("glob", "url") or _ASKS.match(said.low):
        return None
    known = _KNOWN.search(said.shape)
    if known and (not said.one("path") or said.has("copy", "move", "rename", "diff")):
        pattern = _NAMES.get(known["name"].lower(), "LICEN[SC]E*")
        return Described(pattern, known.start(), known.end())
    match = None if said.one("path") else _PHRASE.search(said.shape)
    if match is None:
        return None
    word = match["word"].lower()
    if word in _PLAIN or word in LANGUAGES or word in NOT_FOLDERS:
        return None
    return Described(f"*{word}*{_KINDS[match['kind'].lower()][1:]}", match.start(), match.end())


def met(wanted: Described) -> Generator[Wanted, Answer, str | None]:
    """Return the one file that fits a description; None where none does, or several do."""
    hidden = True if wanted.pattern[0] == "." else None
    answer = yield want("search_files", pattern=wanted.pattern, target="files", hidden=hidden)
    found = answer.value.get("files")
    if not isinstance(found, list) or not found:
        return None
    nearest = min(found, key=lambda one: (str(one).count("/"), len(str(one))))
    is_named = wanted.pattern[0] != "*"
    return str(nearest) if is_named or len(found) == 1 else None
