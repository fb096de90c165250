"""The words of the protocol: its versions, codes and keys, and messages read and written.

Two eras are spoken. In the handshake era a client introduces itself once, with ``initialize``. In
the modern one every request carries who asks and what they can do.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from hermes.base.errors import HermesError

Json = Any
Wire = dict[str, Any]
"""A JSON object as it goes over the wire."""
Id = int | str

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
LATEST_HANDSHAKE = HANDSHAKE[-1]
BATCHING = "2025-03-26"
"""The one version with batches."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
"""In the handshake era; the modern one says ``INVALID_PARAMS``."""
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

_OURS = "io.modelcontextprotocol/"
VERSION_KEY = f"{_OURS}protocolVersion"
CLIENT_KEY = f"{_OURS}clientInfo"
CAPABILITIES_KEY = f"{_OURS}clientCapabilities"
LEVEL_KEY = f"{_OURS}logLevel"
SERVER_KEY = f"{_OURS}serverInfo"
SUBSCRIPTION_KEY = f"{_OURS}subscriptionId"

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_encoder = msgspec.json.Encoder()
_HEAD_ID = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")\s*[,}]'
)


class RpcError(HermesError):
    """Answer a request with an error of the protocol instead of a result."""

    code = "rpc_error"

    def __init__(self, number: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.number = number
        self.data = data

    def body(self) -> Wire:
        """Return the error as it goes over the wire."""
        found: Wire = {"code": self.number, "message": self.message}
        return found if self.data is None else {**found, "data": self.data}


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


def is_modern(version: str) -> bool:
    """Say whether a version belongs to the era without handshakes."""
    return version in MODERN


def is_since(version: str, first: str) -> bool:
    """Say whether a version is as new as another one."""
    known = (*HANDSHAKE, *MODERN)
    return version in known and known.index(version) >= known.index(first)


def invalid(message: str) -> RpcError:
    """Return the error for parameters that do not fit."""
    return RpcError(INVALID_PARAMS, f"Invalid params: {message}")


def text_of(params: Wire, name: str) -> str:
    """Return a text that must be among the parameters.

    Raises:
        RpcError: it is missing, or no text.
    """
    value = params.get(name)
    if not isinstance(value, str):
        raise invalid(f"'{name}' must be a text")
    return value


def object_of(params: Wire, name: str) -> Wire:
    """Return an object that may be among the parameters, or an empty one.

    Raises:
        RpcError: it is something else.
    """
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(f"'{name}' must be an object")
    return value
