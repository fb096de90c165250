"""What the journal writes down about a call, and how it becomes one short JSON array.

    done     [call, task, door, tool, arguments, changes, verdict, started,
              duration, outcome, detail, size]
    intent   [call, task, door, tool, arguments, changes, verdict, started]
    outcome  [call, outcome, detail, duration, size]

Beside each stands a ticket, which names its process; an outcome bears the ticket of its intent.
New fields go to the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from hermes.base.digests import digest_of_text
from hermes.base.json import plain
from hermes.base.messages import Json
from hermes.base.redact import Redactor

LONGEST_TEXT = 2_000
_HEAD, _TAIL = 1_200, 500
_LARGEST_FIELD = 32_000
_BESIDE = 20_000
"""How much is looked at beyond what is kept: no credential is longer, so none is kept in part."""
_NEAR = 2_000
"""How long a credential is at most that has spaces in it, but for a private key."""
_WORDS = 3
"""How many words there are in a credential: none goes on beyond so many."""
_BEYOND_WORDS = re.compile(rf"(?:\S*+\s++){{{_WORDS}}}")
_SPANS_LINES = "PRIVATE KEY"
_GAP = re.compile(r"\n\0(\[[\d,]+ characters, sha256 [0-9a-f]{64}\])\0\n")

Status = Literal["ok", "error", "running", "maybe done"]

_encoder = msgspec.json.Encoder(enc_hook=plain)
encode = _encoder.encode
encode_lines = _encoder.encode_lines
decode = msgspec.json.Decoder(list).decode


class DoneRecord(NamedTuple):
    """Describe a call that only read, once it is over."""

    call_id: str
    task_id: str | None
    door: str
    tool: str
    arguments: Json
    changes: tuple[str, ...]
    verdict: str
    started: float
    duration: float
    outcome: str
    detail: str | None
    size: int


class IntentRecord(NamedTuple):
    """Describe a call with effects before it runs."""

    call_id: str
    task_id: str | None
    door: str
    tool: str
    arguments: Json
    changes: tuple[str, ...]
    verdict: str
    started: float


class OutcomeRecord(NamedTuple):
    """Describe how a call with effects ended."""

    call_id: str
    outcome: str
    detail: str | None
    duration: float
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """Show one call: what was asked, what was decided, how it ended."""

    id: int
    call_id: str
    task_id: str | None
    door: str
    tool: str
    arguments: Json
    changes: tuple[str, ...]
    verdict: str
    started: float
    status: Status
    duration: float | None
    outcome: str | None
    detail: str | None
    size: int | None
    origin: str


def careful(
    record: Sequence[Any], redactor: Redactor, digest: Callable[[str], str] = digest_of_text
) -> bytes:
    """Encode a record with its secrets replaced and its long texts cut, whatever it holds."""
    ends = _Ends(max(_NEAR, redactor.longest), digest)
    shortened = (_without_middles(_plain(_without_long(field, ends)), ends) for field in record)
    fields = [_short(redactor.value(field, strict=True)) for field in shortened]
    for at, field in enumerate(fields):
        if isinstance(field, (dict, list)):
            text = encode(field).decode()
            if len(text) > _LARGEST_FIELD:
                fields[at] = [cut(text)] if isinstance(field, list) else {"cut": cut(text)}
    return encode(fields)


def cut(text: str) -> str:
    """Keep a long text's head and tail, its length and its SHA-256."""
    if len(text) <= LONGEST_TEXT:
        return text
    gap = _GAP.search(text)
    about = gap[1] if gap else _about(text)
    return f"{text[:_HEAD]}… {about} …{text[-_TAIL:]}"


def _about(text: str, digest: Callable[[str], str] = digest_of_text) -> str:
    return f"[{len(text):,} characters, sha256 {digest(text)}]"


class _Ends(NamedTuple):
    """How the ends of a very long text are found, and what tells of the whole."""

    near: int
    digest: Callable[[str], str]


def _without_long(field: Any, ends: _Ends) -> Any:
    """Shorten the texts of plain arguments before anything else is done with them."""
    if type(field) is not dict or all(type(value) is not str for value in field.values()):
        return field
    return {
        key: _without_middles(value, ends) if type(value) is str else value
        for key, value in field.items()
    }


def _without_middles(value: Json, ends: _Ends) -> Json:
    """Take out of very long texts what is not kept anyway, before they are searched for secrets."""
    match value:
        case str() if len(value) > LONGEST_TEXT + 2 * max(_BESIDE, ends.near):
            head = value[: _head_end(value, ends.near)]
            tail = value[_tail_start(value, ends.near) :]
            return f"{head}\n\0{_about(value, ends.digest)}\0\n{tail}"
        case list():
            return [_without_middles(item, ends) for item in value]
        case dict():
            return {key: _without_middles(item, ends) for key, item in value.items()}
    return value


def _head_end(text: str, near: int) -> int:
    """Return where whatever begins in the head of a text has ended, if it is a credential."""
    sure = _HEAD + near
    last = max(sure, _HEAD + _BESIDE)
    words = _BEYOND_WORDS.match(text, sure, last)
    return words.end() if words else last


def _tail_start(text: str, near: int) -> int:
    """Return where nothing has begun yet that reaches into the tail, if it is a credential."""
    sure = len(text) - _TAIL - near
    first = min(sure, len(text) - _TAIL - _BESIDE)
    words = text[first:sure].rsplit(None, _WORDS)
    start = first + len(words[0]) if len(words) > _WORDS else first
    return first if text.find(_SPANS_LINES, first, start) >= 0 else start


def read(number: int, ticket: str, record: str, outcome: str | None, *, alive: bool) -> Entry:
    """Return the entry of a record and, for an intent, of its outcome."""
    fields = decode(record)
    call_id, task_id, door, tool, arguments, changes, verdict, started = fields[:8]
    duration, code, detail, size = fields[8:12] or [None] * 4
    if outcome is not None:
        _, code, detail, duration, size = decode(outcome)[:5]
    return Entry(
        id=number,
        call_id=call_id,
        task_id=task_id,
        door=door,
        tool=tool,
        arguments=arguments,
        changes=tuple(changes),
        verdict=verdict,
        started=started,
        status=_status(code, alive=alive),
        duration=duration,
        outcome=code,
        detail=detail,
        size=size,
        origin=origin_of(ticket),
    )


def origin_of(ticket: str) -> str:
    """Return the name of the spool, and so of the process, that gave out a ticket."""
    return ticket.partition(".")[0]


def _status(code: str | None, *, alive: bool) -> Status:
    if code is None:
        return "running" if alive else "maybe done"
    return "ok" if code == "ok" else "error"


def _plain(value: Any) -> Json:
    try:
        return plain(value)
    except Exception as error:  # an argument's own repr may raise anything
        return f"<cannot be shown: {type(error).__name__}>"


def _short(value: Json) -> Json:
    match value:
        case str():
            return cut(value)
        case list():
            return [_short(item) for item in value]
        case dict():
            return {cut(str(key)): _short(item) for key, item in value.items()}
    return value
