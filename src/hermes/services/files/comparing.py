"""Compare two files, or texts, for a model."""

from __future__ import annotations

import errno
import hashlib
import re
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from hermes.services.files import Work
from hermes.services.files.changing import said
from hermes.services.files.disk import Opened
from hermes.services.files.line_diffs import Difference, compare, side_by_side, unified
from hermes.services.files.text import UTF8, Encoding, decode

Format = Literal["unified", "side_by_side", "stat"]
_LARGEST = 16 << 20
_PART = 1 << 20
_MOST_LINES = 2_000
_MOST_CHARACTERS = 80_000
_LONGEST_LINE = 2_000
_NO_PATH = frozenset({errno.ENOENT, errno.ENAMETOOLONG, errno.EINVAL, errno.ENOTDIR})


_LONGEST_PATH = 256
_LIKE_A_PATH = re.compile(r"\S*(?:/\S+|\w\.[A-Za-z]\w{0,7})")


class Side(NamedTuple):
    """One of the two that are compared."""

    name: str
    size: int
    digest: str
    text: str | None
    """None for what is no text, or too large to be compared by lines."""
    encoding: Encoding = UTF8
    is_file: bool = True

    @property
    def is_like_a_path(self) -> bool:
        """Whether it is a text that may have been meant as the name of a file."""
        text = self.text or ""
        is_short = not self.is_file and len(text) <= _LONGEST_PATH
        return is_short and _LIKE_A_PATH.fullmatch(text) is not None


def diff(work: Work, a: str, b: str, context: int, form: Format) -> dict[str, Any]:
    """Return how two files or texts differ.

    Raises:
        ToolError: one of them cannot be read; says why.
    """
    first, second = _side(work, a, "a"), _side(work, b, "b")
    answer: dict[str, Any] = {"identical": first.digest == second.digest}
    texts = [name for name, side in (("a", first), ("b", second)) if not side.is_file]
    if texts:
        answer["taken_as_text"] = texts
    missing = [side.text or "" for side in (first, second) if side.is_like_a_path]
    if missing:
        answer["note"] = f"There is no file {' and no '.join(missing)}; the name was compared."
    if first.text is None or second.text is None:
        return answer | {"binary": True, "a": _about(first), "b": _about(second)}
    if first.encoding != second.encoding and first.is_file and second.is_file:
        answer["encodings"] = {"a": first.encoding.shown, "b": second.encoding.shown}
    found = compare(first.text, second.text)
    if not first.is_file or not second.is_file:
        answer["identical"] = first.text == second.text
    answer |= {"added": found.added, "removed": found.removed}
    if found.is_rough:
        answer["note"] = "They differ in too many lines to be compared one by one."
    return answer if form == "stat" else answer | _body(found, (first, second), context, form)


def _side(work: Work, value: str, name: str) -> Side:
    """Return the file that a value names, or the value itself where there is none."""
    if value and "\n" not in value and "\0" not in value:
        try:
            with work.disk.open(value) as file:
                return _file(file, value)
        except OSError as error:
            if error.errno not in _NO_PATH or "not a file" in str(error):
                raise said(error, value) from error
    data = value.encode("utf-8", "surrogatepass")
    return Side(name, len(data), hashlib.sha256(data).hexdigest(), value, is_file=False)


def _file(file: Opened, name: str) -> Side:
    digest, parts, at = hashlib.sha256(), [], 0
    while part := file.read(at, _PART):
        digest.update(part)
        at += len(part)
        if at <= _LARGEST:
            parts.append(part)
    text = decode(b"".join(parts)) if at <= _LARGEST else None
    if text is None:
        return Side(name, at, digest.hexdigest(), None)
    return Side(name, at, digest.hexdigest(), text.text, text.encoding)


def _about(side: Side) -> dict[str, Any]:
    return {"size": side.size, "sha256": side.digest}


def _body(
    found: Difference, sides: tuple[Side, Side], context: int, form: Format
) -> dict[str, Any]:
    rows = unified(found, context) if form == "unified" else side_by_side(found, context)
    lines, is_cut = _fitting(rows)
    if lines and form == "unified":
        lines = [f"--- {sides[0].name}", f"+++ {sides[1].name}", *lines]
    return {"diff": "\n".join(lines), "truncated": is_cut}


def _fitting(rows: Iterable[str]) -> tuple[list[str], bool]:
    """Return the rows that an answer has room for, and whether there are more."""
    lines: list[str] = []
    left = _MOST_CHARACTERS
    for row in rows:
        text = row if len(row) <= _LONGEST_LINE else f"{row[:_LONGEST_LINE]}…"
        left -= len(text) + 1
        if left < 0 or len(lines) == _MOST_LINES:
            return lines, True
        lines.append(text)
    return lines, False
