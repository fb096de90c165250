"""Tell the journal of a call before its effect, and have a handler wait for that."""

from __future__ import annotations

import functools
from concurrent.futures import Future
from typing import Any

from hermes.base.errors import HermesError, ToolError
from hermes.runtime.context import ToolContext
from hermes.runtime.plan import Ready

_LONGEST_WAIT_SECONDS = 60.0


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
