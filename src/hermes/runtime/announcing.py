"""Tell the journal of a call: before its effect, for which a handler waits, and what came of it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import time as now
from typing import Any

from hermes.base.errors import Denied, HermesError, ToolError
from hermes.base.messages import Json
from hermes.policy.looks import only_fetches, only_looks
from hermes.runtime.bridge import Way
from hermes.runtime.context import ToolContext
from hermes.runtime.journal import Journal
from hermes.runtime.plan import Ready
from hermes.runtime.results import Answer

LONGEST_DETAIL = 2_000
_LONGEST_NAME = 200
_LONG = 10_000
_NOT_RUN = ('{"error":"the call was cancelled before it ran","code":"cancelled"}', "cancelled")


class Announcement:
    """The word to the journal that a call will have an effect, and the ticket that it gave."""

    __slots__ = ("_is_over", "_journal", "_ready", "_settled", "_started", "_writing", "ticket")

    def __init__(
        self, journal: Journal, ready: Ready, started: float, ticket: str | None = None
    ) -> None:
        self._journal, self._ready, self._started = journal, ready, started
        self._settled: Callable[[], None] | None = None
        self._writing = threading.Lock()
        self._is_over = False
        self.ticket = ticket
        """None as long as nothing was said: then there was no effect."""

    def wait(self) -> None:
        """Have the intent on disk, for a handler that is about to change something.

        Raises:
            ToolError: it cannot be written, or nobody wants the call any more: no effect, then.
        """
        try:
            self._made()()
        except ToolError:
            raise
        except HermesError as error:
            raise unwritable(self._ready[0].name, error) from error

    def prepare(self) -> None:
        """Write a short intent down without waiting for the disk; what is wrong, `wait` will say.

        A long one is left to whoever waits: it would hold up everybody else here.
        """
        texts = (value for value in self._ready[1].values() if type(value) is str)
        if self.ticket is None and sum(map(len, texts)) < _LONG:
            with contextlib.suppress(HermesError):
                self._made()

    def _made(self) -> Callable[[], None]:
        """Write the intent down, once, and return what waits until it is on disk."""
        ctx = self._ready[4]
        with self._writing:
            if ctx.cancelled or self._is_over:
                raise ToolError("the call was cancelled; nothing was changed", code="cancelled")
            if self._settled is None:
                intent = intent_of(self._ready, self._started)
                self.ticket, self._settled = self._journal.announce(intent, ctx.digest)
            return self._settled

    def conclude(self, answer: Answer) -> Future[None] | None:
        """Write down what came of the call; what is returned is done once that is safe."""
        with self._writing:  # who has not said by now what is about to happen, never will
            self._is_over = True
        if self.ticket is not None:
            return _conclude(self._journal, self.ticket, self._ready, answer, self._started)
        record(self._journal, self._ready, answer, self._started)
        return None


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


async def intend(journal: Journal, ready: Ready, started: float, way: Way) -> Announcement:
    """Make the intent durable before the effect; without that the call does not run."""
    intended = journal.intend(intent_of(ready, started), durable=not _is_look(ready))
    try:
        ticket = intended.result() if intended.done() else await way.settle(intended)
    except HermesError as error:
        raise unwritable(ready[0].name, error) from error
    except BaseException:  # the caller gave up before anything ran: the intent must say so
        intended.add_done_callback(lambda done: _not_run(journal, done, ready, started))
        raise
    return Announcement(journal, ready, started, ticket)


def _is_look(ready: Ready) -> bool:
    """Say whether a call only looks at something, here or on the web."""
    plan, arguments, _, _, ctx = ready
    if ctx.deed is not None:
        return only_looks(ctx.deed)
    return only_fetches(ctx.permissions or plan.entry.permissions_of(arguments))


def _not_run(journal: Journal, intended: Future[str], ready: Ready, started: float) -> None:
    if not intended.cancelled() and intended.exception() is None:
        _conclude(journal, intended.result(), ready, _NOT_RUN, started)


def _conclude(
    journal: Journal, ticket: str, ready: Ready, answer: Answer, started: float
) -> Future[None]:
    content, code = answer
    detail = None if code == "ok" else content[:LONGEST_DETAIL]
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
            None if code == "ok" else content[:LONGEST_DETAIL],
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
