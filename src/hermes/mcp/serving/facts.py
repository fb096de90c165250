"""What a server says of itself, and how its results are paged and stamped."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import NamedTuple

from hermes.mcp.serving.client import Client
from hermes.mcp.serving.wire import MODERN, SERVER_KEY, Wire, invalid

PAGE = 500
_CACHED = frozenset(
    {
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
    }
)


class Facts(NamedTuple):
    """What a server says of itself, and where it keeps results."""

    info: Wire
    instructions: str = ""
    results: str = ""
    """The folder of results that are too long."""
    has_resources: bool = False
    has_prompts: bool = False
    page: int = PAGE
    """How many tools, resources or prompts are told of at once."""

    def capabilities(self) -> Wire:
        """Return what a client may ask for."""
        found: Wire = {"tools": {"listChanged": True}, "logging": {}}
        if self.has_resources:
            found["resources"] = {"subscribe": True, "listChanged": True}
        if self.has_prompts:
            found["prompts"] = {"listChanged": True}
        if self.has_resources or self.has_prompts:
            found["completions"] = {}
        return found

    def discovered(self) -> Wire:
        """Return what we speak and can do, for a client that asks before anything else."""
        found: Wire = {"supportedVersions": list(MODERN), "capabilities": self.capabilities()}
        return {**found, "instructions": self.instructions} if self.instructions else found

    def finished(self, method: str, body: Wire, client: Client) -> Wire:
        """Return a result with what every result of the client's era says."""
        if not client.is_modern:
            return body
        meta = {SERVER_KEY: self.info, **body.get("_meta", {})}
        if body.get("resultType", "complete") != "complete":
            return {**body, "_meta": meta}
        cached = {"ttlMs": 0, "cacheScope": "private"} if method in _CACHED else {}
        return {"resultType": "complete", **cached, **body, "_meta": meta}

    def paged(self, key: str, items: Sequence[Wire], params: Wire) -> Wire:
        """Return the page that a cursor names, and the cursor of the next one.

        Raises:
            RpcError: the cursor is none of ours.
        """
        start = _start(params.get("cursor"))
        shown: Wire = {key: list(items[start : start + self.page])}
        if start and not shown[key]:
            raise invalid("'cursor' is not one of ours")
        if start + self.page < len(items):
            cursor = str(start + self.page).encode()
            shown["nextCursor"] = base64.urlsafe_b64encode(cursor).decode()
        return shown


def _start(cursor: object) -> int:
    if cursor is None:
        return 0
    try:
        start = int(base64.urlsafe_b64decode(str(cursor).encode()).decode())
    except (ValueError, UnicodeError):
        start = 0
    if start < 1:
        raise invalid("'cursor' is not one of ours")
    return start
