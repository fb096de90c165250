"""Read a tool file into specs; all its problems are reported at once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.base.messages import Json
from hermes.base.yaml_lines import Document, read
from hermes.runtime.yaml_tools.spec import command, http
from hermes.runtime.yaml_tools.spec.fields import Fields, Problems, shown
from hermes.runtime.yaml_tools.spec.json_path import Step, parse_path
from hermes.runtime.yaml_tools.spec.parameters import read_parameters
from hermes.runtime.yaml_tools.spec.spec import (
    MAX_BYTES,
    CommandAction,
    Format,
    HttpAction,
    Response,
    Secret,
    ToolSpec,
)

_KEYS = (
    "name",
    "description",
    "type",
    "toolset",
    "parameters",
    "tags",
    "emoji",
    "timeout_seconds",
    "response",
    "permissions",
    "effects",
)
_KEYS_OF = {
    "http_wrapper": http.KEYS,
    "command": command.KEYS,
    "": (*http.KEYS, *command.KEYS),
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")
_PERMISSION = r"[a-z][a-z0-9_]*:[a-z*][a-z0-9_*]*"
_MAX_SECONDS = 3_600
_MAX_CHARS = 10_000_000
_MAX_RESPONSE = 50_000_000


def parse(text: str, file: object) -> list[ToolSpec]:
    """Return the tools that a text declares: one, a list under ``tools``, or several documents.

    Raises:
        ConfigError: everything that is wrong, each with file, line, key and the fix.
    """
    problems = Problems(file)
    specs: dict[str, ToolSpec] = {}
    for fields in _tools(read(text, file=file), problems):
        spec = _tool(fields)
        if spec is None:
            continue
        if spec.name in specs:
            fix = "Give every tool a name of its own."
            fields.wrong("name", f"the tool {spec.name!r} is declared twice in this file", fix)
        if spec.name:
            specs[spec.name] = spec
    if not problems and not specs:
        fix = "Start with `name:`, `description:` and `type: http_wrapper` or `type: command`."
        problems.add(1, "", "declares no tool", fix)
    if problems:
        raise problems.error()
    return list(specs.values())


def _tools(documents: list[Document], problems: Problems) -> Iterator[Fields]:
    for document in documents:
        top = Fields({}, (), document, problems)
        value = document.value
        if not isinstance(value, dict):
            top.wrong(
                None, f"a tool must be a mapping, not {shown(value)}", "Start with `name: my_tool`."
            )
        elif "tools" in value and "type" not in value:
            yield from _listed(Fields(value, (), document, problems))
        else:
            yield Fields(value, (), document, problems)


def _listed(top: Fields) -> Iterator[Fields]:
    top.only(("tools",))
    items = top.value["tools"]
    if not isinstance(items, list):
        top.wrong(
            "tools", f"must be a list of tools, not {shown(items)}", "Write `tools: [{name: …}]`."
        )
        return
    for position, item in enumerate(items):
        inner = top.inner(item if isinstance(item, dict) else {}, "tools", position)
        if isinstance(item, dict):
            yield inner
        else:
            inner.wrong(
                None, f"a tool must be a mapping, not {shown(item)}", "Write `{name: my_tool, …}`."
            )


def _tool(fields: Fields) -> ToolSpec | None:
    kind = _kind(fields)
    fields.only((*_KEYS, *_KEYS_OF[kind]))
    name, description = _name(fields), _description(fields)
    if not kind:  # what else the tool lacks depends on its type
        return None
    is_command = kind == "command"
    parameters = read_parameters(fields)
    reads = command.read_command if is_command else http.read_http
    action: HttpAction | CommandAction = reads(fields, parameters)
    default = ("terminal:execute", "exec") if is_command else ("network:fetch", _effect_of(action))
    return ToolSpec(
        name=name,
        description=description,
        toolset=_toolset(fields),
        parameters=parameters,
        action=action,
        response=_response(fields, is_command=is_command),
        permissions=_permissions(fields, default[0]),
        effects=fields.effects("effects") or frozenset(default[1:]),
        timeout_seconds=float(
            fields.number("timeout_seconds", 60 if is_command else 30, 0.01, _MAX_SECONDS)
        ),
        tags=fields.words("tags", r"\S.{0,63}", "weather"),
        emoji=fields.text("emoji"),
        secrets=_secrets(action),
        file=str(fields.problems.file),
        line=fields.document.line(fields.path),
    )


def _kind(fields: Fields) -> str:
    """Return the type; without a known one what the keys tell, and nothing when they do not."""
    guess = "command" if "argv" in fields.value else ""
    guess = "http_wrapper" if "endpoint" in fields.value else guess
    if not fields.has("type"):
        fields.wrong(None, "missing 'type'", "Add `type: http_wrapper` or `type: command`.")
    return fields.choice("type", ("http_wrapper", "command"), guess)


def _description(fields: Fields) -> str:
    return fields.text("description", example="What the tool does, for the model.").strip()


def _effect_of(action: HttpAction | CommandAction) -> str:
    return (
        "read" if isinstance(action, HttpAction) and action.method in ("GET", "HEAD") else "write"
    )


def _name(fields: Fields) -> str:
    name = fields.text("name", example="get_weather")
    if name and not _NAME.match(name):
        fix = "Use letters, digits, _ and -, at most 64, not starting with a digit."
        fields.wrong("name", f"{shown(name)} is not a tool's name", fix)
    return name


def _toolset(fields: Fields) -> str:
    toolset = fields.text("toolset", "custom")
    if not _NAME.match(toolset):
        fields.wrong(
            "toolset", f"{shown(toolset)} is not a toolset's name", "Write it like `custom`."
        )
    return toolset


def _permissions(fields: Fields, default: str) -> tuple[str, ...]:
    found = fields.words("permissions", _PERMISSION, "network:fetch")
    return found if isinstance(fields.value.get("permissions"), list) else found or (default,)


def _response(tool: Fields, *, is_command: bool) -> Response:
    formats: tuple[Format, ...] = ("json", "text", "lines") if is_command else ("json", "text")
    usual: Format = "text" if is_command else "json"
    fields = tool.mapping("response")
    fields.only(("format", "path", "max_chars", "max_bytes"))
    chosen = fields.choice("format", formats, usual)
    if chosen != "json" and fields.has("path"):
        fields.wrong(
            "path", f"only JSON has a path, and the format is {chosen}", "Use `format: json`."
        )
    max_chars = fields.integer("max_chars", 0, 1, _MAX_CHARS)
    max_bytes = fields.integer("max_bytes", MAX_BYTES, 1, _MAX_RESPONSE)
    return Response(chosen, _path(fields), max_chars or None, max_bytes)


def _path(fields: Fields) -> tuple[Step, ...]:
    try:
        return parse_path(fields.text("path"))
    except ValueError as error:
        fields.wrong("path", str(error), "Write it like data.items[0].name or items[*].id.")
    return ()


def _secrets(action: HttpAction | CommandAction) -> tuple[str, ...]:
    found: list[Json] = []
    if isinstance(action, HttpAction):
        found += [*action.auth.secrets, *action.headers.values(), *action.query.values()]
    else:
        found += action.env.values()
    return tuple(dict.fromkeys(item.env for item in found if isinstance(item, Secret) and item.env))
