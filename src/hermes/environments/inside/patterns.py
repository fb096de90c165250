"""Find what a pattern means in bytes, line by line or across lines, as ripgrep would."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    if sys.version_info >= (3, 11):
        from re import _parser as _reader  # type: ignore[attr-defined]  # how else to know its parts
    else:  # pragma: no cover
        import sre_parse as _reader

_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\t-\r ", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F", "word": "0-9A-Za-z_",
    "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "print": r" -~", "graph": r"!-~",
    "ascii": r"\x00-\x7f",
}  # fmt: skip
_CLASS = re.compile(r"\[:(\^?)([a-z]+):\]")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*(?:-[a-zA-Z]+)?)\)")
_CODE = re.compile(r"(?<!\\)((?:\\\\)*)\\[xuU]\{([0-9a-fA-F]{1,6})\}")
_SETS = re.compile(
    "Possible (?:nested set|set intersection|set (?:symmetric )?difference).* (\\d+)$"
)
"""What Python says of a class that means something else to ripgrep than to Python."""
_PER_LINE = frozenset({"ASSERT", "ASSERT_NOT", "GROUPREF", "GROUPREF_EXISTS"})
_EDGES = frozenset({"AT_BEGINNING_STRING", "AT_END_STRING"})


class Place(NamedTuple):
    """Where a hit is: counted in bytes of the text in UTF-8."""

    line: int
    column: int
    """From 1, in the line."""
    offset: int
    """Where the line begins."""


class BadPattern(ValueError):
    """A pattern that cannot be read; ``position`` counts its characters from 0."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason, self.position = reason, position


class Matcher:
    """One pattern, made ready."""

    def __init__(
        self, pattern: str, *, is_literal: bool, ignores_case: bool, is_multiline: bool
    ) -> None:
        flags = re.MULTILINE | (re.IGNORECASE if ignores_case else 0)
        flags |= re.DOTALL if is_multiline else 0
        text = re.escape(pattern) if is_literal else _translated(pattern)
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                self._search = re.compile(text, flags)
                parsed: Any = _reader.parse(text, flags)
        except re.error as error:
            raise BadPattern(error.msg, error.pos or 0) from None
        except (OverflowError, RecursionError) as error:
            raise BadPattern(str(error), 0) from None
        _check_sets(said)
        self._is_multiline = is_multiline
        self._needle = b"" if ignores_case else _required(parsed).encode("utf-8", "surrogateescape")
        self._is_plain = is_literal and not ignores_case and bool(self._needle)
        self._by_line = _needs_lines(parsed)

    def places(self, data: bytes) -> Iterator[Place]:
        """Yield the lines that have a match, or across lines where each match begins."""
        if self._needle and self._needle not in data:
            return iter(())
        if self._is_multiline:
            return self._across(data)
        if self._needle:
            return self._by_needle(data)
        return self._lines(data) if self._by_line else self._whole(data)

    def _by_needle(self, data: bytes) -> Iterator[Place]:
        number, counted, at = 1, 0, data.find(self._needle)
        while at >= 0:
            start = data.rfind(b"\n", 0, at) + 1
            end = _line_end(data, at)
            column = at - start if self._is_plain else self._column(data[start:end])
            if column >= 0:
                number += data.count(b"\n", counted, start)
                counted = start
                yield Place(number, column + 1, start)
            at = data.find(self._needle, end + 1)

    def _column(self, line: bytes) -> int:
        """Return where in a line the match is, in bytes; -1 without one."""
        text = _decoded(line[:-1] if line.endswith(b"\r") else line)
        found = self._search.search(text)
        return -1 if found is None else _size(text[: found.start()])

    def _lines(self, data: bytes) -> Iterator[Place]:
        start, number = 0, 0
        while start < len(data):
            end = _line_end(data, start)
            number += 1
            column = self._column(data[start:end])
            if column >= 0:
                yield Place(number, column + 1, start)
            start = end + 1

    def _whole(self, data: bytes) -> Iterator[Place]:
        """Look at all lines at once; a match that leaves its line is looked for again inside."""
        text = _decoded(data.replace(b"\r\n", b"\n") if b"\r\n" in data else data)
        removed = len(data) != len(text) and b"\r\n" in data
        count, at, last = _Count(text, has_returns=removed), 0, len(text)
        while at <= last:
            found = self._search.search(text, at)
            if found is None or (found.start() == last and (not text or text[-1] == "\n")):
                return
            start = text.rfind("\n", 0, found.start()) + 1
            end = text.find("\n", start)
            end = last if end < 0 else end
            inside: Optional[re.Match[str]] = found
            if found.end() > end:
                inside = self._search.search(text, start, end)
            if inside is not None:
                number, offset = count.to(start, data)
                yield Place(number, _size(text[start : inside.start()]) + 1, offset)
            at = end + 1

    def _across(self, data: bytes) -> Iterator[Place]:
        text = _decoded(data)
        count = _Count(text, has_returns=False)
        for found in self._search.finditer(text):
            start = text.rfind("\n", 0, found.start()) + 1
            number, offset = count.to(start, data)
            yield Place(number, _size(text[start : found.start()]) + 1, offset)


class _Count:
    """Count lines and bytes on the way through a text."""

    def __init__(self, text: str, *, has_returns: bool) -> None:
        self._text, self._has_returns = text, has_returns
        self._at, self._line, self._bytes = 0, 1, 0

    def to(self, at: int, data: bytes) -> Tuple[int, int]:
        """Return the number of the line that begins here and the bytes before it."""
        part = self._text[self._at : at]
        lines = part.count("\n")
        if self._has_returns:  # the bytes have returns that the text lacks
            for _ in range(lines):
                self._bytes = data.index(b"\n", self._bytes) + 1
        else:
            self._bytes += _size(part)
        self._at, self._line = at, self._line + lines
        return self._line, self._bytes


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _translated(pattern: str) -> str:
    """Return a pattern in the words of Python's ``re``."""
    text = pattern.replace("(?<", "(?P<")
    text = text.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    text = _CODE.sub(lambda m: m[1] + re.escape(chr(min(int(m[2], 16), sys.maxunicode))), text)
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\z", r"\1\\Z", text)
    text = _CLASS.sub(_class_of, text)
    found = _FLAGS.search(text)
    if found is not None and (found.start() > 0 or "-" in found[1]):
        text = f"{text[: found.start()]}(?{found[1]}:{text[found.end() :]})"
    return text


def _class_of(found: "re.Match[str]") -> str:
    """Return what a class such as ``[:alpha:]`` or ``[:^alpha:]`` holds."""
    held = _CLASSES.get(found[2])
    if held is None:
        return found[0]
    if not found[1]:
        return held
    fits = re.compile(f"[{held}]").fullmatch
    others = [f"\\x{code:02x}" for code in range(128) if not fits(chr(code))]
    return "".join(others) + "\\x80-\\U0010ffff"


def _check_sets(said: "List[warnings.WarningMessage]") -> None:
    """Refuse classes in classes and what is done with them: Python would find something else."""
    for one in said:
        found = _SETS.match(str(one.message))
        if found is not None:
            raise BadPattern("classes cannot hold other classes here", int(found[1]))


def _required(parsed: Any) -> str:
    """Return the longest text that every match must have in it."""
    if getattr(parsed, "state", parsed).flags & re.IGNORECASE:
        return ""
    best, run = "", ""
    for code, value in list(parsed) + [(None, None)]:
        name = str(code)
        if name == "LITERAL":
            run += chr(value)
            continue
        if name == "AT":
            continue
        inner = ""
        if name == "SUBPATTERN" and not value[1] and not value[2]:
            inner = _required_inside(value[3])
        elif name == "MAX_REPEAT" and value[0] > 0:
            inner = _required_inside(value[2])
        best = max(best, run, inner, key=len)
        run = ""
    return best


def _required_inside(parsed: Any) -> str:
    best, run = "", ""
    for code, value in list(parsed) + [(None, None)]:
        if str(code) == "LITERAL":
            run += chr(value)
        else:
            best, run = max(best, run, key=len), ""
    return best


def _needs_lines(parsed: Any) -> bool:
    """Say whether a match of one line could be another one when the lines around it are seen."""
    left: List[Any] = [parsed]
    while left:
        one = left.pop()
        if isinstance(one, (list, tuple)) or hasattr(one, "data"):
            left.extend(one)
        elif str(one) in _PER_LINE or str(one) in _EDGES:
            return True
    return False
