"""Show a change: which lines it made, and a difference that is never longer than useful."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_CONTEXT = 3
_MOST_LINES = 200
_LONGEST = 500


class Splice(NamedTuple):
    """Characters of a text and what takes their place."""

    start: int
    end: int
    text: str


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """Return a text with all of its splices, which do not overlap, made."""
    parts, at = [], 0
    for start, end, new in sorted(splices):
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


class Hunk(NamedTuple):
    """Whole lines that became others, by where they begin in both texts (from 0)."""

    before: int
    after: int
    removed: list[str]
    added: list[str]


def hunks(text: str, splices: Sequence[Splice]) -> list[Hunk]:
    """Return splices as changes of whole lines."""
    found: list[Hunk] = []
    shift, line, seen = 0, 0, 0
    for first, last, group in _by_lines(text, splices):
        line += text.count("\n", seen, first)
        seen = first
        removed = _rows(text[first:last])
        inner = [Splice(start - first, end - first, new) for start, end, new in group]
        added = _rows(spliced(text[first:last], inner))
        removed, added, skipped = _trimmed(removed, added)
        if removed or added:
            found.append(Hunk(line + skipped, line + skipped + shift, removed, added))
        shift += len(added) - len(removed)
    return found


def _by_lines(text: str, splices: Sequence[Splice]) -> list[tuple[int, int, list[Splice]]]:
    """Return splices with the whole lines around them; those of the same line together."""
    groups: list[tuple[int, int, list[Splice]]] = []
    for splice in sorted(splices):
        first = text.rfind("\n", 0, splice.start) + 1
        end = splice.end
        if end == splice.start or text[end - 1] != "\n" or not splice.text.endswith("\n"):
            at = text.find("\n", end)
            end = len(text) if at < 0 else at + 1
        if groups and first < groups[-1][1]:
            start, last, group = groups[-1]
            group.append(splice)
            groups[-1] = (start, max(end, last), group)
        else:
            groups.append((first, end, [splice]))
    return groups


def _rows(text: str) -> list[str]:
    rows = text.split("\n")
    closed = [f"{row}\n" for row in rows[:-1]]
    return [*closed, rows[-1]] if rows[-1] else closed


def _trimmed(removed: list[str], added: list[str]) -> tuple[list[str], list[str], int]:
    """Return two pieces without the lines that they begin and end with in common."""
    start = 0
    while start < min(len(removed), len(added)) and removed[start] == added[start]:
        start += 1
    removed, added = removed[start:], added[start:]
    end = 0
    while end < min(len(removed), len(added)) and removed[-1 - end] == added[-1 - end]:
        end += 1
    return removed[: len(removed) - end], added[: len(added) - end], start


def lines_changed(found: Sequence[Hunk]) -> str:
    """Return which lines of the new text a change made: ``3-5, 9``."""
    parts = []
    for hunk in found:
        first, last = hunk.after + 1, hunk.after + len(hunk.added)
        if not hunk.added:
            parts.append(f"{first} (removed {len(hunk.removed)})")
        else:
            parts.append(f"{first}-{last}" if last > first else str(first))
    return ", ".join(parts)


def difference(path: str, text: str, found: Sequence[Hunk], room: int = _MOST_LINES) -> str:
    """Return changes as a unified diff of at most so many lines."""
    shown = [f"--- a/{path.lstrip('/')}", f"+++ b/{path.lstrip('/')}"]
    rows = _Rows(text)
    for group in _grouped(found):
        shown += _shown(rows, group)
    if len(shown) > room:
        shown = [*shown[:room], f"… {len(shown) - room} more lines"]
    return "\n".join(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in shown)


class _Rows:
    """Lines of a text, by number and without splitting all of it."""

    def __init__(self, text: str) -> None:
        self.text, self.line, self.at = text, 0, 0

    def take(self, first: int, last: int) -> list[str]:
        """Return lines; to be asked for in order."""
        while self.line < first:
            self.at = self.text.find("\n", self.at) + 1 or len(self.text)
            self.line += 1
        rows, at = [], self.at
        for _ in range(first, last):
            if at >= len(self.text):
                break
            end = self.text.find("\n", at) + 1 or len(self.text)
            rows.append(self.text[at:end])
            at = end
        return rows


def _grouped(found: Sequence[Hunk]) -> list[list[Hunk]]:
    groups: list[list[Hunk]] = []
    for hunk in found:
        last = groups[-1][-1] if groups else None
        if last and hunk.before - last.before - len(last.removed) <= 2 * _CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    return groups


def _shown(rows: _Rows, group: Sequence[Hunk]) -> list[str]:
    start = max(0, group[0].before - _CONTEXT)
    body: list[str] = []
    at, old, new = start, 0, 0
    for hunk in group:
        context = rows.take(at, hunk.before)
        body += _marked(" ", context) + _marked("-", hunk.removed) + _marked("+", hunk.added)
        old += len(context) + len(hunk.removed)
        new += len(context) + len(hunk.added)
        at = hunk.before + len(hunk.removed)
    tail = rows.take(at, at + _CONTEXT)
    body += _marked(" ", tail)
    first = group[0].after - (group[0].before - start)
    old, new = old + len(tail), new + len(tail)
    return [f"@@ -{_span(start, old)} +{_span(first, new)} @@", *body]


def _span(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


def _marked(mark: str, rows: Sequence[str]) -> list[str]:
    shown: list[str] = []
    for row in rows:
        shown.append(mark + row.rstrip("\r\n"))
        if not row.endswith("\n"):
            shown.append("\\ No newline at end of file")
    return shown
