"""Read almost-JSON: the slips of models that have only one meaning, and nothing else.

Understood besides JSON: single and typographic quotes, ``True``/``False``/``None``, unquoted keys,
trailing commas, a missing comma between members, comments, raw control characters in strings,
unknown escapes, and Python tuples. Everything else is an error with its position.
"""

from __future__ import annotations

import math
import re
from typing import NoReturn

from hermes.base.messages import Json

MAX_DEPTH = 100

_SPACE = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|#[^\n]*|/\*.*?\*/)+", re.S)
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CUT_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?)?(?:[eE][+-]?)?\Z")
_CUT_ESCAPE = re.compile(r"(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z")
_WORD = re.compile(r"[^\W\d][\w$-]*")
_KEY = re.compile(r"(?:[^\W\d]|\$)[\w$-]*|[0-9]{1,18}(?=\s*:)")
_CLOSERS = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201c\u201d",
    "\u201d": "\u201d",
    "\u2018": "\u2018\u2019",
    "\u2019": "\u2019",
}
_RUNS = {mark: re.compile(f"[^{close}\\\\\x00-\x1f]+") for mark, close in _CLOSERS.items()}
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    '"': '"',
    "'": "'",
    "\\": "\\",
    "/": "/",
}
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}
_PYTHON_WORDS: dict[str, Json] = {"True": True, "False": False, "None": None}
_MAX_DIGITS = 4_000
_MAX_VALUES = 200_000


class Malformed(ValueError):
    """The text cannot be read; ``position`` says where and ``reason`` why.

    ``after_string`` marks text right behind a closed string: most often a quote left unescaped.
    """

    def __init__(self, reason: str, position: int, *, after_string: bool = False) -> None:
        super().__init__(f"{reason} at character {position}")
        self.reason, self.position, self.after_string = reason, position, after_string


class CutOff(Malformed):
    """The text ends before its value does."""


class _Unfinished(Exception):
    """The end came where no value had begun; what led up to it is left out."""


def parse(text: str) -> Json:
    """Return the one value in an almost-JSON text.

    Raises:
        Malformed: the text is no single value, or is cut off.
    """
    reader = Reader(text)
    value = reader.value()
    reader.skip_space()
    if reader.position < len(text):
        raise Malformed("text after the value", reader.position)
    return value


class Reader:
    """Read values one after another from a text; ``changes`` tells what was not plain JSON.

    With ``complete`` a value that the end of the text cuts off is closed there, and ``cut`` is set.
    """

    def __init__(self, text: str, *, position: int = 0, complete: bool = False) -> None:
        self.text, self.position, self.complete = text, position, complete
        self.changes: dict[str, None] = {}
        self.cut = False
        self.depth = self.values = 0

    def value(self) -> Json:
        """Read one value from here on.

        Raises:
            Malformed: it cannot be read, or is cut off and ``complete`` is not set.
        """
        try:
            return self._value()
        except _Unfinished:
            raise CutOff("the text ends before a value", len(self.text)) from None

    def members(self) -> dict[str, Json]:
        """Read the members of an object whose opening brace is missing."""
        return self._object(opened=False)

    def skip_space(self) -> None:
        """Go past white space and comments."""
        found = _SPACE.match(self.text, self.position)
        if found:
            if found.group().replace("\ufeff", "").strip():
                self._note("removed comments")
            self.position = found.end()
        if self.text.startswith("/*", self.position):
            self._ended("a comment is not closed")

    def _note(self, change: str) -> None:
        self.changes[change] = None

    def _peek(self) -> str:
        self.skip_space()
        return self.text[self.position : self.position + 1]

    def _ended(self, reason: str) -> None:
        if not self.complete:
            raise CutOff(reason, len(self.text))
        self.cut = True
        self.position = len(self.text)

    def _fail(self, reason: str, *, after_string: bool = False) -> NoReturn:
        raise Malformed(reason, self.position, after_string=after_string)

    def _value(self) -> Json:
        self.values += 1
        if self.values > _MAX_VALUES:
            self._fail("too many values to mend")
        mark = self._peek()
        if not mark:
            self._ended("the text ends where a value should be")
            raise _Unfinished
        if mark in _CLOSERS:
            return self._string(mark)
        if mark in "{[(":
            self.depth += 1
            if self.depth > MAX_DEPTH:
                self._fail(f"nested more than {MAX_DEPTH} deep")
            self.position += 1
            value = self._object(opened=True) if mark == "{" else self._array(mark)
            self.depth -= 1
            return value
        return self._literal()

    def _literal(self) -> Json:
        found = _NUMBER.match(self.text, self.position)
        if found and not self.text[found.end() : found.end() + 1].strip(",]}) \t\r\n:/#"):
            number = self._number(found.group())
            self.position = found.end()
            return number
        if _CUT_NUMBER.match(self.text, self.position):
            self._ended("the text ends inside a number")
            raise _Unfinished
        word = _WORD.match(self.text, self.position)
        if not word:
            self._fail(f"unexpected {self.text[self.position]!r}")
        name = word.group()
        if name in _WORDS or name in _PYTHON_WORDS:
            if name in _PYTHON_WORDS:
                self._note("True, False, None → true, false, null")
            self.position = word.end()
            return _WORDS[name] if name in _WORDS else _PYTHON_WORDS[name]
        known = [*_WORDS, *_PYTHON_WORDS]
        if word.end() == len(self.text) and any(full.startswith(name) for full in known):
            self._ended("the text ends inside a word")
            raise _Unfinished
        return self._fail(f"{name[:20]!r} is not a JSON value")

    def _number(self, text: str) -> Json:
        if len(text) > _MAX_DIGITS:
            self._fail(f"a number of {len(text):,} digits")
        if not text[-1].isdigit() or text.lstrip("-")[0] in "+.":
            self._note("rewrote a number")
        if re.fullmatch(r"[+-]?[0-9]+", text):
            return int(text)
        number = float(text)
        return number if math.isfinite(number) else self._fail("a number too large for JSON")

    def _array(self, opener: str) -> list[Json]:
        items: list[Json] = []
        closer = "]" if opener == "[" else ")"
        if opener == "(":
            self._note("tuple → list")
        while True:
            mark = self._peek()
            if mark == closer:
                self.position += 1
                return items
            if not mark:
                self._ended("a list is not closed")
                return items
            try:
                items.append(self._value())
            except _Unfinished:
                return items
            if not self._comma(closer, joinable=isinstance(items[-1], (dict, list)), follow="{["):
                return items

    def _object(self, *, opened: bool) -> dict[str, Json]:
        members: dict[str, Json] = {}
        while True:
            mark = self._peek()
            if mark == "}":
                self.position += 1
                return members
            if not mark:
                if opened:
                    self._ended("an object is not closed")
                return members
            start = self.position
            key = self._key(mark)
            try:
                self._colon()
                value = self._value()
            except _Unfinished:
                self._note(f"left out {key[:40]!r}, which was cut off")
                return members
            if key in members and members[key] != value:
                raise Malformed(f"the key {key[:40]!r} has two different values", start)
            members[key] = value
            if not self._comma("}", joinable=True, follow="\"'", may_end=not opened):
                return members

    def _key(self, mark: str) -> str:
        if mark in _CLOSERS:
            return self._string(mark)
        found = _KEY.match(self.text, self.position)
        if not found:
            self._fail(f"expected a key, found {mark!r}")
        self._note("quoted the keys")
        self.position = found.end()
        return found.group()

    def _colon(self) -> None:
        mark = self._peek()
        if not mark:
            self._ended("the text ends after a key")
            raise _Unfinished
        if mark != ":":
            self._fail(f"expected ':' after a key, found {mark!r}")
        self.position += 1

    def _comma(self, closer: str, *, joinable: bool, follow: str, may_end: bool = False) -> bool:
        """Go past what divides two members; False where the text ended and was closed here."""
        after_string = self.text[self.position - 1] in _CLOSERS
        before = self.position
        mark = self._peek()
        if mark == ",":
            self.position += 1
            if self._peek() == closer:
                self._note("removed a trailing comma")
            elif self._peek() == ",":
                self._fail("two commas in a row")
        elif not mark:
            if may_end:
                return False
            self._ended("an object is not closed" if closer == "}" else "a list is not closed")
            return False
        elif mark != closer:
            if not (joinable and mark in follow and self.position > before):
                self._fail(f"expected ',' or {closer!r}, found {mark!r}", after_string=after_string)
            self._note("added a missing comma")
        return True

    def _string(self, mark: str) -> str:
        if mark != '"':
            self._note("changed the quotes")
        start, run, closers = self.position, _RUNS[mark], _CLOSERS[mark]
        self.position += 1
        parts: list[str] = []
        escapes: set[str] = set()
        while True:
            found = run.match(self.text, self.position)
            if found:
                parts.append(found.group())
                self.position = found.end()
            here = self.text[self.position : self.position + 1]
            if not here:
                self._ended(f"the string that begins at character {start} is not closed")
                break
            self.position += 1
            if here in closers:
                break
            if here == "\\":
                escapes.add(self.text[self.position : self.position + 1])
                parts.append(self._escape())
            else:
                self._note("escaped control characters")
                parts.append(here)
        self._judge(escapes)
        return "".join(parts)

    def _judge(self, escapes: set[str]) -> None:
        """Note backslashes that escape nothing; beside real escapes nobody can tell them apart."""
        loose = {mark for mark in escapes if mark and mark not in _ESCAPES and mark not in "uxU"}
        if not loose:
            return
        if escapes & {"n", "t", "r", "b", "f", "u", "x"}:
            self._fail("backslashes in a string that must be written \\\\")
        self._note("kept a backslash that escapes nothing")

    def _escape(self) -> str:
        mark = self.text[self.position : self.position + 1]
        digits = _HEX_DIGITS.get(mark)
        if digits and not (mark == "U" and self._hex(self.position + 1, 8) is None):
            return self._code_point(digits)
        self.position += 1
        if not mark:
            self._ended("the text ends inside an escape")
            return ""
        return _ESCAPES.get(mark, "\\" + mark)

    def _code_point(self, digits: int) -> str:
        code = self._hex(self.position + 1, digits)
        if code is None:
            if self.position + 1 + digits > len(self.text):
                self._ended("the text ends inside an escape")
                return ""
            self._fail("a broken escape")
        self.position += 1 + digits
        if 0xD800 <= code < 0xE000:
            return self._pair(code)
        return chr(code) if code <= 0x10FFFF else self._fail("a broken escape")

    def _pair(self, high: int) -> str:
        """Return the character that two surrogates stand for together."""
        low = self._hex(self.position + 2, 4)
        if self.text.startswith("\\u", self.position) and high < 0xDC00 <= (low or 0) < 0xE000:
            self.position += 6
            return chr(0x10000 + ((high - 0xD800) << 10) + (low or 0) - 0xDC00)
        if _CUT_ESCAPE.match(self.text, self.position):
            self._ended("the text ends inside an escape")
            return ""
        return self._fail("half of a surrogate pair")

    def _hex(self, start: int, digits: int) -> int | None:
        text = self.text[start : start + digits]
        return int(text, 16) if re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", text) else None
