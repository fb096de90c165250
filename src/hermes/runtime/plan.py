"""What the pipeline needs to know about a tool, worked out once and used by every call."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator, Callable, Mapping
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from hermes.base.errors import InvalidArguments
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import HARMLESS, Alias, Arguments, Spec, ToolEntry

MAX_ITEMS = 10_000
_TAKES_KEYWORDS = 0x08
_KEYWORDS = ("task_id", "user_task", "ctx")
_PLAIN_VALUES = frozenset({dict, str, int, float, bool, list, type(None)})


class Plan:
    """An entry made ready to be called; it lives as long as the registry stays as it is."""

    __slots__ = ("alias", "entry", "handler", "has_needs", "invoke", "is_async", "limit", "spec")

    def __init__(self, entry: ToolEntry, alias: Alias | None) -> None:
        self.entry = entry
        self.alias = alias
        self.spec = entry.spec()
        self.is_async = entry.is_async
        self.limit = entry.max_result_size_chars
        self.has_needs = bool(
            entry.check_fn or entry.requires_env or entry.requires_bin or entry.requires_extra
        )
        self.handler: Callable[..., Any] | None = None
        self.invoke: Callable[[Arguments, ToolContext], Any] = self._first
        """Make the handler's call with everything that it takes."""

    def _first(self, arguments: Arguments, ctx: ToolContext) -> Any:
        """Load the handler, which for a built-in tool imports it, and keep the way to call it."""
        handler = self.entry.load()
        self.invoke = _raw(handler) if self.entry.raw else _typed(handler, self.entry.spec())
        return self.invoke(arguments, ctx)

    def changes_things(self, arguments: Arguments) -> bool:
        """Whether this very call declares an effect that someone could want to know of later."""
        effects = self.entry.effects
        if effects is None:
            return False
        return not (frozenset(effects(arguments)) if callable(effects) else effects) <= HARMLESS


def _typed(handler: Callable[..., Any], spec: Spec) -> Callable[[Arguments, ToolContext], Any]:
    converters = spec.converters
    if not converters and not spec.wants_context:
        return lambda arguments, _: handler(**arguments)
    if not converters:
        return lambda arguments, ctx: handler(**arguments, ctx=ctx)
    if not spec.wants_context:
        return lambda arguments, _: handler(**_converted(arguments, converters))
    return lambda arguments, ctx: handler(**_converted(arguments, converters), ctx=ctx)


def _converted(arguments: Arguments, converters: Mapping[str, Callable[[Any], Any]]) -> Arguments:
    converted = dict(arguments)
    for name, convert in converters.items():
        if name in converted:
            try:
                converted[name] = convert(converted[name])
            except (ValueError, TypeError) as error:
                raise InvalidArguments(f"{name!r}: {error}") from error
    return converted


def _raw(handler: Callable[..., Any]) -> Callable[[Arguments, ToolContext], Any]:
    """A raw handler gets a dict of its own, and those of the documented keywords that it takes."""
    names = _keywords(handler)

    def invoke(arguments: Arguments, ctx: ToolContext) -> Any:
        offered = {"task_id": ctx.task.id, "user_task": ctx.user_task, "ctx": ctx}
        taken = offered if names is None else {key: offered[key] for key in names}
        return handler(dict(arguments), **taken)

    return invoke


def _keywords(handler: Callable[..., Any]) -> list[str] | None:
    """Return which of the documented keywords a handler names, or None when it takes them all."""
    code = getattr(handler, "__code__", None)
    if code is None or code.co_flags & _TAKES_KEYWORDS:
        return None
    named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [name for name in named[1:] if name in _KEYWORDS]


def needs_draining(value: Any) -> bool:
    """Whether a handler's value is still to be produced: a generator of one kind or another."""
    kind = type(value)
    return kind not in _PLAIN_VALUES and kind is GeneratorType


def drained(value: Any) -> list[Any]:
    """Return what a generator gives, up to a bound."""
    return list(itertools.islice(value, MAX_ITEMS))


def is_pending(value: Any) -> bool:
    """Whether a handler's value is still to be awaited."""
    return type(value) not in _PLAIN_VALUES and (
        type(value) is AsyncGeneratorType or hasattr(value, "__await__")
    )


async def awaited(value: Any) -> Any:
    """Return what an awaitable gives, or the items of an async generator, up to a bound."""
    if type(value) is not AsyncGeneratorType:
        return await value
    items = []
    values: AsyncGenerator[Any, None] = value
    async for item in values:
        items.append(item)
        if len(items) >= MAX_ITEMS:
            await values.aclose()
            break
    return items
