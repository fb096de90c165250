"""What a server says of itself and of its tools, as plain values that any file can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Self

Json = Any
Wire = Mapping[str, Json]
"""A JSON object as it came over the wire."""

_NOTHING: Wire = MappingProxyType({})
_NO_ARGUMENTS: Wire = {"type": "object", "properties": {}}


class ToolDefinition(NamedTuple):
    """One tool of a server, in the server's own words."""

    name: str
    title: str = ""
    description: str = ""
    input_schema: Wire = _NO_ARGUMENTS
    output_schema: Wire | None = None
    annotations: Wire = _NOTHING
    meta: Wire = _NOTHING

    @classmethod
    def from_wire(cls, said: Wire) -> Self:
        """Return the definition that a server sent; what it left out has its default.

        Raises:
            ValueError: it has no name, or a part of it is of the wrong kind.
        """
        name = said.get("name")
        if not isinstance(name, str) or not name:
            raise ValueError("a tool without a name")
        return cls(
            name,
            _text(said, "title"),
            _text(said, "description"),
            _object(said, "inputSchema") or _NO_ARGUMENTS,
            _object(said, "outputSchema") or None,
            _object(said, "annotations"),
            _object(said, "_meta"),
        )

    def as_json(self) -> dict[str, Json]:
        """Return the definition as it would come over the wire."""
        made: dict[str, Json] = {"name": self.name, "inputSchema": self.input_schema}
        if self.title:
            made["title"] = self.title
        if self.description:
            made["description"] = self.description
        if self.output_schema is not None:
            made["outputSchema"] = self.output_schema
        if self.annotations:
            made["annotations"] = self.annotations
        if self.meta:
            made["_meta"] = self.meta
        return made

    @property
    def shown_title(self) -> str:
        """The tool's name for people."""
        return self.title or str(self.annotations.get("title") or "")

    def hint(self, name: str, *, default: bool = False) -> bool:
        """Return what the server claims by one of its hints, such as ``readOnlyHint``."""
        value = self.annotations.get(name)
        return value if isinstance(value, bool) else default

    @property
    def is_read_only(self) -> bool:
        """Whether the server claims that the tool changes nothing."""
        return self.hint("readOnlyHint")

    @property
    def is_destructive(self) -> bool:
        """Whether the tool may take something away; so it is unless the server denies it."""
        return not self.is_read_only and self.hint("destructiveHint", default=True)

    @property
    def is_idempotent(self) -> bool:
        """Whether calling it twice is as good as calling it once."""
        return self.is_read_only or self.hint("idempotentHint")

    @property
    def is_open(self) -> bool:
        """Whether the tool reaches beyond the server; so it is unless the server denies it."""
        return self.hint("openWorldHint", default=True)


class ServerDefinitions(NamedTuple):
    """All that a server offers, as it was last seen."""

    server_info: Wire = _NOTHING
    instructions: str = ""
    protocol: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    resources: tuple[Wire, ...] = ()
    templates: tuple[Wire, ...] = ()
    prompts: tuple[Wire, ...] = ()
    capabilities: Wire = _NOTHING

    @classmethod
    def from_wire(cls, said: Wire) -> Self:
        """Return what ``as_json`` gave.

        Raises:
            ValueError: it is not that.
        """
        return cls(
            _object(said, "serverInfo"),
            _text(said, "instructions"),
            _text(said, "protocol"),
            tuple(ToolDefinition.from_wire(tool) for tool in _objects(said, "tools")),
            tuple(_objects(said, "resources")),
            tuple(_objects(said, "resourceTemplates")),
            tuple(_objects(said, "prompts")),
            _object(said, "capabilities"),
        )

    def as_json(self) -> dict[str, Json]:
        """Return everything as one JSON object."""
        return {
            "serverInfo": dict(self.server_info),
            "instructions": self.instructions,
            "protocol": self.protocol,
            "tools": [tool.as_json() for tool in self.tools],
            "resources": list(self.resources),
            "resourceTemplates": list(self.templates),
            "prompts": list(self.prompts),
            "capabilities": dict(self.capabilities),
        }

    @property
    def has_resources(self) -> bool:
        """Whether the server has anything to be read, or may come to have it."""
        return "resources" in self.capabilities

    @property
    def has_prompts(self) -> bool:
        """Whether the server has prompts, or may come to have them."""
        return "prompts" in self.capabilities

    def tool(self, name: str) -> ToolDefinition | None:
        """Return the tool of a name, if there is one."""
        return next((tool for tool in self.tools if tool.name == name), None)


def _text(said: Wire, key: str) -> str:
    value = said.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a text")
    return value


def _object(said: Wire, key: str) -> Wire:
    value = said.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{key} is not an object")
    return value


def _objects(said: Wire, key: str) -> Iterable[Wire]:
    value = said.get(key)
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, Mapping) for one in value):
        raise ValueError(f"{key} is not a list of objects")
    return value
