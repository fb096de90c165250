"""Make entries of what a server offers: its tools, and tools for its resources and prompts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import Unavailable
from hermes.mcp.cache import Known
from hermes.runtime.entry import Handler, Lazy, Spec, ToolEntry

if TYPE_CHECKING:
    from hermes.config.servers import ServerSettings
    from hermes.mcp.definitions import ToolDefinition

_CLEANUP_SECONDS = 2.0
_LONGEST = 8_000
_NAME = {"type": "string", "description": "Its name, as listed."}


class Extra(NamedTuple):
    """A tool of ours that reads what a server has besides its tools."""

    name: str
    description: str
    properties: dict[str, Any]
    required: tuple[str, ...] = ()


_RESOURCES = (
    Extra(
        "list_resources",
        "List what the MCP server {server!r} has to be read: resources by their uri, and templates "
        "of such uris.",
        {},
    ),
    Extra(
        "read_resource",
        "Read a resource of the MCP server {server!r} by its uri, as list_resources gives it or "
        "made from a template.",
        {"uri": {"type": "string", "description": "The resource's uri."}},
        ("uri",),
    ),
)
_PROMPTS = (
    Extra("list_prompts", "List the prompts that the MCP server {server!r} has ready.", {}),
    Extra(
        "get_prompt",
        "Fetch a prompt of the MCP server {server!r}, filled in with arguments.",
        {
            "name": _NAME,
            "arguments": {
                "type": "object",
                "description": "Texts by name, as list_prompts says.",
                "additionalProperties": {"type": "string"},
            },
        },
        ("name",),
    ),
)


class Maker(NamedTuple):
    """What makes the handlers of a server's entries."""

    tool: Callable[[str], Handler]
    extra: Callable[[str], Handler]
    lazy: Callable[[Callable[[], Handler]], Lazy[Handler]] = Lazy


def entries(server: str, settings: ServerSettings, known: Known, make: Maker) -> list[ToolEntry]:
    """Return the entries of a server; tools that are held are there, and unavailable."""
    wanted = [tool for tool in known.admitted if is_wanted(tool.name, settings)]
    found = [_entry(server, settings, tool, make) for tool in wanted]
    taken = {tool.name for tool in known.definitions.tools}
    for extra in _extras(settings, known):
        name = extra.name if extra.name not in taken else f"server_{extra.name}"
        found.append(_extra_entry(server, settings, name, extra, make))
    for name, reason in known.held:
        if is_wanted(name, settings) and name.isprintable() and len(name) <= 128:
            found.append(_held_entry(server, name, reason))
    return found


def is_wanted(name: str, settings: ServerSettings) -> bool:
    """Say whether the settings have a tool offered."""
    chosen = settings.tools
    if chosen.include and not _matches(name, chosen.include):
        return False
    return not _matches(name, chosen.exclude)


def source_of(server: str) -> str:
    """Return the name under which a server's entries stand in the registry."""
    return f"mcp:{server}"


def name_of(server: str, tool: str) -> str:
    """Return the name of a server's tool in the registry."""
    return f"mcp-{server}:{tool}"


def _entry(server: str, settings: ServerSettings, tool: ToolDefinition, make: Maker) -> ToolEntry:
    effects, permissions = _powers(settings, tool)
    says_so = "readOnlyHint" in tool.annotations or "destructiveHint" in tool.annotations
    may_mix = tool.is_read_only or not says_so
    return ToolEntry(
        name_of(server, tool.name),
        f"mcp-{server}",
        make.lazy(functools.partial(make.tool, tool.name)),
        Lazy(lambda: Spec(_words(server, tool), _schema(tool))),
        is_async=True,
        raw=True,
        permissions=permissions,
        effects=effects,
        parallel=(True if may_mix else None) if settings.parallel else False,
        subjects=None if settings.is_local else {},
        timeout_seconds=settings.timeout + _CLEANUP_SECONDS,
        title=tool.shown_title,
        output_schema=tool.output_schema,
        destructive=tool.is_destructive,
        idempotent=tool.is_idempotent,
        tags=("mcp", server),
        source=source_of(server),
    )


def _powers(
    settings: ServerSettings, tool: ToolDefinition
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return a tool's effects and permissions, as far as the server's word goes."""
    outside = set() if settings.is_local else {"network"}
    if tool.is_read_only:
        return frozenset({"read", *outside}), ("mcp:read",)
    if tool.hint("destructiveHint"):
        return frozenset({"write", "delete", *outside}), ("mcp:delete",)
    return frozenset({"write", *outside}), ("mcp:write",)


def _words(server: str, tool: ToolDefinition) -> str:
    own = tool.description or tool.shown_title or tool.name
    return f"{own[:_LONGEST].rstrip()}\n\n(A tool of the MCP server {server!r}, in its own words.)"


def _schema(tool: ToolDefinition) -> dict[str, Any]:
    return {"properties": {}, **tool.input_schema, "type": "object"}


def _extras(settings: ServerSettings, known: Known) -> Iterator[Extra]:
    if settings.tools.resources and known.definitions.has_resources:
        yield from _RESOURCES
    if settings.tools.prompts and known.definitions.has_prompts:
        yield from _PROMPTS


def _extra_entry(
    server: str, settings: ServerSettings, name: str, extra: Extra, make: Maker
) -> ToolEntry:
    schema = {
        "type": "object",
        "properties": extra.properties,
        "required": list(extra.required),
        "additionalProperties": False,
    }
    return ToolEntry(
        name_of(server, name),
        f"mcp-{server}",
        make.lazy(functools.partial(make.extra, extra.name)),
        Lazy(lambda: Spec(extra.description.format(server=server), schema)),
        is_async=True,
        raw=True,
        permissions=("mcp:read",),
        effects=frozenset({"read"} if settings.is_local else {"read", "network"}),
        parallel=settings.parallel,
        subjects={},
        timeout_seconds=settings.timeout + _CLEANUP_SECONDS,
        tags=("mcp", server),
        source=source_of(server),
    )


def _held_entry(server: str, name: str, reason: str) -> ToolEntry:
    spec = Spec("A tool that is held back.", {"type": "object", "properties": {}})

    def refuse() -> Handler:
        raise Unavailable(reason)

    return ToolEntry(
        name_of(server, name),
        f"mcp-{server}",
        Lazy(refuse),
        Lazy(lambda: spec),
        is_async=True,
        raw=True,
        permissions=("mcp:write",),
        effects=frozenset({"write"}),
        check_fn=functools.partial(_is_free, reason),
        tags=("mcp", server),
        source=source_of(server),
    )


def _is_free(reason: str) -> bool:
    raise Unavailable(reason)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
