"""The methods of the protocol: which of them an era has, and what they must be given."""

from __future__ import annotations

from typing import Any

from hermes.mcp.serving.wire import LEVELS, Wire, invalid, is_modern, object_of, text_of

_BOTH = {
    "tools/list": "on_tools",
    "tools/call": "on_call",
    "resources/list": "on_resources",
    "resources/templates/list": "on_templates",
    "resources/read": "on_read",
    "prompts/list": "on_prompts",
    "prompts/get": "on_prompt",
    "completion/complete": "on_complete",
}
_HANDSHAKE = {
    **_BOTH,
    "ping": "on_ping",
    "logging/setLevel": "on_level",
    "resources/subscribe": "on_subscribe",
    "resources/unsubscribe": "on_unsubscribe",
}
_MODERN = {**_BOTH, "server/discover": "on_discover"}
AT_ONCE = frozenset(
    {
        "on_discover",
        "on_level",
        "on_ping",
        "on_prompts",
        "on_subscribe",
        "on_templates",
        "on_tools",
        "on_unsubscribe",
    }
)
"""Those that wait for nothing."""


MOST_SUBSCRIBED = 200
"""How many resources a client may want to hear of; they are looked at again and again."""


def handler(method: str, version: str) -> str | None:
    """Return the name of what answers a method in a version's era; None when it has none such."""
    return (_MODERN if is_modern(version) else _HANDSHAKE).get(method)


def level_of(params: Wire) -> str:
    """Return the level that a client wants what is logged from.

    Raises:
        RpcError: there is no such level.
    """
    level = text_of(params, "level")
    if level not in LEVELS:
        raise invalid(f"there is no level {level!r}; levels are {', '.join(LEVELS)}")
    return level


def completion_of(params: Wire) -> tuple[str, str, str, str]:
    """Return what is to be completed: its kind, its name or address, the argument, the beginning.

    Raises:
        RpcError: something of it is missing.
    """
    ref, argument = object_of(params, "ref"), object_of(params, "argument")
    kind = text_of(ref, "type")
    if kind not in ("ref/prompt", "ref/resource"):
        raise invalid(f"there is no reference of type {kind!r}")
    where = text_of(ref, "name" if kind == "ref/prompt" else "uri")
    return kind, where, text_of(argument, "name"), text_of(argument, "value")


def wanted_of(params: Wire) -> dict[str, Any]:
    """Return which changes a client wants to hear of, as we agree to it.

    Raises:
        RpcError: it does not say so.
    """
    if not isinstance(params.get("notifications"), dict):
        raise invalid("'notifications' must be an object")
    wanted = params["notifications"]
    kinds = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
    agreed: dict[str, Any] = {kind: True for kind in kinds if wanted.get(kind) is True}
    uris = wanted.get("resourceSubscriptions")
    if isinstance(uris, list) and uris:
        if not all(isinstance(uri, str) for uri in uris) or len(uris) > MOST_SUBSCRIBED:
            raise invalid(f"'resourceSubscriptions' must be up to {MOST_SUBSCRIBED} texts")
        agreed["resourceSubscriptions"] = uris
    return agreed
