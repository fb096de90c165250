"""Compare two texts line by line, in bounded time, and write down how they differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import NamedTuple

_MOST_LINES = 20_000
"""How many lines on a side are compared one by one; more are taken as one change."""
_COLUMN = 60
_NO_END = "\\ No newline at end of file"
Code = tuple[str, int, int, int, int]


class Difference(NamedTuple):
    """What was compared, and where it differs."""

    a: list[str]
    b: list[str]
    codes: list[Code]
    is_rough: bool
    """Whether a large part was taken as one change."""

    @property
    def removed(self) -> int:
        """Return how many lines only the first has."""
        return sum(code[2] - code[1] for code in self.codes if code[0] != "equal")

    @property
    def added(self) -> int:
        """Return how many lines only the second has."""
        return sum(code[4] - code[3] for code in self.codes if code[0] != "equal")

    def groups(self, context: int) -> Iterator[list[Code]]:
        """Yield the changes, near ones together, with equal lines around them."""
        matcher = difflib.SequenceMatcher(None, "", "")
        matcher.opcodes = self.codes  # type: ignore[attr-defined]  # what it would find out itself
        yield from matcher.get_grouped_opcodes(context)


def compare(first: str, second: str) -> Difference:
    """Return how two texts differ; ends of lines count."""
    a, b = _lines(first), _lines(second)
    start, end = _common(a, b)
    middle_a, middle_b = a[start : len(a) - end], b[start : len(b) - end]
    is_rough = max(len(middle_a), len(middle_b)) > _MOST_LINES
    codes: list[Code] = [("equal", 0, start, 0, start)] if start else []
    if is_rough:
        codes.append(("replace", start, len(a) - end, start, len(b) - end))
    else:
        matcher = difflib.SequenceMatcher(None, middle_a, middle_b)
        codes += [
            (tag, i1 + start, i2 + start, j1 + start, j2 + start)
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        ]
    if end:
        codes.append(("equal", len(a) - end, len(a), len(b) - end, len(b)))
    return Difference(a, b, codes, is_rough)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _common(a: list[str], b: list[str]) -> tuple[int, int]:
    """Return how many lines are the same at the beginning and at the end."""
    most = min(len(a), len(b))
    start = next((at for at in range(most) if a[at] != b[at]), most)
    most -= start
    end = next((at for at in range(most) if a[-1 - at] != b[-1 - at]), most)
    return start, end


def unified(found: Difference, context: int) -> Iterator[str]:
    """Yield the lines of a unified diff, without its head."""
    for group in found.groups(context):
        _, first_a, _, first_b, _ = group[0]
        _, _, last_a, _, last_b = group[-1]
        yield f"@@ -{_span(first_a, last_a)} +{_span(first_b, last_b)} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from _marked(" ", found.a[i1:i2])
                continue
            yield from _marked("-", found.a[i1:i2])
            yield from _marked("+", found.b[j1:j2])


def _span(first: int, last: int) -> str:
    count = last - first
    if count == 1:
        return str(first + 1)
    return f"{first + 1 if count else first},{count}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + _shown(line)
        if not line.endswith("\n"):
            yield _NO_END


def _shown(line: str) -> str:
    text = line.removesuffix("\n")
    return f"{text[:-1]}␍" if text.endswith("\r") else text


def side_by_side(found: Difference, context: int) -> Iterator[str]:
    """Yield rows of two columns with numbers; the sign between them says what happened."""
    for number, group in enumerate(found.groups(context)):
        if number:
            yield "⋮"
        for tag, i1, i2, j1, j2 in group:
            for step in range(max(i2 - i1, j2 - j1)):
                left = _cell(found.a, i1 + step, i2)
                right = _cell(found.b, j1 + step, j2)
                sign = " " if tag == "equal" else "|" if left and right else "<" if left else ">"
                yield f"{left:<{_COLUMN + 7}}{sign} {right}".rstrip()


def _cell(lines: list[str], at: int, end: int) -> str:
    if at >= end:
        return ""
    text = _shown(lines[at]).replace("\t", "    ")
    return f"{at + 1:>5} {text if len(text) <= _COLUMN else text[: _COLUMN - 1] + '…'}"
