"""What the journal writes down about a call, and how it becomes one short JSON array.

A stored record is an array whose first item names its kind:

    ["done",    ticket, call, task, door, tool, arguments, changes, verdict, started,
                duration, outcome, detail, size]
    ["intent",  ticket, call, task, door, tool, arguments, changes, verdict, started]
    ["outcome", ticket, call, outcome, detail, duration, size]

A ticket is unique; an outcome bears the ticket of its intent. New fields go to the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from hermes.base.json import plain
from hermes.base.messages import Json
from hermes.base.redact import Redactor

LONGEST_TEXT = 2_000
_HEAD, _TAIL = 1_200, 500
_LARGEST_FIELD = 32_000

Status = Literal["ok", "error", "running", "maybe done"]

encode = msgspec.json.Encoder(enc_hook=plain).encode


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


def careful(record: Sequence[Any], redactor: Redactor) -> bytes:
    """Encode a record with its secrets replaced and its long texts cut, whatever it holds."""
    fields = [_short(redactor.value(_plain(field))) for field in record]
    for at, field in enumerate(fields):
        if isinstance(field, (dict, list)):
            text = encode(field).decode()
            if len(text) > _LARGEST_FIELD:
                fields[at] = [cut(text)] if isinstance(field, list) else {"cut": cut(text)}
    return encode(fields)


def stored(kind: str, ticket: str, data: bytes) -> str:
    """Return the stored form of an encoded record."""
    return f'["{kind}","{ticket}",{data.decode()[1:]}'


def cut(text: str) -> str:
    """Keep a long text's head and tail, its length and its SHA-256."""
    if len(text) <= LONGEST_TEXT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return f"{text[:_HEAD]}… [{len(text):,} characters, sha256 {digest}] …{text[-_TAIL:]}"


def read(row: int, record: str, outcome: str | None, *, alive: bool) -> Entry:
    """Return the entry of a stored record and, for an intent, of its outcome."""
    kind, ticket, *fields = msgspec.json.decode(record)
    asked, ended = fields[:8], fields[8:12]
    if kind == "intent":
        ended = [None] * 4
        if outcome is not None:
            _, _, _, code, detail, duration, size = msgspec.json.decode(outcome)[:7]
            ended = [duration, code, detail, size]
    call_id, task_id, door, tool, arguments, changes, verdict, started = asked
    duration, code, detail, size = ended
    return Entry(
        id=row,
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
