"""The one way of a call: find, fit, judge, run, shape. Nothing happens before the run."""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable
from time import time as now
from types import CoroutineType
from typing import Any

from hermes.base.errors import Denied, HermesError, ServiceMissing, ToolError, WouldWait
from hermes.base.messages import Json, own
from hermes.base.text import said
from hermes.runtime.announcing import (
    LONGEST_DETAIL,
    Announcement,
    intend,
    record,
    record_refusal,
)
from hermes.runtime.approvals import Yes
from hermes.runtime.bridge import HandlerExit, Waiting, Way, gives_up
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import Arguments, ToolEntry
from hermes.runtime.gate import Gate
from hermes.runtime.hooks import Hooks
from hermes.runtime.journal import Journal
from hermes.runtime.plan import PLAIN_VALUES, Plan, Ready, awaited, drained, is_pending
from hermes.runtime.preparing import Preparer
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.results import Answer, Limits, Shaper

_log = logging.getLogger("hermes.dispatch")
_LARGE = 200_000
"""Characters of a result above which shaping it would hold up the loop."""
_CANCELLED = ('{"error":"the call was cancelled","code":"cancelled"}', "cancelled")


class Dispatcher(Preparer):
    """Take calls through the whole pipeline; every door uses this one."""

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
        super().__init__(registry, gate, hooks)
        self.journal = journal
        self.shaper = shaper
        self.limits = limits
        self._limit = limits.per_result
        self.timeout_seconds = timeout_seconds

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

    def finish(self, ready: Ready, way: Way) -> Answer | Awaitable[Answer]:
        """Run an admitted call, shape its answer, tell the after-hooks, and write it down."""
        plan, arguments, changes, verdict, ctx = ready
        if verdict != "allow":
            try:
                ready = self._spend(ready)
            except Denied as denied:
                return self.refuse(plan.name, arguments, ctx, denied)
            verdict = ready[3]
        journal = self.journal
        if plan.may_change_things and journal is not None and plan.changes_things(arguments):
            return self._finish_durably(ready, way)
        started = now()
        outcome = self._run(ready, started, way)
        if type(outcome) is not tuple or self.hooks.late:
            return self._finish_later(ready, outcome, started, way)
        if journal is not None:  # what `record` does; spares every call one more
            content, code = outcome
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
                    now() - started,
                    code,
                    None if code == "ok" else content[:LONGEST_DETAIL],
                    len(content),
                )
            )
        return outcome

    def _spend(self, ready: Ready) -> Ready:
        """Use up the yes that a call was given: it must be for this very call, here and now."""
        plan, arguments, changes, verdict, ctx = ready
        if not isinstance(verdict, Yes):
            return ready
        now_is = self.gate.approvals.clock()
        word = verdict.spend(plan.name, arguments, str(ctx.task.cwd), now_is)
        return plan, arguments, changes, word, ctx

    async def _finish_later(
        self,
        ready: Ready,
        outcome: Answer | Waiting,
        started: float,
        way: Way,
        announcement: Announcement | None = None,
    ) -> Answer:
        """Finish a call that has to be waited for: for its handler, a hook, or the journal."""
        answer = outcome
        if isinstance(answer, Waiting):
            try:
                answer = await self._shaped(await answer, ready, way)
            except BaseException as error:
                answer = self._failed(ready, error, started, announcement)
        if self.hooks.late:
            answer = await self._tell(ready, answer, now() - started, way)
        if announcement is None:
            record(self.journal, ready, answer, started)
            return answer
        try:
            concluded = announcement.conclude(answer)
            if concluded is not None and not concluded.done():
                await way.settle(concluded)
        except HermesError as error:  # the effect has happened, so this is only told
            _log.error("an outcome could not be written to the journal: %s", error.message)
        return answer

    async def _finish_durably(self, ready: Ready, way: Way) -> Answer:
        """Have the intent on disk before the effect, and the outcome kept before the answer."""
        started = now()
        assert self.journal is not None
        if ready[0].entry.announced_late:
            announcement = Announcement(self.journal, ready, started)
            ready[4].announcing = announcement.wait
        else:
            try:
                announcement = await intend(self.journal, ready, started, way)
            except ToolError as error:
                return self.shaper.failure(error)
        outcome = self._run(ready, started, way, announcement)
        if type(outcome) is Waiting:
            announcement.prepare()  # while the handler's thread wakes up
        return await self._finish_later(ready, outcome, started, way, announcement)

    def _run(
        self, ready: Ready, started: float, way: Way, announcement: Announcement | None = None
    ) -> Answer | Waiting:
        """Run the handler as far as it goes without waiting; shape its value if that is the end."""
        plan, arguments, _, _, ctx = ready
        try:
            if plan.is_quick and way.is_inline and ctx.seconds is None:
                value = plan.invoke(arguments, ctx)
            else:
                value = self._start(plan, arguments, ctx, way)
            if type(value) not in PLAIN_VALUES:
                value = drained(value)
                if is_pending(value):
                    seconds = ctx.seconds or self.timeout_seconds
                    value = way.begin(awaited(value), ctx, seconds)
                if type(value) is Waiting:
                    return value
            return self.shaper.success(value, ctx.call_id, plan.limit or self._limit)
        except BaseException as error:
            return self._failed(ready, error, started, announcement)

    def _start(self, plan: Plan, arguments: Arguments, ctx: ToolContext, way: Way) -> Any:
        """Start a handler on the loop or in a thread; return its value, or what to wait for."""
        seconds = plan.seconds if ctx.seconds is None else ctx.seconds
        if plan.is_async:
            ctx.seconds = seconds = seconds or self.timeout_seconds
            work = plan.invoke(arguments, ctx)
            return way.begin(work if type(work) is CoroutineType else awaited(work), ctx, seconds)
        if plan.at_once and not way.is_inline:
            ctx.may_wait = False
            try:
                return plan.invoke(arguments, ctx)
            except WouldWait:
                ctx.may_wait = True
        ctx.seconds = seconds or self.timeout_seconds
        work = self._in_thread(plan, arguments, ctx, way)
        return way.begin(work, ctx, None) if plan.entry.announced_late else Waiting(work)

    async def _in_thread(self, plan: Plan, arguments: Arguments, ctx: ToolContext, way: Way) -> Any:
        value = await way.run_sync(lambda: drained(plan.invoke(arguments, ctx)), ctx, ctx.seconds)
        if is_pending(value):
            value = await way.run_async(awaited(value), ctx, ctx.seconds)
        return value

    async def _shaped(self, value: Any, ready: Ready, way: Way) -> Answer:
        """Shape a value; a long text in a thread, so that the loop goes on meanwhile."""
        plan, ctx = ready[0], ready[4]
        limit = plan.limit or self._limit
        if type(value) is not str or len(value) < _LARGE or way.is_inline:
            return self.shaper.success(value, ctx.call_id, limit)
        shape = functools.partial(self.shaper.success, value, ctx.call_id, limit)
        answer: Answer = await way.run_sync(shape, ctx, None)
        return answer

    def _failed(
        self, ready: Ready, error: BaseException, started: float, announcement: Announcement | None
    ) -> Answer:
        """Return the answer for what a handler raised; a caller that gives up goes on its way."""
        plan, ctx = ready[0], ready[4]
        if gives_up(error):
            if announcement is None:
                record(self.journal, ready, _CANCELLED, started)
            else:
                announcement.conclude(_CANCELLED)
            raise error
        limit = plan.limit or self._limit
        return self.shaper.failure(_fault(plan.entry, error), ctx.call_id, limit)

    def refuse(self, name: Any, arguments: Json, ctx: ToolContext, error: Exception) -> Answer:
        """Answer a call that did not get to run, and write it down."""
        if not isinstance(name, str):
            error = self.registry.unknown(name)
        if not isinstance(error, HermesError):
            _log.error("hermes itself failed while preparing %s", name, exc_info=error)
            text = f"the call could not be prepared: {type(error).__name__}"
            error = ToolError(text, code="internal")
        answer = self.shaper.failure(error)
        if self.journal is not None:
            record_refusal(self.journal, name, arguments, ctx, error, len(answer[0]))
        return answer

    async def _tell(self, ready: Ready, answer: Answer, duration: float, way: Way) -> Answer:
        plan, arguments, _, _, ctx = ready
        content, code = answer
        event = {
            "name": plan.entry.name,
            "args": own(arguments),
            "task_id": ctx.task.id,
            "call_id": ctx.call_id,
            "ctx": ctx,
        }
        if self.hooks.transform:
            transformed = await self.hooks.run_transform(way, result=content, **event)
            if transformed is not content:
                limit = plan.limit or self._limit
                content = self.shaper.success(transformed, ctx.call_id, limit)[0]
        is_error = code != "ok"
        await self.hooks.run_after(
            way, result=content, duration=duration, is_error=is_error, **event
        )
        return content, code


async def settled(answer: Answer | Awaitable[Answer]) -> Answer:
    """Return an answer, waiting for it when it is still to come."""
    return answer if isinstance(answer, tuple) else await answer


def _fault(entry: ToolEntry, error: BaseException) -> ToolError:
    """Say in one clean sentence that a tool broke; the trace goes to the log."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, ServiceMissing):
        return ToolError(error.message, code=error.code, hint=error.hint)
    text = said(error)
    if not isinstance(error, HandlerExit):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    _log.warning("%s failed: %s", entry.name, text, exc_info=error)
    return ToolError(
        f"{entry.name} failed: {text}",
        code="tool_failed",
        hint="This is a fault of the tool, not of your call; try another way.",
    )
