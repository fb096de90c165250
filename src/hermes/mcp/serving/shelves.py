"""What a server has beside tools: shelves of resources to read, and of prompts to begin with."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Mapping, Sequence
from typing import NamedTuple, Protocol

from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.wire import Wire

MARKDOWN = "text/markdown"


class Content(NamedTuple):
    """What is read from a resource: text, or bytes."""

    uri: str
    media_type: str
    content: str | bytes

    def wire(self) -> Wire:
        """Return it as it goes over the wire."""
        body: Wire = {"uri": self.uri, "mimeType": self.media_type}
        if isinstance(self.content, str):
            return {**body, "text": self.content}
        return {**body, "blob": base64.b64encode(self.content).decode()}


class Shelf(Protocol):
    """Resources of one kind; asked from worker threads, so they may take their time."""

    def listed(self) -> Sequence[Wire]:
        """Return its resources as they go over the wire: ``uri``, ``name`` and so on."""

    def templates(self) -> Sequence[Wire]:
        """Return the patterns of addresses that can be read though they are not listed."""

    def read(self, uri: str) -> Sequence[Content] | None:
        """Return what is behind an address; None when it is not here."""

    def stamp(self, uri: str) -> object:
        """Return a value that changes when the resource does; None when there is none such."""

    def complete(self, template: str, name: str, value: str) -> Sequence[str]:
        """Return the values that a part of a template may go on to."""


class Prompts(Protocol):
    """Prompts that a person can begin a conversation with."""

    def listed(self) -> Sequence[Wire]:
        """Return its prompts as they go over the wire: ``name``, ``arguments`` and so on."""

    def get(
        self, name: str, arguments: Mapping[str, str], caller: Caller
    ) -> Awaitable[Wire] | Wire | None:
        """Return ``messages`` and ``description``; None when it has no such prompt.

        Raises:
            RpcError: an argument is missing or wrong.
        """

    def complete(self, prompt: str, name: str, value: str) -> Sequence[str]:
        """Return the values that an argument of a prompt may go on to."""
