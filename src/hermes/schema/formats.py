"""Write one tool definition in the shape each provider expects, under a name each accepts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from zlib import crc32

from hermes.base.errors import HermesError
from hermes.base.text import did_you_mean
from hermes.schema.sanitize import for_provider
from hermes.schema.subset import Schema

FORMATS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")

_LONGEST = 64
_SAFE = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_SERVER_TOOL = re.compile(r"mcp-([^:]+):(.+)", re.DOTALL)
# only then can server and tool be told apart again in mcp__server__tool
_TELLABLE = re.compile(r"mcp-(?!_)(?:(?!__)[^:])+(?<!_):(?!_).+", re.DOTALL)


class UnknownFormat(HermesError):
    """Name the format that does not exist and those that do."""

    code = "unknown_format"


def render(
    format: str,
    name: str,
    description: str,
    parameters: Schema,
    *,
    strict: bool = False,
    output_schema: Mapping[str, Any] | None = None,
    annotations: Mapping[str, Any] | None = None,
    quirks: Iterable[str] = (),
) -> dict[str, Any]:
    """Return one tool definition as a provider's API takes it.

    ``name`` is used as given (see ``safe_name``). ``quirks`` are further dialects the parameters
    must satisfy first, such as ``"llama"``. ``output_schema`` and ``annotations`` are shown to MCP
    clients only.
    """
    if format not in FORMATS:
        hint = did_you_mean(format, FORMATS) or f"Formats are {', '.join(FORMATS)}."
        raise UnknownFormat(f"no definition format {format!r}", hint=hint)
    for quirk in quirks:
        parameters = for_provider(parameters, quirk)
    schema = for_provider(parameters, format, strict=strict)
    head: dict[str, Any] = {"name": name, "description": description}
    if format == "openai":
        function = {**head, "parameters": schema, **({"strict": True} if strict else {})}
        return {"type": "function", "function": function}
    if format == "openai-responses":
        return {"type": "function", **head, "parameters": schema, "strict": strict}
    if format == "anthropic":
        return {**head, "input_schema": schema}
    if format == "gemini":
        # an OBJECT without properties is refused, so a tool without parameters names none
        return {**head, "parameters": schema} if schema["properties"] else head
    shown = {
        "outputSchema": output_schema and dict(output_schema),
        "annotations": annotations and dict(annotations),
    }
    return {**head, "inputSchema": schema, **{key: value for key, value in shown.items() if value}}


def is_safe(name: str) -> bool:
    """Whether every provider accepts a name as it stands."""
    return _SAFE.fullmatch(name) is not None


def safe_name(name: str, taken: Collection[str] = frozenset()) -> str:
    """Return a name that every provider accepts, not among those taken.

    A name that already fits stays as it is; ``mcp-server:tool`` becomes ``mcp__server__tool``. What
    had to be changed beyond that ends in a short hash of the original, so that different names
    stay different; a long name loses its middle.
    """
    server = _SERVER_TOOL.fullmatch(name)
    wanted = f"mcp__{server[1]}__{server[2]}" if server else name
    attempt = 0
    fits = _SAFE.fullmatch(wanted) and (not server or _TELLABLE.fullmatch(name))
    safe = wanted if fits else _hashed(name, wanted, attempt)
    while safe in taken:
        safe = _hashed(name, wanted, attempt)
        attempt += 1
    return safe


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Return safe names by name, all different, whatever order the names came in.

    Names that fit as they are keep themselves; only the others make way.
    """
    ordered = sorted(set(names), key=lambda name: (not _SAFE.fullmatch(name), name))
    safe: dict[str, str] = {}
    taken: set[str] = set()
    for name in ordered:
        safe[name] = safe_name(name, taken)
        taken.add(safe[name])
    return safe


def _hashed(name: str, wanted: str, attempt: int) -> str:
    seed = f"{name}\0{attempt}" if attempt else name
    mark = f"_{crc32(seed.encode('utf-8', 'surrogatepass')):08x}"
    text = re.sub(r"[^a-zA-Z0-9_-]+", "_", wanted).strip("-") or "tool"
    text = text if re.match(r"[a-zA-Z_]", text) else f"_{text}"
    room = _LONGEST - len(mark)
    if len(text) > room:
        head = room // 2
        text = f"{text[:head]}{text[head - room :]}"
    return text + mark
