"""Named points where others may look in: before a call, after it, and over its result.

A before-hook that breaks stops the call; an after-hook that breaks is logged and passed over.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError, Denied
from hermes.base.text import did_you_mean, harmless, said
from hermes.runtime.bridge import Way, gives_up
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import Arguments

Hook = Callable[..., Any]
Copy = Callable[[Arguments], Arguments]
_log = logging.getLogger("hermes.hooks")

POINTS: dict[str, tuple[str, ...]] = {
    "pre_tool_call": ("name", "args", "task_id", "call_id", "ctx"),
    "post_tool_call": (
        "name",
        "args",
        "result",
        "task_id",
        "call_id",
        "duration",
        "is_error",
        "ctx",
    ),
    "transform_tool_result": ("name", "args", "result", "task_id", "call_id", "ctx"),
}
"""Each point and the keyword arguments a hook may take there; it names those it wants."""


_KEPT_IN = {
    "pre_tool_call": "before",
    "post_tool_call": "after",
    "transform_tool_result": "transform",
}


class Block(NamedTuple):
    """A before-hook's answer that stops the call."""

    reason: str


class Rewrite(NamedTuple):
    """A before-hook's answer that changes the arguments; they are fitted and judged anew."""

    args: dict[str, Any]


class Hooks:
    """Keep the hooks of one runtime, in the order they were added.

    The tuples are swapped, never changed: a call goes through the hooks it began with.
    """

    def __init__(self) -> None:
        self.before: tuple[Hook, ...] = ()
        self.after: tuple[Hook, ...] = ()
        self.transform: tuple[Hook, ...] = ()
        self.late = False
        """Whether anyone looks at results."""

    def add(self, point: str, hook: Hook) -> Callable[[], None]:
        """Add a hook, sync or async, and return a function that takes it out again.

        Raises:
            ConfigError: there is no such point, or the hook asks for what the point does not give.
        """
        if point not in _KEPT_IN:
            hint = did_you_mean(point, POINTS) or f"There are {', '.join(POINTS)}."
            raise ConfigError(f"there is no hook point {point!r}", hint=hint)
        kept_in = _KEPT_IN[point]
        adapted = _adapt(point, hook)
        self._keep(kept_in, (*getattr(self, kept_in), adapted))

        def take_out() -> None:
            kept = list(getattr(self, kept_in))
            if adapted in kept:
                kept.remove(adapted)
            self._keep(kept_in, tuple(kept))

        return take_out

    def _keep(self, kept_in: str, hooks: tuple[Hook, ...]) -> None:
        setattr(self, kept_in, hooks)
        self.late = bool(self.after or self.transform)

    def run_before(
        self, name: str, args: Arguments, copy: Copy, ctx: ToolContext, way: Way
    ) -> Arguments | Awaitable[Arguments]:
        """Return the arguments, rewritten when a hook asks for it; awaitable once a hook is async.

        Raises:
            Denied: a hook blocked the call, or broke.
        """
        shown = copy(args)  # a hook changes arguments by its answer, not behind the runtime's back
        for hook in self.before:
            try:
                answer = hook(
                    name=name, args=shown, task_id=ctx.task.id, call_id=ctx.call_id, ctx=ctx
                )
            except BaseException as error:
                raise _broken(error) from error
            if answer is not None:
                if hasattr(answer, "__await__"):
                    rest = self.before[self.before.index(hook) + 1 :]
                    return self._wait_before(rest, answer, (name, args, copy, ctx, way))
                args = _rewritten(answer, args)
                shown = copy(args)
        return args

    async def _wait_before(
        self, hooks: tuple[Hook, ...], pending: Awaitable[Any], event: tuple[Any, ...]
    ) -> Arguments:
        """Wait for an async hook, then run those after it."""
        name, args, copy, ctx, way = event
        try:
            answer = await way.value(pending)
        except BaseException as error:
            raise _broken(error) from error
        if answer is not None:
            args = _rewritten(answer, args)
        rest = Hooks()
        rest.before = hooks
        result = rest.run_before(name, args, copy, ctx, way)
        return result if isinstance(result, dict) else await result

    async def run_after(self, way: Way, **event: Any) -> None:
        """Show every after-hook what happened; what they do cannot change it."""
        for hook in self.after:
            await _shielded(hook, way, event)

    async def run_transform(self, way: Way, **event: Any) -> str:
        """Return the result as the first hook that answers a text wants it."""
        for hook in self.transform:
            answer = await _shielded(hook, way, event)
            if isinstance(answer, str):
                return answer
        result: str = event["result"]
        return result


def _broken(error: BaseException) -> BaseException:
    if gives_up(error):
        return error
    _log.error("a pre_tool_call hook broke", exc_info=error)
    return Denied(
        f"a pre_tool_call hook broke, so the call was stopped: {harmless(said(error))}",
        hint="Tell the user: a hook of this runtime needs mending.",
    )


def _rewritten(answer: Any, args: dict[str, Any]) -> dict[str, Any]:
    match answer:
        case Block(reason) | {"block": str(reason)} | {"action": "block", "message": str(reason)}:
            raise Denied(f"a hook blocked this call: {reason}")
        case {"action": "block"}:
            raise Denied("a hook blocked this call")
        case Rewrite(changed) | {"args": dict(changed)}:
            return changed
        case {"action": "approve"}:
            return args
    raise Denied(
        f"a pre_tool_call hook answered {type(answer).__name__}, which means nothing here",
        hint="A hook returns None, Block(reason) or Rewrite(args).",
    )


async def _shielded(hook: Hook, way: Way, event: dict[str, Any]) -> Any:
    try:
        answer = hook(**event)
        return await way.value(answer) if isinstance(answer, Awaitable) else answer
    except BaseException as error:
        if gives_up(error):
            raise
        _log.exception("an after-hook broke and was passed over")
        return None


def _adapt(point: str, hook: Hook) -> Hook:
    """Return the hook as a function of all the point's arguments; a bound one is never the same."""
    given = POINTS[point]
    try:
        parameters = list(inspect.signature(hook).parameters.values())
    except (TypeError, ValueError) as error:
        raise ConfigError(f"a {point} hook must be a function, not {hook!r}") from error
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    named = [one for one in parameters if one.kind is not one.VAR_KEYWORD]
    for parameter in named:
        by_name = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        is_needed = parameter.default is parameter.empty
        if not by_name or (is_needed and parameter.name not in given):
            raise ConfigError(
                f"a {point} hook cannot take {parameter.name!r}",
                hint=f"It is called with these, by name: {', '.join(given)}; or take **kw.",
            )
    if takes_all:
        return hook
    names = [parameter.name for parameter in named if parameter.name in given]
    return lambda **event: hook(**{name: event[name] for name in names})
