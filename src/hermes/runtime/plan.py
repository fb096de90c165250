"""What the pipeline needs to know about a tool, worked out once and used by every call."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator, Callable, Mapping
from types import AsyncGeneratorType
from typing import Any

from hermes.base.errors import InvalidArguments, ToolError
from hermes.base.messages import own
from hermes.runtime.bridge import Waiting
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import HARMLESS, Alias, Arguments, By, Given, Spec, ToolEntry

MAX_ITEMS = 10_000
_TAKES_KEYWORDS = 0x08
_KEYWORDS = ("task_id", "user_task", "ctx")
_FLAT = frozenset({"string", "integer", "number", "boolean", "null"})
PLAIN_VALUES = frozenset({dict, str, int, float, bool, list, type(None)})


class Plan:
    """An entry made ready to be called; it lives as long as the registry stays as it is."""

    __slots__ = (
        "alias",
        "at_once",
        "cleared_by",
        "copy",
        "entry",
        "has_needs",
        "has_rules",
        "invoke",
        "is_async",
        "is_direct",
        "is_quick",
        "limit",
        "looked_at_by",
        "may_change_things",
        "name",
        "nests",
        "seconds",
        "spec",
    )

    def __init__(self, entry: ToolEntry, alias: Alias | None) -> None:
        self.entry = entry
        self.alias = alias
        self.spec = entry.spec()
        self.name = entry.name
        self.nests = _nests(self.spec.parameters)
        self.copy: Callable[[Arguments], Arguments] = own if self.nests else dict
        """Copy the arguments as deep as they can go."""
        self.may_change_things = entry.effects is not None and (
            callable(entry.effects) or not entry.effects <= HARMLESS
        )
        self.seconds = entry.timeout_seconds
        self.is_async = entry.is_async
        self.is_quick = not entry.is_async and entry.timeout_seconds is None
        """Whether synchronous code may run it in its own thread: nobody could stop it there."""
        self.at_once = False
        """Whether it is tried on the loop: once its handler is loaded, as loading takes long."""
        self.limit = entry.max_result_size_chars
        self.has_needs = entry.has_needs
        self.has_rules = any(
            callable(words) and not isinstance(words, (By, Given))
            for words in (entry.effects, entry.permissions)
        )
        """Whether functions of the tool's own, which may break, say what a call does."""
        self.is_direct = not (alias or entry.unwrap or self.has_needs)
        """Whether the call means this tool as it stands, and nothing can be in its way."""
        self.cleared_by: object = None
        """The policy under which every call of this tool may run; None when there is none."""
        self.looked_at_by: object = None
        """The policy that was asked about that."""
        self.invoke: Callable[[Arguments, ToolContext], Any] = self._first
        """Make the handler's call with everything that it takes."""

    def _first(self, arguments: Arguments, ctx: ToolContext) -> Any:
        """Load the handler, which for a built-in tool imports it, and keep the way to call it."""
        handler = self.entry.load()
        invoke = _raw(handler) if self.entry.raw else _typed(handler, self.entry.spec())
        # what a handler does to its lists and objects stays with it
        self.invoke = (lambda given, ctx: invoke(own(given), ctx)) if self.nests else invoke
        self.at_once = self.entry.tried_at_once and not self.is_async
        return self.invoke(arguments, ctx)

    def check_rules(self, arguments: Arguments) -> None:
        """Ask the tool's own functions what this call does; one that breaks stops the call."""
        try:
            self.entry.effects_of(arguments)
            self.entry.permissions_of(arguments)
        except Exception as error:
            raise ToolError(
                f"{self.name} cannot say what this call does: {type(error).__name__}",
                code="tool_failed",
                hint="This is a fault of the tool, not of your call; try another way.",
            ) from error

    def changes_things(self, arguments: Arguments) -> bool:
        """Whether this very call declares an effect that someone could want to know of later."""
        effects = self.entry.effects_of(arguments)
        return effects is not None and not effects <= HARMLESS


Ready = tuple[Plan, Arguments, tuple[str, ...], str, ToolContext]
"""A call that was found, fitted and admitted, and is about to run as it stands: the tool's plan,
the arguments, what was changed about them, the verdict, and the context. A plain tuple, as is an
answer: every call makes one of each."""


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


def _nests(parameters: Mapping[str, Any]) -> bool:
    """Whether an argument can be a list or an object, which a handler might change."""
    if parameters.get("additionalProperties", True) is not False:
        return True
    kinds = (part.get("type") for part in parameters.get("properties", {}).values())
    return not all(isinstance(kind, str) and kind in _FLAT for kind in kinds)


def drained(value: Any) -> Any:
    """Return what an iterator gives, up to a bound; any other value as it is."""
    if not hasattr(value, "__next__"):
        return value
    items = list(itertools.islice(value, MAX_ITEMS))
    if len(items) == MAX_ITEMS:
        items.append(f"<stopped after {MAX_ITEMS:,} items>")
    return items


def is_pending(value: Any) -> bool:
    """Whether a handler's value is still to be awaited."""
    kind = type(value)
    if kind in PLAIN_VALUES or kind is Waiting:
        return False
    return kind is AsyncGeneratorType or hasattr(value, "__await__")


async def awaited(value: Any) -> Any:
    """Return what an awaitable gives, or the items of an async generator, up to a bound."""
    if type(value) is not AsyncGeneratorType:
        return await value
    items = []
    values: AsyncGenerator[Any, None] = value
    async for item in values:
        items.append(item)
        if len(items) >= MAX_ITEMS:
            items.append(f"<stopped after {MAX_ITEMS:,} items>")
            await values.aclose()
            break
    return items
