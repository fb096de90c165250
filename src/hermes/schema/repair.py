"""Read the arguments of a call from the text a model sent, mending what can only mean one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from hermes.base.errors import InvalidArguments
from hermes.base.json import NotJson, decode, encode
from hermes.base.messages import Json
from hermes.base.optional import load
from hermes.schema.fitting.relaxed import CutOff, Malformed, Reader

_FENCE = re.compile(r"`{3,}[ \t]*[\w+-]*[ \t]*\r?\n?")
_TRAILING = re.compile(r"(\"(?:[^\"\\]++|\\.)*+\")|(?<![{\[:]),(?=\s*+[}\]])", re.S)
_MEMBERS = re.compile(r"\s*(?:\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|[A-Za-z_]\w{0,79})\s*:")
_LABEL = re.compile(r"\s*[A-Za-z_]\w{0,79}\s*:\s*\{")
_ARGUMENTS = re.compile(r"\"|\w\s*[:=]\s*[^\s{,][^{,]*,")
_OPENERS = "{[\"'/#\u201c\u2018"
_BLANK = "\ufeff \t\r\n"
_LOOSE = re.compile(r"[\s\"'\\,]+")
_NO: Json = object()
_MAX_ENCODINGS = 3
_MAX_GUESS = 50_000
_MAX_PROSE = 2_000
_LARGE = 500_000


@dataclass(frozen=True, slots=True)
class Repaired:
    """The value read, what had to be mended for it, and whether its text was cut off."""

    value: Json
    changes: list[str]
    truncated: bool = False


def read_arguments(text: str, *, complete_truncated: bool) -> Repaired:
    """Return the arguments in a text; plain JSON passes untouched, empty text means none.

    ``complete_truncated`` is for tools without effects: a text that was cut off is closed where it
    ends, and quotes left unescaped inside strings are guessed at when nothing is lost by it.

    Raises:
        InvalidArguments: the text has no single meaning; the hint says where it breaks.
    """
    try:
        return _read(text, _MAX_ENCODINGS, lenient=complete_truncated)
    except RecursionError as error:
        raise InvalidArguments(
            "the arguments are nested too deeply",
            code="malformed_arguments",
            hint="Send a flatter JSON object.",
        ) from error


def _read(text: str, encodings: int, *, lenient: bool) -> Repaired:
    if not text.strip(_BLANK):
        return Repaired({}, [])
    value = _decoded(text)
    read = _mended(text, lenient=lenient) if value is _NO else Repaired(value, [])
    return _unwrapped(read, encodings, lenient=lenient)


def _decoded(text: str) -> Json:
    """Return the value of plain JSON, or _NO."""
    try:
        return decode(text)
    except NotJson:
        return _NO


def _unwrapped(read: Repaired, encodings: int, *, lenient: bool) -> Repaired:
    """Open up arguments that were encoded twice; null stands for no arguments."""
    if read.value is None:
        return Repaired({}, read.changes, read.truncated)
    if not isinstance(read.value, str) or encodings <= 0:
        return read
    inner = read.value.strip()
    if inner and inner[0] not in "{\"'`":
        return read
    opened = _read(inner, encodings - 1, lenient=lenient)
    if inner and not isinstance(opened.value, dict):
        return read
    changes = [*read.changes, "decoded arguments that were encoded twice", *opened.changes]
    return Repaired(opened.value, changes, read.truncated or opened.truncated)


def _mended(text: str, *, lenient: bool) -> Repaired:
    body, changes = _without_fence(text.strip(_BLANK))
    if text.startswith("\ufeff"):
        changes.append("removed a byte order mark")
    if not body:
        return Repaired({}, changes)
    for candidate, change in _rewritten(body, is_cleaned=bool(changes)):
        value = _decoded(candidate)
        if value is not _NO:
            return Repaired(value, [*changes, *change])
    return _relaxed(body, changes, lenient=lenient)


def _rewritten(body: str, *, is_cleaned: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield texts that may be plain JSON now, each with what was changed for it."""
    if is_cleaned:
        yield body, []
    if body.startswith('{\\"'):
        yield f'"{body}"', ["removed surplus backslashes"]
    if len(body) > _LARGE and body.count('"') < _LARGE:
        yield _TRAILING.sub(r"\1", body), ["removed a trailing comma"]


def _without_fence(text: str) -> tuple[str, list[str]]:
    opened = _FENCE.match(text)
    if opened is None:
        return text, []
    inside = text[opened.end() :]
    if inside.endswith("```"):
        return inside.rstrip("`").rstrip(), ["removed a code fence"]
    return (text, []) if "```" in inside else (inside, ["removed a code fence"])


def _relaxed(body: str, changes: list[str], *, lenient: bool) -> Repaired:
    start, found = _start(body)
    changes = [*changes, *found]
    try:
        return _objects(body, start, changes, complete=False)
    except CutOff as error:
        if not lenient:
            _refuse_cut(body, error)
    except Malformed as error:
        guessed = _guessed(body) if lenient and error.after_string else None
        if guessed is None:
            _refuse(body, error)
        return Repaired(guessed, [*changes, "escaped quotes inside a string"])
    try:
        return _objects(body, start, changes, complete=True)
    except Malformed as error:
        _refuse(body, error)


def _start(body: str) -> tuple[int, list[str]]:
    """Return where the value begins (-1: its first brace is missing) and what is left out."""
    if _MEMBERS.match(body) and not _LABEL.match(body):
        return -1, ["added the missing braces"]
    if body[0] in _OPENERS:
        return 0, []
    brace = body.find("{")
    if not 0 <= brace <= _MAX_PROSE or _ARGUMENTS.search(body[:brace]):
        raise InvalidArguments(
            "the arguments are not a JSON object",
            code="malformed_arguments",
            hint=f"Send one JSON object such as {{}}. This was sent: {encode(body[:80])}",
        )
    return brace, ["removed text around the object"]


def _objects(body: str, start: int, changes: list[str], *, complete: bool) -> Repaired:
    """Read the value at ``start`` and judge what follows it."""
    reader = Reader(body, position=max(start, 0), complete=complete)
    value = reader.members() if start < 0 else reader.value()
    found = [*changes, *reader.changes]
    reader.skip_space()
    rest = body[reader.position :]
    if reader.cut:
        return Repaired(value, [*found, "closed arguments that were cut off"], truncated=True)
    if not rest:
        return Repaired(value, found)
    if not isinstance(value, dict):
        raise Malformed("text after the value", reader.position, after_string=True)
    if _repeats(rest, value, reader.position):
        return Repaired(value, [*found, "used once an object that was sent more than once"])
    if not rest.strip("}] \t\r\n"):
        return Repaired(value, [*found, "removed surplus closing brackets"])
    if start < 0 or re.search(r"[{}\[\]\"]", rest) or rest[0] in ",:'":
        raise Malformed("text after the object", reader.position)
    surrounding = "removed text around the object"
    return Repaired(value, found if surrounding in found else [*found, surrounding])


def _repeats(rest: str, value: Json, position: int) -> bool:
    """Tell whether the rest is the same object again; another object is an error."""
    if not rest.startswith("{"):
        return False
    reader = Reader(rest)
    while True:
        again = reader.value()
        if again != value:
            raise Malformed("a second, different object", position)
        reader.skip_space()
        if reader.position == len(rest):
            return True
        if rest[reader.position] != "{":
            return False


def _guessed(body: str) -> Json | None:
    """Return json_repair's reading of unescaped quotes, if every character is in it, in order."""
    if len(body) > _MAX_GUESS or not body.startswith("{"):
        return None
    try:
        value = load("json_repair").loads(body, skip_json_loads=True)
    except (ValueError, TypeError, IndexError, KeyError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return value if _LOOSE.sub("", encode(value)) == _LOOSE.sub("", body) else None


def _refuse_cut(body: str, error: CutOff) -> NoReturn:
    raise InvalidArguments(
        "the arguments were cut off before their end",
        code="malformed_arguments",
        hint=f"{_sentence(error.reason)} They end with {encode(body[-60:])}. "
        "Nothing was done. Send the call again with complete arguments.",
    ) from error


def _refuse(body: str, error: Malformed) -> NoReturn:
    near = body[max(0, error.position - 30) : error.position + 30]
    raise InvalidArguments(
        f"the arguments are not valid JSON: {error.reason} at character {error.position:,}",
        code="malformed_arguments",
        hint=f"Near {encode(near)}. Send one JSON object.",
    ) from error


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}."
