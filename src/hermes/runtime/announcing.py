"""Tell the journal of a call: before its effect, for which a handler waits, and what came of it."""

from __future__ import annotations

import functools
from concurrent.futures import Future
from time import time as now
from typing import Any

from hermes.base.errors import Denied, HermesError, ToolError
from hermes.base.messages import Json
from hermes.policy.looks import only_looks
from hermes.runtime.bridge import Way
from hermes.runtime.context import ToolContext
from hermes.runtime.journal import Journal
from hermes.runtime.plan import Ready
from hermes.runtime.results import Answer

_LONGEST_WAIT_SECONDS = 60.0
_LONGEST_DETAIL = 2_000
_LONGEST_NAME = 200
_NOT_RUN = ('{"error":"the call was cancelled before it ran","code":"cancelled"}', "cancelled")


def promised(ctx: ToolContext) -> Future[str]:
    """Return what a handler waits for that is announced late."""
    promise: Future[str] = Future()
    ctx.announcing = functools.partial(promise.result, _LONGEST_WAIT_SECONDS)
    return promise


def intent_of(ready: Ready, started: float) -> tuple[Any, ...]:
    """Return what is written down of a call before its effect."""
    plan, arguments, changes, verdict, ctx = ready
    return ctx.call_id, ctx.task.id, ctx.door, plan.name, arguments, changes, verdict, started


def unwritable(name: str, error: HermesError) -> ToolError:
    """Return what the model is told of a call that cannot be written down, and did not run."""
    return ToolError(
        f"{name} was not run: the journal cannot be written ({error.message})",
        code="journal_unwritable",
        hint=error.hint or "Tell the user; `hermes doctor` says more.",
    )


def keep_promise(promise: Future[str], name: str, intended: Future[str]) -> None:
    """Let a handler go on that waits for its call to be written down, or stop it."""
    error = intended.exception()
    if error is None:
        promise.set_result(intended.result())
    elif isinstance(error, HermesError):
        promise.set_exception(unwritable(name, error))
    else:
        promise.set_exception(error)


async def intend(journal: Journal, ready: Ready, started: float, way: Way) -> str:
    """Make the intent durable before the effect; without that the call does not run."""
    ctx = ready[4]
    is_look = ctx.deed is not None and only_looks(ctx.deed)
    intended = journal.intend(intent_of(ready, started), durable=not is_look)
    try:
        return intended.result() if intended.done() else await way.settle(intended)
    except HermesError as error:
        raise unwritable(ready[0].name, error) from error
    except BaseException:  # the caller gave up before anything ran: the intent must say so
        intended.add_done_callback(lambda done: _not_run(journal, done, ready, started))
        raise


def _not_run(journal: Journal, intended: Future[str], ready: Ready, started: float) -> None:
    if not intended.cancelled() and intended.exception() is None:
        conclude(journal, intended.result(), ready, _NOT_RUN, started)


def conclude(
    journal: Journal | None, ticket: str, ready: Ready, answer: Answer, started: float
) -> Future[None]:
    """Write down what came of a call whose intent is written."""
    assert journal is not None  # it gave the ticket
    content, code = answer
    detail = None if code == "ok" else content[:_LONGEST_DETAIL]
    return journal.conclude(ticket, (ready[4].call_id, code, detail, now() - started, len(content)))


def record(journal: Journal | None, ready: Ready, answer: Answer, started: float) -> None:
    """Write down a call that ran, and needed no intent."""
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
            now() - started,
            code,
            None if code == "ok" else content[:_LONGEST_DETAIL],
            len(content),
        )
    )


def record_refusal(
    journal: Journal, name: str, arguments: Json, ctx: ToolContext, error: HermesError, length: int
) -> None:
    """Write down a call that did not get to run, as it was judged."""
    given = arguments if isinstance(arguments, dict) else {"arguments": arguments}
    verdict = "refused"
    if isinstance(error, Denied):
        verdict = "deny"
        name, given = error.judged or (name, given)
    who = (ctx.call_id, ctx.task.id, ctx.door, str(name)[:_LONGEST_NAME], given, (), verdict)
    journal.done((*who, now(), 0.0, error.code, error.message, length))
