"""Messages of the protocol, read and written."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from hermes.base.errors import HermesError
from hermes.mcp.serving.wire import INVALID_REQUEST, PARSE_ERROR, Id, Json, RpcError, Wire

_encoder = msgspec.json.Encoder()
_HEAD_ID = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")\s*[,}]'
)


class Message(msgspec.Struct):
    """One message of a client: a request, a notification, or the answer to a request of ours."""

    jsonrpc: str = ""
    id: int | str | msgspec.UnsetType | None = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    result: Any = msgspec.UNSET
    error: Any = msgspec.UNSET


class Unreadable(HermesError):
    """Say why a line is no message, and whose request it was if that can be told."""

    def __init__(self, number: int, message: str, id: Id | None = None) -> None:
        super().__init__(message)
        self.number = number
        self.id = id


_decoder = msgspec.json.Decoder(Message)


def read(line: bytes | msgspec.Raw) -> Message:
    """Return the message of a line.

    Raises:
        Unreadable: it is no JSON, or no message.
    """
    try:
        message = _decoder.decode(line)
    except msgspec.ValidationError as error:
        raise Unreadable(INVALID_REQUEST, f"Invalid request: {error}", _id_within(line)) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Unreadable(PARSE_ERROR, f"Parse error: {error}") from error
    is_answer = message.result is not msgspec.UNSET or message.error is not msgspec.UNSET
    known = None if isinstance(message.id, msgspec.UnsetType) else message.id
    if message.jsonrpc != "2.0":
        raise Unreadable(INVALID_REQUEST, "Invalid request: jsonrpc must be '2.0'", known)
    if message.method is msgspec.UNSET and not is_answer:
        raise Unreadable(INVALID_REQUEST, "Invalid request: it names no method", known)
    if message.id is None and not is_answer:
        raise Unreadable(INVALID_REQUEST, "Invalid request: the id must be a text or an integer")
    return message


def batch(line: bytes) -> list[msgspec.Raw] | None:
    """Return the messages of a batch, or None for a line that is none."""
    if line.lstrip()[:1] != b"[":
        return None
    try:
        return msgspec.json.decode(line, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Unreadable(PARSE_ERROR, f"Parse error: {error}") from error


def id_in_head(head: bytes) -> Id | None:
    """Return the id of a request of which only the beginning is there, if it stands right there."""
    found = _HEAD_ID.match(head)
    if found is None:
        return None
    given: Id = msgspec.json.decode(found[1])
    return given


def _id_within(line: bytes | msgspec.Raw) -> Id | None:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    id = value.get("id") if isinstance(value, dict) else None
    return id if isinstance(id, (int, str)) and not isinstance(id, bool) else None


def encoded(value: Json) -> bytes:
    """Return a value as JSON."""
    return _encoder.encode(value)


def result(id: Id, body: Wire) -> Wire:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": id, "result": body}


def error(id: Id | None, problem: RpcError | Unreadable) -> Wire:
    """Return the answer to a request that could not be done."""
    body = {"code": problem.number, "message": problem.message}
    if isinstance(problem, RpcError):
        body = problem.body()
    return {"jsonrpc": "2.0", "id": id, "error": body}


def notification(method: str, params: Wire | None = None) -> Wire:
    """Return a message that wants no answer."""
    made: Wire = {"jsonrpc": "2.0", "method": method}
    return made if params is None else {**made, "params": params}


def request(id: Id, method: str, params: Wire) -> Wire:
    """Return a request of ours to the client."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
