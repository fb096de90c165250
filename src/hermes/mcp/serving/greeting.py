"""How a conversation begins: by a handshake, or, in the modern era, with every request anew."""

from __future__ import annotations

from hermes.mcp.serving.client import Client
from hermes.mcp.serving.facts import Facts
from hermes.mcp.serving.wire import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    HANDSHAKE,
    LATEST_HANDSHAKE,
    MODERN,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    RpcError,
    Wire,
    invalid,
    object_of,
    text_of,
)


def greeted(params: Wire, facts: Facts, task_id: str) -> tuple[Client, Wire]:
    """Return who introduces itself, and what it is told of us.

    Raises:
        RpcError: it says too little of itself.
    """
    asked = text_of(params, "protocolVersion")
    for name in ("capabilities", "clientInfo"):
        if not isinstance(params.get(name), dict):
            raise invalid(f"'{name}' must be an object")
    version = asked if asked in HANDSHAKE else LATEST_HANDSHAKE
    client = Client(version, params["capabilities"], params["clientInfo"], task_id)
    answer: Wire = {
        "protocolVersion": version,
        "capabilities": facts.capabilities(),
        "serverInfo": facts.info,
    }
    if facts.instructions:
        answer["instructions"] = facts.instructions
    return client, answer


def opens_modern(method: str, params: Wire) -> bool:
    """Say whether a request belongs to the era without handshakes."""
    meta = params.get("_meta")
    return method != "initialize" and isinstance(meta, dict) and VERSION_KEY in meta


def of_envelope(method: str, params: Wire, task_id: str) -> Client:
    """Return who makes a request of the modern era.

    Raises:
        RpcError: it speaks another version, or says too little of itself.
    """
    if method == "initialize":
        asked = params.get("protocolVersion")
        raise _unsupported(asked if isinstance(asked, str) else "")
    meta = object_of(params, "_meta")
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise invalid(f"'_meta' lacks {' and '.join(missing)}")
    version = text_of(meta, VERSION_KEY)
    if version not in MODERN:
        raise _unsupported(version)
    return Client(version, object_of(meta, CAPABILITIES_KEY), object_of(meta, CLIENT_KEY), task_id)


def _unsupported(asked: str) -> RpcError:
    data = {"supported": list(MODERN), "requested": asked}
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
