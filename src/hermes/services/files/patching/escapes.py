"""Texts that were escaped once too often, with a backslash and an n for a line end."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hermes.services.files.patching.escape_kinds import ESCAPE, MEANINGS, by_kinds
from hermes.services.files.patching.fragments import overlapping

_FORMS = {
    r"\n": r"\r?\n",
    r"\\n": r"\\n|\\\r?\n",
}
_TABS = re.compile(r"(?<!\\)\\[tr]")
_ALIKE = 0.7
_LONGEST = 2_000
_QUOTED = re.compile(
    r"\\.|n't\b|\w\w'(?:s|re|ll|ve|d|m)\b|[<&]'[a-z_]\w*\b(?!')|\"\"\"|'''|```|[\"'`]"
)
"""Quotes, and longer what only looks like one: apostrophes, lifetimes, marks that span lines."""


class Unescaped(NamedTuple):
    """A place of an escaped text, and what each of its escapes stands for there."""

    start: int
    end: int
    meanings: tuple[str, ...]


def is_escaped(text: str) -> bool:
    """Say whether a text may have been escaped once too often."""
    return re.search(ESCAPE, text) is not None


def escaped_places(text: str, needle: str) -> list[Unescaped]:
    """Return where a text is what an escaped one means; each escape may also stand for itself."""
    parts = []
    for part in re.split(f"({ESCAPE})", needle):
        meaning = MEANINGS.get(part)
        if meaning is None:
            parts.append(re.escape(part))
        else:
            form = _FORMS.get(part, re.escape(meaning))
            parts.append(f"({re.escape(part)}|{form})")
    found = overlapping(re.compile("".join(parts)), text)
    return [Unescaped(*each.span(), each.groups()) for each in found]


def unescaped(text: str) -> str:
    """Return what a text means when all in it was escaped."""
    return re.sub(ESCAPE, lambda found: MEANINGS[found[0]], text)


def is_plain(marks: Iterable[str], new: str) -> bool:
    """Say whether a new text is not escaped: it has marks that were escaped in the old one."""
    kinds = set(marks) - {"\\", "/", r"\n"}
    is_bare = any(re.search(rf"(?<!\\){kind}", new) for kind in kinds)
    return is_bare or not is_escaped(new)


def marks_of(old: str) -> list[str]:
    """Return what the escapes of a text mean."""
    return [MEANINGS[escape] for escape in re.findall(ESCAPE, old)]


def meant(old: str, new: str, meanings: Sequence[str]) -> str | None:
    """Return a new text as it was meant, by what the escapes of the old one stand for.

    None when an escape of it could be meant in two ways.
    """
    escapes = re.findall(ESCAPE, old)
    both = [
        (escape, mark.replace("\r\n", "\n")) for escape, mark in zip(escapes, meanings, strict=True)
    ]
    real = {mark for escape, mark in both if escape != mark}
    if is_plain(real, new):
        return new
    is_full = all(MEANINGS[escape] == mark for escape, mark in both)
    if is_full and real != {"\n"} and not _has_bare(old):
        is_doubtful = any(_is_in_quotes(new[: each.start()]) for each in _TABS.finditer(new))
        return None if is_doubtful else unescaped(new)
    fresh = set(re.findall(ESCAPE, new))
    if is_full and not _has_bare(old + new) and fresh != {r"\n"}:
        is_doubtful = "'" in new or r"\\n" in fresh - set(escapes)
        return None if is_doubtful and r"\"" not in new else unescaped(new)
    if not any("\n" in mark for mark in real):
        return by_kinds(old, meanings, new)
    return _by_lines(_lines_of(old, both), new.split(r"\n"))


def all_meant(old: str, new: str) -> str | None:
    """Return a new text as it was meant when each escape of the old one stands for something.

    None when an escape of it could be meant in two ways.
    """
    if is_plain(marks_of(old), new):
        return new
    if r"\n" not in re.findall(ESCAPE, old):
        return by_kinds(old, marks_of(old), new)
    is_known = set(re.findall(ESCAPE, new)) <= set(re.findall(ESCAPE, old))
    return unescaped(new) if is_known or not _has_bare(old + new) else None


def _has_bare(text: str) -> bool:
    """Say whether there is something that would be escaped in a text of which all is."""
    return re.search(r"[\"\\\t\n]", re.sub(ESCAPE, "", text)) is not None


def _lines_of(old: str, both: Sequence[tuple[str, str]]) -> set[str]:
    """Return the lines of an old text of which only the line ends were escaped; else none."""
    if any(escape != mark and not mark.endswith("\n") for escape, mark in both):
        return set()
    marks = iter(mark for _, mark in both)
    lines = [""]
    for part in re.split(f"({ESCAPE})", old):
        mark = next(marks) if part in MEANINGS else part
        before, *after = mark.split("\n")
        lines[-1] += before
        lines += after
    return set(lines)


def _by_lines(known: set[str], parts: Sequence[str]) -> str | None:
    """Return a new text line by line: lines of the old one, changed ones, and new ones."""
    made: list[str] = []
    while parts and known:
        ends = range(len(parts), 0, -1)
        end = next((end for end in ends if r"\n".join(parts[:end]) in known), 0)
        end = end or _changed(known, parts)
        if not end:
            end = _closed(parts)
            line = r"\n".join(parts[:end])
            if end > 1 or re.search(ESCAPE, line) or _is_in_quotes(line):
                return None
        made.append(r"\n".join(parts[:end]))
        parts = parts[end:]
    return "\n".join(made) if known else None


def _changed(known: set[str], parts: Sequence[str]) -> int:
    """Return how many parts are a line of the old text with a change in it; 0 for none."""
    likely = []
    for line in known:
        count = line.count(r"\n") + 1
        if len(line) > _LONGEST:
            continue
        matcher = difflib.SequenceMatcher(None, r"\n".join(parts[:count]), line, autojunk=False)
        if matcher.quick_ratio() < _ALIKE or not _begin_alike(parts[0], line):
            continue
        if (ratio := matcher.ratio()) >= _ALIKE:
            likely.append((ratio, count))
    return max(likely)[1] if likely else 0


def _begin_alike(part: str, line: str) -> bool:
    """Say whether a part is like a line up to the first line end that is written in it."""
    first = line.partition(r"\n")[0]
    return difflib.SequenceMatcher(None, part, first, autojunk=False).ratio() >= _ALIKE


def _closed(parts: Sequence[str]) -> int:
    """Return how many parts a line has whose quotes are even."""
    for end in range(1, len(parts) + 1):
        if not _is_in_quotes(r"\n".join(parts[:end])):
            return end
    return 1


def _is_in_quotes(before: str) -> bool:
    """Say whether a line is inside of quotes where it ends now."""
    line = before.rpartition("\n")[2]
    marks = [found for found in _QUOTED.findall(line) if len(found) == 1]
    return any(marks.count(mark) % 2 for mark in set(marks))
