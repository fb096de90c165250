"""The one way of a call: find, fit, judge, run, shape. Nothing happens before the run."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from hermes.base.errors import (
    Denied,
    HermesError,
    InvalidArguments,
    ServiceMissing,
    ToolError,
    Unavailable,
)
from hermes.base.messages import Json
from hermes.runtime.bind import bind
from hermes.runtime.bridge import HandlerExit, Way
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import Arguments, ToolEntry
from hermes.runtime.gate import Gate
from hermes.runtime.hooks import Hooks
from hermes.runtime.journal import Journal
from hermes.runtime.plan import Plan, awaited, drained, is_pending, needs_draining
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.results import Answer, Limits, Shaper

_log = logging.getLogger("hermes.dispatch")
_MAX_UNWRAPS = 3
_CANCELLED = Answer('{"error":"the call was cancelled","code":"cancelled"}', "cancelled")
_made = tuple.__new__  # a NamedTuple's own constructor costs as much as the rest of its step


class Ready(NamedTuple):
    """A call that was found, fitted and admitted, and is about to run as it stands."""

    plan: Plan
    arguments: Arguments
    changes: tuple[str, ...]
    verdict: str
    ctx: ToolContext


class Dispatcher:
    """Take calls through the pipeline; every door uses this one."""

    def __init__(
        self,
        registry: ToolRegistry,
        gate: Gate,
        hooks: Hooks,
        journal: Journal | None,
        shaper: Shaper,
        *,
        limits: Limits,
        timeout_seconds: float | None = None,
    ) -> None:
        self.registry = registry
        self.gate = gate
        self.hooks = hooks
        self.journal = journal
        self.shaper = shaper
        self.limits = limits
        self.timeout_seconds = timeout_seconds
        self.permitted: Callable[[ToolEntry], bool] | None = None
        """Whether a tool is within this runtime's toolsets; None when all are."""
        self.unavailable: Callable[[ToolEntry], str | None] = lambda _: None
        """Why a tool cannot run here now."""
        self._plans: dict[str, Plan] = {}
        self._planned = -1

    async def call(self, name: str, arguments: Json, ctx: ToolContext, way: Way) -> Answer:
        """Take one call the whole way; whatever happens, there is one answer."""
        started = time.time()
        try:
            ready = await self.prepare(name, arguments, ctx, way)
        except Exception as error:
            return self.refuse(name, arguments, ctx, error, started)
        return await self.finish(ready, way)

    async def prepare(self, name: str, arguments: Json, ctx: ToolContext, way: Way) -> Ready:
        """Find the tool, fit the arguments, run the before-hooks, and have the call judged.

        Raises:
            ToolError: the call cannot or may not run; nothing has happened.
        """
        plan, arguments = self._find(name, arguments)
        entry = plan.entry
        fitted, changes = bind(entry, plan.spec, arguments)
        if self.hooks.before:
            rewritten = self.hooks.run_before(entry.name, fitted, ctx, way)
            if not isinstance(rewritten, dict):
                rewritten = await rewritten
            if rewritten is not fitted:
                fitted, more = bind(entry, plan.spec, rewritten)
                changes = (*changes, "arguments rewritten by a hook", *more)
        gate = self.gate
        verdict = "allow" if gate.is_open else await gate.admit(entry, fitted, ctx, way)
        return _made(Ready, (plan, fitted, changes, verdict, ctx))

    def _find(self, name: str, arguments: Json) -> tuple[Plan, Json]:
        for _ in range(_MAX_UNWRAPS):
            plan = self._plan(name)
            if self.permitted is not None or plan.has_needs:
                self._check_offered(plan.entry)
            if plan.alias is not None:
                arguments = plan.alias.apply(arguments)
            unwrap = plan.entry.unwrap
            if unwrap is None:
                return plan, arguments
            name, arguments = unwrap(bind(plan.entry, plan.spec, arguments)[0])
        raise InvalidArguments("a call inside a call inside a call is not taken apart any further")

    def _plan(self, name: str) -> Plan:
        generation = self.registry.generation
        if self._planned != generation:
            self._plans, self._planned = {}, generation
        try:
            return self._plans[name]
        except (KeyError, TypeError):
            plan = Plan(*self.registry.find(name))
        if len(self._plans) < 2 * len(self.registry):
            self._plans[name] = plan
        return plan

    def _check_offered(self, entry: ToolEntry) -> None:
        if self.permitted is not None and not self.permitted(entry):
            raise ToolError(
                f"{entry.name!r} is not among the tools on offer here",
                code="not_offered",
                hint="Use one of the tools on offer, or ask the user to enable its toolset.",
            )
        reason = self.unavailable(entry)
        if reason:
            raise Unavailable(f"{entry.name} cannot run here now: {reason}")

    async def finish(self, ready: Ready, way: Way) -> Answer:
        """Run an admitted call, shape its answer, tell the after-hooks, and write it down."""
        plan, arguments, _, _, ctx = ready
        durable = self.journal is not None and plan.changes_things(arguments)
        started = time.time()
        if durable:
            refusal = await self._intend(ready, started, way)
            if refusal is not None:
                return refusal
        try:
            value = await self._run(plan, arguments, ctx, way)
            answer = self.shaper.success(value, ctx.call_id, plan.limit or self.limits.per_result)
        except ToolError as error:
            answer = self.shaper.failure(error)
        except (Exception, SystemExit, GeneratorExit) as error:
            answer = self.shaper.failure(_fault(plan.entry, error))
        except BaseException:  # the caller gave up: write that down, then let it go on its way
            self._record(ready, _CANCELLED, started, durable=durable)
            raise
        if self.hooks.after or self.hooks.transform:
            answer = await self._tell(ready, answer, time.time() - started, way)
        written = self._record(ready, answer, started, durable=durable)
        if written is not None:
            await self._settle(written, way)
        return answer

    async def _run(self, plan: Plan, arguments: Arguments, ctx: ToolContext, way: Way) -> Any:
        """Run the handler: on its loop, in its thread, or right here, within its time."""
        seconds = plan.entry.timeout_seconds if ctx.seconds is None else ctx.seconds
        if plan.is_async:
            ctx.seconds = seconds = seconds or self.timeout_seconds
            return await way.run_async(awaited_by(plan.invoke(arguments, ctx)), ctx, seconds)
        if way.is_inline and seconds is None:
            value = plan.invoke(arguments, ctx)
            if needs_draining(value):
                value = drained(value)
        else:
            ctx.seconds = seconds = seconds or self.timeout_seconds
            value = await way.run_sync(lambda: _produced(plan, arguments, ctx), ctx, seconds)
        if is_pending(value):
            value = await way.run_async(awaited(value), ctx, seconds or self.timeout_seconds)
        return value

    def refuse(
        self, name: str, arguments: Json, ctx: ToolContext, error: Exception, started: float
    ) -> Answer:
        """Answer a call that did not get to run, and write it down."""
        if not isinstance(error, HermesError):
            _log.error("hermes itself failed while preparing %s", name, exc_info=error)
            text = f"the call could not be prepared: {type(error).__name__}"
            error = ToolError(text, code="internal")
        answer = self.shaper.failure(error)
        if self.journal is not None:
            given = arguments if isinstance(arguments, dict) else {"arguments": arguments}
            verdict = "deny" if isinstance(error, Denied) else "refused"
            who = (ctx.call_id, ctx.task.id, ctx.door, str(name)[:200], given, (), verdict)
            self.journal.done((*who, started, 0.0, answer.code, error.message, len(answer.content)))
        return answer

    async def _tell(self, ready: Ready, answer: Answer, duration: float, way: Way) -> Answer:
        ctx = ready.ctx
        event = {
            "name": ready.plan.entry.name,
            "args": ready.arguments,
            "task_id": ctx.task.id,
            "call_id": ctx.call_id,
            "ctx": ctx,
        }
        if self.hooks.transform:
            content = await self.hooks.run_transform(way, result=answer.content, **event)
            if content is not answer.content:
                limit = ready.plan.limit or self.limits.per_result
                answer = Answer(
                    self.shaper.success(content, ctx.call_id, limit).content, answer.code
                )
        await self.hooks.run_after(
            way, result=answer.content, duration=duration, is_error=answer.is_error, **event
        )
        return answer

    async def _intend(self, ready: Ready, started: float, way: Way) -> Answer | None:
        """Make the intent durable before the effect; without that the call does not run."""
        plan, arguments, changes, verdict, ctx = ready
        name = plan.entry.name
        assert self.journal is not None
        try:
            await way.settle(
                self.journal.intend(
                    (ctx.call_id, ctx.task.id, ctx.door, name, arguments, changes, verdict, started)
                )
            )
        except HermesError as error:
            return self.shaper.failure(
                ToolError(
                    f"{name} was not run: the journal cannot be written ({error.message})",
                    code="journal_unwritable",
                    hint=error.hint or "Tell the user; `hermes doctor` says more.",
                )
            )
        return None

    def _record(
        self, ready: Ready, answer: Answer, started: float, *, durable: bool
    ) -> Future[Any] | None:
        journal = self.journal
        if journal is None:
            return None
        plan, arguments, changes, verdict, ctx = ready
        content, code = answer
        detail = None if code == "ok" else content[:2_000]
        duration = time.time() - started
        if durable:
            return journal.conclude((ctx.call_id, code, detail, duration, len(content)))
        name, task = plan.entry.name, ctx.task.id
        who = (ctx.call_id, task, ctx.door, name, arguments, changes, verdict, started, duration)
        journal.done((*who, code, detail, len(content)))
        return None

    async def _settle(self, written: Future[Any], way: Way) -> None:
        """Wait until the outcome is durable; the effect has happened, so a failure is only told."""
        try:
            await way.settle(written)
        except HermesError as error:
            _log.error("an outcome could not be written to the journal: %s", error.message)


def awaited_by(value: Any) -> Any:
    """Return the coroutine behind an async handler's value."""
    return value if hasattr(value, "send") else awaited(value)


def _produced(plan: Plan, arguments: Arguments, ctx: ToolContext) -> Any:
    """Call the handler and use up its generator where it runs, under the same clock."""
    value = plan.invoke(arguments, ctx)
    return drained(value) if needs_draining(value) else value


def _fault(entry: ToolEntry, error: BaseException) -> ToolError:
    """Say in one clean sentence that a tool broke; the trace goes to the log."""
    if isinstance(error, ServiceMissing):
        return ToolError(error.message, code=error.code, hint=error.hint)
    text = str(error) if isinstance(error, HandlerExit) else f"{type(error).__name__}: {error}"
    _log.warning("%s failed", entry.name, exc_info=error)
    return ToolError(
        f"{entry.name} failed: {text}",
        code="tool_failed",
        hint="This is a fault of the tool, not of your call; try another way.",
    )
