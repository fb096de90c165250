"""Write the module that a script imports its tools from: a typed function for each."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hermes.services.scripting.annotating import annotation

_HEAD = '''"""The tools that this script may call: {names}.

Each returns a dict and raises ToolFailed, with code and hint, when the tool answers an error. The
same functions are in `aio` for asyncio; `gather(aio.x(...), aio.y(...))` makes several calls at
once and returns their results in order.
"""
from __future__ import annotations
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal
'''
_TAKEN = frozenset({"ToolFailed", "gather", "aio", "TYPE_CHECKING", "Any", "Literal"})
_JSON_DEFAULTS = (str, int, float, bool, type(None))


class Callable(NamedTuple):
    """A tool that a script may call."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Parameter(NamedTuple):
    """One argument of such a tool, as a Python function takes it."""

    name: str
    schema: Mapping[str, Any]
    is_required: bool

    @property
    def default(self) -> Any:
        """What it is when it is not given."""
        found = self.schema.get("default")
        return found if isinstance(found, _JSON_DEFAULTS) else None

    def declared(self, *, brief: bool = False) -> str:
        """Return it as it stands in a signature."""
        kind = annotation(self.schema)
        if self.is_required:
            return f"{self.name}: {kind}"
        if self.default is None:
            kind = kind if kind == "Any" or "None" in kind.split(" | ") else f"{kind} | None"
        elif brief:
            return f"{self.name}={self.default!r}" if "Literal" not in kind else self._chosen(kind)
        if brief and self.default is None:
            return f"{self.name}: {kind.removesuffix(' | None')} = None"
        return f"{self.name}: {kind} = {self.default!r}"

    def _chosen(self, kind: str) -> str:
        return f"{self.name}: {kind} = {self.default!r}"


def function_name(tool: str) -> str:
    """Return what a tool is called in Python."""
    name = re.sub(r"\W", "_", tool, flags=re.ASCII)
    if not name or name[0].isdigit() or keyword.iskeyword(name) or name in _TAKEN:
        return f"tool_{name}"
    return f"x{name}" if name.startswith("_") else name


def parameters_of(tool: Callable) -> tuple[list[Parameter], list[str]]:
    """Return the parameters that can be named in Python, and the names of those that cannot."""
    properties = tool.parameters.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = set(tool.parameters.get("required") or ())
    named, odd = [], []
    for name, schema in properties.items():
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
            odd.append(name)
        else:
            schema = schema if isinstance(schema, Mapping) else {}
            named.append(Parameter(name, schema, name in required))
    return sorted(named, key=lambda each: not each.is_required), odd


def signature(tool: Callable, *, brief: bool = False) -> str:
    """Return a function's name and parameters."""
    named, odd = parameters_of(tool)
    parts = [each.declared(brief=brief) for each in named]
    if odd or (not named and tool.parameters.get("additionalProperties", False)):
        parts.append("**more")
    return f"{function_name(tool.name)}({', '.join(parts)})"


def module(tools: Iterable[Callable]) -> str:
    """Return the source of the module."""
    tools = tuple(tools)
    listed = ", ".join(function_name(each.name) for each in tools) or "none"
    return "\n\n".join((_HEAD.format(names=listed), *map(_function, tools)))


def _function(tool: Callable) -> str:
    named, odd = parameters_of(tool)
    lines = [f"def {signature(tool)} -> dict[str, Any]:", *_documented(tool, named, odd)]
    required = ", ".join(f"{each.name!r}: {each.name}" for each in named if each.is_required)
    lines.append(f"    _a: Any = {{{required}}}")
    for each in named:
        if each.is_required:
            continue
        if each.default is None:
            lines.append(f"    if {each.name} is not None: _a[{each.name!r}] = {each.name}")
        else:
            lines.append(
                f"    if {each.name} is not None and {each.name} != {each.default!r}: "
                f"_a[{each.name!r}] = {each.name}"
            )
    if signature(tool).endswith("**more)"):
        lines.append("    _a.update(more)")
    lines.append(f"    return _call({tool.name!r}, _a)")
    return "\n".join(lines)


def _documented(tool: Callable, named: list[Parameter], odd: list[str]) -> list[str]:
    text = [tool.description.strip()]
    told = [(each.name, each.schema.get("description")) for each in named]
    told += [(name, "give it as **{...}") for name in odd]
    if any(words for _, words in told):
        text += ["", "Args:", *(f"    {name}: {words}" for name, words in told if words)]
    body = "\n".join(text)
    return [f"    {body!r}"]
