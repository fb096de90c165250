"""The one way of a call: find, fit, judge, run, shape. Nothing happens before the run."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

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
from hermes.runtime.plan import (
    PLAIN_VALUES,
    Plan,
    awaited,
    drained,
    is_coroutine,
    is_pending,
    own,
)
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.results import Answer, Limits, Shaper

_log = logging.getLogger("hermes.dispatch")
_MAX_UNWRAPS = 3
_UNCHANGED: tuple[str, ...] = ()
_CANCELLED = ('{"error":"the call was cancelled","code":"cancelled"}', "cancelled")

Ready = tuple[Plan, Arguments, tuple[str, ...], str, ToolContext]
"""A call that was found, fitted and admitted, and is about to run as it stands: the tool's plan,
the arguments, what was changed about them, the verdict, and the context. A plain tuple, as is an
answer: every call makes one of each."""


class Dispatcher:
    """Take calls through the pipeline; every door uses this one.

    Each step is a plain function that gives its result at once when nothing has to be waited for,
    and an awaitable of it otherwise; so a call that waits for nothing needs no event loop.
    """

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

    def call(
        self, name: str, arguments: Json, ctx: ToolContext, way: Way
    ) -> Answer | Awaitable[Answer]:
        """Take one call the whole way; whatever happens, there is one answer."""
        try:
            ready = self.prepare(name, arguments, ctx, way)
        except Exception as error:
            return self.refuse(name, arguments, ctx, error)
        if type(ready) is tuple:
            return self.finish(ready, way)
        return self._call_later(ready, name, arguments, ctx, way)

    async def _call_later(
        self,
        pending: Ready | Awaitable[Ready],
        name: str,
        arguments: Json,
        ctx: ToolContext,
        way: Way,
    ) -> Answer:
        try:
            ready = pending if isinstance(pending, tuple) else await pending
        except Exception as error:
            return self.refuse(name, arguments, ctx, error)
        return await settled(self.finish(ready, way))

    def prepare(
        self, name: str, arguments: Json, ctx: ToolContext, way: Way
    ) -> Ready | Awaitable[Ready]:
        """Find the tool, fit the arguments, run the before-hooks, and have the call judged.

        Raises:
            ToolError: the call cannot or may not run; nothing has happened.
        """
        plan = self._plans.get(name) if self._planned == self.registry.generation else None
        if plan is None or not plan.is_direct or self.permitted is not None:
            plan, arguments = self._find(name, arguments)
        if plan.spec.exact(arguments):
            fitted, changes = own(arguments) if plan.nests else arguments, _UNCHANGED
        else:
            fitted, changes = bind(plan.entry, plan.spec, arguments)
        if self.hooks.before:
            hooked = self.hooks.run_before(plan.name, fitted, ctx, way)
            if hooked is not fitted:
                return self._rewrite(plan, hooked, changes, ctx, way)
        return self._judge(plan, fitted, changes, ctx, way)

    async def _rewrite(
        self,
        plan: Plan,
        hooked: Arguments | Awaitable[Arguments],
        changes: tuple[str, ...],
        ctx: ToolContext,
        way: Way,
    ) -> Ready:
        """Take what the hooks made of the arguments, fit that again, and have it judged."""
        arguments = hooked if isinstance(hooked, dict) else await hooked
        fitted, more = bind(plan.entry, plan.spec, arguments)
        changes = (*changes, "arguments went through a hook", *more)
        ready = self._judge(plan, fitted, changes, ctx, way)
        return ready if isinstance(ready, tuple) else await ready

    def _judge(
        self,
        plan: Plan,
        arguments: Arguments,
        changes: tuple[str, ...],
        ctx: ToolContext,
        way: Way,
    ) -> Ready | Awaitable[Ready]:
        gate = self.gate
        if gate.is_open:
            return plan, arguments, changes, "allow", ctx
        arguments = own(arguments)  # what was judged is what runs, whatever others do to theirs
        verdict = gate.admit(plan.entry, own(arguments), ctx, way)
        if isinstance(verdict, str):
            return plan, arguments, changes, verdict, ctx
        return _approved(plan, arguments, changes, verdict, ctx)

    def _find(self, name: str, arguments: Json) -> tuple[Plan, Json]:
        for _ in range(_MAX_UNWRAPS):
            plan = self._plan(name)
            self._check_offered(plan)
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
        plan = self._plans.get(name) if isinstance(name, str) else None
        if plan is None:
            plan = Plan(*self.registry.find(name))
            if len(self._plans) < 2 * len(self.registry):
                self._plans[name] = plan
        return plan

    def _check_offered(self, plan: Plan) -> None:
        entry = plan.entry
        if self.permitted is not None and not self.permitted(entry):
            raise ToolError(
                f"{entry.name!r} is not among the tools on offer here",
                code="not_offered",
                hint="Use one of the tools on offer, or ask the user to enable its toolset.",
            )
        reason = self.unavailable(entry) if plan.has_needs else None
        if reason:
            raise Unavailable(f"{entry.name} cannot run here now: {reason}")

    def finish(self, ready: Ready, way: Way) -> Answer | Awaitable[Answer]:
        """Run an admitted call, shape its answer, tell the after-hooks, and write it down."""
        plan = ready[0]
        if plan.may_change_things and self.journal is not None and plan.changes_things(ready[1]):
            return self._finish_durably(ready, way)
        started = time.time()
        answer = self._run(ready, way)
        if type(answer) is tuple and not (self.hooks.after or self.hooks.transform):
            self._record(ready, answer, started)
            return answer
        return self._finish_later(ready, answer, started, way)

    async def _finish_later(
        self, ready: Ready, answer: Answer | Awaitable[Answer], started: float, way: Way
    ) -> Answer:
        try:
            answer = await settled(answer)
        except BaseException:  # the caller gave up: write that down, then let it go on its way
            self._record(ready, _CANCELLED, started)
            raise
        answer = await self._tell(ready, answer, time.time() - started, way)
        self._record(ready, answer, started)
        return answer

    async def _finish_durably(self, ready: Ready, way: Way) -> Answer:
        """Have the intent on disk before the effect, and the outcome before the answer."""
        started = time.time()
        refusal = await self._intend(ready, started, way)
        if refusal is not None:
            return refusal
        try:
            answer = await settled(self._run(ready, way))
        except BaseException:
            self._conclude(ready, _CANCELLED, started)
            raise
        answer = await self._tell(ready, answer, time.time() - started, way)
        try:
            await way.settle(self._conclude(ready, answer, started))
        except HermesError as error:  # the effect has happened, so this is only told
            _log.error("an outcome could not be written to the journal: %s", error.message)
        return answer

    def _run(self, ready: Ready, way: Way) -> Answer | Awaitable[Answer]:
        plan, arguments, _, _, ctx = ready
        try:
            if way.is_inline and plan.is_quick and ctx.seconds is None:
                value = plan.invoke(arguments, ctx)
                if type(value) not in PLAIN_VALUES:
                    value = drained(value)
                    if is_pending(value):
                        pending = way.run_async(awaited(value), ctx, self.timeout_seconds)
                        return self._run_later(plan, pending, ctx)
            else:
                return self._run_later(plan, self._start(plan, arguments, ctx, way), ctx)
            return self.shaper.success(value, ctx.call_id, plan.limit or self.limits.per_result)
        except (Exception, SystemExit, GeneratorExit) as error:
            return self.shaper.failure(_fault(plan.entry, error))

    async def _run_later(self, plan: Plan, pending: Awaitable[Any], ctx: ToolContext) -> Answer:
        try:
            value = await pending
            return self.shaper.success(value, ctx.call_id, plan.limit or self.limits.per_result)
        except (Exception, SystemExit) as error:
            return self.shaper.failure(_fault(plan.entry, error))

    def _start(self, plan: Plan, arguments: Arguments, ctx: ToolContext, way: Way) -> Any:
        """Start a handler that may take a while where it belongs, and return what to await."""
        seconds = plan.entry.timeout_seconds if ctx.seconds is None else ctx.seconds
        ctx.seconds = seconds = seconds or self.timeout_seconds
        if plan.is_async:
            value = plan.invoke(arguments, ctx)
            return way.run_async(value if is_coroutine(value) else awaited(value), ctx, seconds)
        return self._in_thread(plan, arguments, ctx, way)

    async def _in_thread(self, plan: Plan, arguments: Arguments, ctx: ToolContext, way: Way) -> Any:
        value = await way.run_sync(lambda: drained(plan.invoke(arguments, ctx)), ctx, ctx.seconds)
        if is_pending(value):
            value = await way.run_async(awaited(value), ctx, ctx.seconds)
        return value

    def refuse(self, name: Any, arguments: Json, ctx: ToolContext, error: Exception) -> Answer:
        """Answer a call that did not get to run, and write it down."""
        if not isinstance(name, str):
            error = self.registry.unknown(name)
        if not isinstance(error, HermesError):
            _log.error("hermes itself failed while preparing %s", name, exc_info=error)
            text = f"the call could not be prepared: {type(error).__name__}"
            error = ToolError(text, code="internal")
        content, code = answer = self.shaper.failure(error)
        if self.journal is not None:
            given = arguments if isinstance(arguments, dict) else {"arguments": arguments}
            verdict = "deny" if isinstance(error, Denied) else "refused"
            who = (ctx.call_id, ctx.task.id, ctx.door, str(name)[:200], given, (), verdict)
            self.journal.done((*who, time.time(), 0.0, code, error.message, len(content)))
        return answer

    async def _tell(self, ready: Ready, answer: Answer, duration: float, way: Way) -> Answer:
        if not (self.hooks.after or self.hooks.transform):
            return answer
        plan, arguments, _, _, ctx = ready
        content, code = answer
        event = {
            "name": plan.entry.name,
            "args": arguments,
            "task_id": ctx.task.id,
            "call_id": ctx.call_id,
            "ctx": ctx,
        }
        if self.hooks.transform:
            transformed = await self.hooks.run_transform(way, result=content, **event)
            if transformed is not content:
                limit = plan.limit or self.limits.per_result
                content = self.shaper.success(transformed, ctx.call_id, limit)[0]
        is_error = code != "ok"
        await self.hooks.run_after(
            way, result=content, duration=duration, is_error=is_error, **event
        )
        return content, code

    async def _intend(self, ready: Ready, started: float, way: Way) -> Answer | None:
        """Make the intent durable before the effect; without that the call does not run."""
        plan, arguments, changes, verdict, ctx = ready
        name = plan.entry.name
        record = (ctx.call_id, ctx.task.id, ctx.door, name, arguments, changes, verdict, started)
        assert self.journal is not None
        try:
            await way.settle(self.journal.intend(record))
        except HermesError as error:
            return self.shaper.failure(
                ToolError(
                    f"{name} was not run: the journal cannot be written ({error.message})",
                    code="journal_unwritable",
                    hint=error.hint or "Tell the user; `hermes doctor` says more.",
                )
            )
        return None

    def _conclude(self, ready: Ready, answer: Answer, started: float) -> Future[None]:
        content, code = answer
        detail = None if code == "ok" else content[:2_000]
        assert self.journal is not None
        return self.journal.conclude(
            (ready[4].call_id, code, detail, time.time() - started, len(content))
        )

    def _record(self, ready: Ready, answer: Answer, started: float) -> None:
        journal = self.journal
        if journal is None:
            return
        plan, arguments, changes, verdict, ctx = ready
        content, code = answer
        journal.done(
            (
                ctx.call_id,
                ctx.task.id,
                ctx.door,
                plan.name,
                arguments,
                changes,
                verdict,
                started,
                time.time() - started,
                code,
                None if code == "ok" else content[:2_000],
                len(content),
            )
        )


async def _approved(
    plan: Plan,
    arguments: Arguments,
    changes: tuple[str, ...],
    verdict: Awaitable[str],
    ctx: ToolContext,
) -> Ready:
    return plan, arguments, changes, await verdict, ctx


async def settled(answer: Answer | Awaitable[Answer]) -> Answer:
    """Return an answer, waiting for it when it is still to come."""
    return answer if isinstance(answer, tuple) else await answer


def _fault(entry: ToolEntry, error: BaseException) -> ToolError:
    """Say in one clean sentence that a tool broke; the trace goes to the log."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, ServiceMissing):
        return ToolError(error.message, code=error.code, hint=error.hint)
    text = str(error) if isinstance(error, HandlerExit) else f"{type(error).__name__}: {error}"
    _log.warning("%s failed", entry.name, exc_info=error)
    return ToolError(
        f"{entry.name} failed: {text}",
        code="tool_failed",
        hint="This is a fault of the tool, not of your call; try another way.",
    )
