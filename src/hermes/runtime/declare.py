"""Turn a typed function or a class into a tool."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.runtime.base_tool import BaseTool, entry_of_class
from hermes.runtime.entry import Lazy, Spec, ToolEntry
from hermes.runtime.registry import ToolRegistry, registry
from hermes.runtime.traits import normalised

if TYPE_CHECKING:
    from hermes.schema.signature import Described

F = TypeVar("F", bound=Callable[..., Any])
_BUILT_IN = "hermes.tools."
_VARARGS = 0x04
_ASYNC_CODE = 0x80 | 0x200  # a coroutine function, an async generator function


@overload
def tool(target: F, /) -> F: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    toolset: str | None = None,
    registry: ToolRegistry | None = None,
    override: bool = False,
    **traits: Any,
) -> Callable[[F], F]: ...
def tool(target: Any = None, /, **options: Any) -> Any:
    """Register a typed function, sync or async, or a BaseTool class, as a tool.

    The signature and docstring become the schema; the function stays an ordinary function.
    """
    if target is not None:
        return _register(target, options)
    return lambda actual: _register(actual, options)


def _register(target: F, options: dict[str, Any]) -> F:
    options = dict(options)
    into = options.pop("registry", None)
    if into is None:
        into = registry
    override = options.pop("override", False)
    entry = entry_of(target, **options)
    _attach(target, entry)
    if not _known_built_in(into, entry):
        into.add(entry, override=override)
    return target


def _known_built_in(into: ToolRegistry, entry: ToolEntry) -> bool:
    """Whether this is a built-in tool that the saved catalogue already announced."""
    known = into.get(entry.name)
    return (
        known is not None
        and entry.source == known.source == "builtin"
        and known.toolset == entry.toolset
    )


def _attach(target: Any, entry: ToolEntry) -> None:
    """Leave the entry on what was decorated; a method keeps it on its function."""
    try:
        getattr(target, "__func__", target).__hermes_entry__ = entry
    except (AttributeError, TypeError) as error:
        raise ConfigError(
            f"@tool cannot mark {target!r}", hint="Wrap it in a function of your own."
        ) from error


def entry_of(
    target: Callable[..., Any] | type[BaseTool],
    *,
    name: str | None = None,
    description: str | None = None,
    toolset: str | None = None,
    **traits: Any,
) -> ToolEntry:
    """Return the entry of a function or a BaseTool class without registering it."""
    module = getattr(target, "__module__", "") or ""
    built_in = module.startswith(_BUILT_IN)
    home = module.split(".")[2] if built_in and module.count(".") >= 2 else "custom"
    traits = normalised(traits, name or str(getattr(target, "__name__", "")))
    traits.setdefault("source", "builtin" if built_in else "python")
    if isinstance(target, type) and issubclass(target, BaseTool):
        return entry_of_class(
            target, name, description, toolset or (home if built_in else None), traits
        )
    if not callable(target):
        raise ConfigError(f"@tool needs a function or a BaseTool class, not {target!r}")
    return _entry_of_function(target, name, description, toolset or home, traits)


def _entry_of_function(
    function: Callable[..., Any],
    name: str | None,
    description: str | None,
    toolset: str,
    traits: dict[str, Any],
) -> ToolEntry:
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    if code is None:
        code = getattr(vars(type(function)).get("__call__"), "__code__", None)
    if code is not None and (code.co_flags & _VARARGS or code.co_posonlyargcount):
        _spec(function, description)  # says at once what a later look would say
    return ToolEntry(
        name or function.__name__,
        toolset,
        Lazy(lambda: function),
        Lazy(lambda: _spec(function, description)),
        is_async=bool(code and code.co_flags & _ASYNC_CODE),
        **traits,
    )


@functools.cache
def _describe() -> Callable[[Callable[..., Any]], Described]:
    """Load the reader of signatures when the first tool is looked at."""
    describe: Callable[[Callable[..., Any]], Described] = load("hermes.schema.signature").describe
    return describe


def _spec(function: Callable[..., Any], description: str | None) -> Spec:
    described = _describe()(function)
    return Spec(
        description or described.description,
        described.parameters,
        converters=described.converters,
        wants_context=described.wants_context,
    )


def entry_attached(target: object) -> ToolEntry | None:
    """Return the entry that @tool left on a function or class."""
    return cast("ToolEntry | None", getattr(target, "__hermes_entry__", None))
