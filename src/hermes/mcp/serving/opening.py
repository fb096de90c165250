"""The first words with a client over stdio, before anything is loaded that only calls need.

A client greets, or asks what there is, and then for the tools. It waits for that when it starts,
so it is answered without an event loop; from the first line that is anything else, that goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from hermes.mcp.serving.client import Client
from hermes.mcp.serving.facts import Facts
from hermes.mcp.serving.greeting import greeted, of_envelope, opens_modern
from hermes.mcp.serving.wire import RpcError, Wire

_READ_BYTES = 262_144
_MOST_BYTES = 1_048_576
_LAST = "tools/list"


class Opening:
    """Answer the first lines of a client, and tell what came of it."""

    def __init__(self, facts: Facts, tools: Callable[[], list[Wire]], task_id: str) -> None:
        self._facts = facts
        self._tools = tools
        self.task_id = task_id
        self.client: Client | None = None
        """Who introduced itself by a handshake."""
        self.is_modern: bool | None = None
        """The era, once the first request told."""
        self.is_initialized = False
        self.told: list[Wire] | None = None
        """The tools that were told of."""
        self.rest = b""
        """What came in and was not answered."""

    def run(self, given: int, taken: int) -> None:
        """Read and answer until the tools were told, or something else is wanted."""
        while len(self.rest) < _MOST_BYTES:
            line, end, rest = self.rest.partition(b"\n")
            if not end:
                data = os.read(given, _READ_BYTES)
                if not data:
                    return
                self.rest += data
                continue
            message = _message(line)
            answer = None if message is None else self._answer(message)
            if message is None or answer is None:
                return
            self.rest = rest
            if answer:
                _write(taken, json.dumps(answer, separators=(",", ":")).encode() + b"\n")
            if message["method"] == _LAST:
                return

    def _answer(self, message: Wire) -> Wire | None:
        """Return the answer, an empty one where none is due, and None for what is not for us."""
        method, params, id = message["method"], message.get("params", {}), message.get("id")
        if id is None:
            return self._noted(method)
        try:
            body = self._result(method, params)
        except RpcError:  # who goes on says what is wrong
            return None
        return None if body is None else {"jsonrpc": "2.0", "id": id, "result": body}

    def _noted(self, method: str) -> Wire | None:
        if method != "notifications/initialized" or self.client is None:
            return None
        self.is_initialized = True
        return {}

    def _result(self, method: str, params: Wire) -> Wire | None:
        is_modern = opens_modern(method, params)
        if self.is_modern is not None and is_modern != self.is_modern:
            return None
        if method == "initialize" and self.client is None:
            self.client, answer = greeted(params, self._facts, self.task_id)
            self.is_modern = False
            return answer
        if is_modern:
            client = of_envelope(method, params, self.task_id)
            self.is_modern = True
        elif self.client is not None:
            client = self.client
        else:
            return None
        found: Wire | None = None
        if method == "server/discover" and is_modern:
            found = self._facts.discovered()
        elif method == _LAST:
            self.told = self._tools()
            found = self._facts.paged("tools", self.told, params)
        return None if found is None else self._facts.finished(method, found, client)


def _message(line: bytes) -> Wire | None:
    """Return a request or a notification; None for everything that is not plainly one."""
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return None
    id = value.get("id", 0)
    is_sound = isinstance(value.get("method"), str) and isinstance(value.get("params", {}), dict)
    is_named = isinstance(id, (int, str)) and not isinstance(id, bool)
    return value if is_sound and is_named else None


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
