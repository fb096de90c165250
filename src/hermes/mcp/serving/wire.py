"""The words of the protocol: its versions, codes and keys.

Two eras are spoken. In the handshake era a client introduces itself once, with ``initialize``. In
the modern one every request carries who asks and what they can do.
"""

from __future__ import annotations

from typing import Any

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
