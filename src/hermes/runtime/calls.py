"""Many calls of one message: judged in order, run together as they may, answered in order."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

from hermes.base.errors import InvalidArguments
from hermes.runtime import protocol
from hermes.runtime.bridge import ON_LOOP
from hermes.runtime.context import ToolContext
from hermes.runtime.dispatch import Dispatcher, settled
from hermes.runtime.entry import UNORDERED
from hermes.runtime.plan import Ready
from hermes.runtime.protocol import Asked
from hermes.runtime.results import Answer

MakeContext = Callable[[str], ToolContext]
Told = Callable[[int, Answer | None], None]
"""Hears of a call by its place in the message: None when it starts to run, then its answer."""
_STOPPING_SECONDS = 2.0
"""How long cancelled calls are waited for before the caller goes on without them."""
_SMALLEST_SHARE = 2_000


def _nobody(_place: int, _answer: Answer | None) -> None:
    """Listen to nothing."""


async def run_calls(
    dispatcher: Dispatcher, message: Any, make_context: MakeContext, told: Told = _nobody
) -> list[dict[str, Any]]:
    """Answer every call of a message, in its order; none can lose another's answer."""
    asked = protocol.read(message)
    prepared = []
    for place, one in enumerate(asked):
        prepared.append(await _prepare(dispatcher, one, make_context(one.call.id)))
        if prepared[-1][0] is None:
            told(place, prepared[-1][1])
    queue = _Queue(told)
    running = [
        queue.place(dispatcher, ready, place) if ready else None
        for place, (ready, _) in enumerate(prepared)
    ]
    try:
        answers = [
            await task if task else refusal
            for task, (_, refusal) in zip(running, prepared, strict=True)
        ]
    except asyncio.CancelledError:
        await _stop([task for task in running if task])
        raise
    answers = _within_turn(dispatcher, asked, answers)
    return [
        protocol.message(one, ready[0].name if ready else one.call.name, answer)
        for one, (ready, _), answer in zip(asked, prepared, answers, strict=True)
    ]


async def _stop(running: list[asyncio.Task[Answer]]) -> None:
    """Cancel calls, and let them end before anybody says that they did."""
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=_STOPPING_SECONDS)


async def _prepare(
    dispatcher: Dispatcher, asked: Asked, ctx: ToolContext
) -> tuple[Ready | None, Answer]:
    """Return the call ready to run, or None and the answer that refuses it."""
    call = asked.call
    try:
        if asked.problem:
            raise InvalidArguments(
                asked.problem,
                code="malformed_call",
                hint='A call looks like {"id": "1", "name": "read_file", "arguments": {…}}.',
            )
        ready = dispatcher.prepare(call.name, call.arguments, ctx, ON_LOOP)
        return ready if isinstance(ready, tuple) else await ready, ("", "")
    except Exception as error:  # one bad call must not lose the others' answers
        return None, dispatcher.refuse(call.name, call.arguments, ctx, error)


class _Queue:
    """Start each call as soon as those before it that it must not overtake are done."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._barrier: asyncio.Task[Answer] | None = None
        self._since: list[asyncio.Task[Answer]] = []
        self._touching: dict[str, list[tuple[bool, asyncio.Task[Answer]]]] = {}

    def place(self, dispatcher: Dispatcher, ready: Ready, place: int) -> asyncio.Task[Answer]:
        """Start a call in its turn and return the task that answers it."""
        alone, writes, paths = _claims(ready)
        before = self._before(alone=alone, writes=writes, paths=paths)
        task = asyncio.create_task(self._after(before, dispatcher, ready, place))
        if alone:
            self._barrier, self._since, self._touching = task, [], {}
        else:
            self._since.append(task)
            for path in paths:
                self._touching.setdefault(path, []).append((writes, task))
        return task

    def _before(self, *, alone: bool, writes: bool, paths: list[str]) -> list[asyncio.Task[Answer]]:
        if alone:
            return [*self._since, *([self._barrier] if self._barrier else [])]
        before = [self._barrier] if self._barrier else []
        for path in paths:
            before += [task for wrote, task in self._touching.get(path, ()) if writes or wrote]
        return before

    async def _after(
        self,
        before: list[asyncio.Task[Answer]],
        dispatcher: Dispatcher,
        ready: Ready,
        place: int,
    ) -> Answer:
        if before:
            await asyncio.wait(before)
        self._told(place, None)
        answer = await settled(dispatcher.finish(ready, ON_LOOP))
        self._told(place, answer)
        return answer


def _claims(ready: Ready) -> tuple[bool, bool, list[str]]:
    """Return whether a call runs alone, whether it writes, and which files it touches."""
    plan, arguments, _, _, ctx = ready
    entry = plan.entry
    try:
        effects = entry.effects_of(arguments)
        paths = [
            os.path.realpath(os.path.join(ctx.cwd, value))  # noqa: PTH118 - of any shape, as given
            for name in entry.paths
            for value in _texts(arguments.get(name))
        ]
    except Exception:  # who cannot say what a call touches runs it alone
        return True, True, []
    orderly = effects is not None and not effects <= UNORDERED
    if entry.parallel is not None:
        return not entry.parallel, orderly, paths
    only_writes = effects is not None and effects <= {*UNORDERED, "write"}
    return orderly and not (paths and only_writes), orderly, paths


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [v for v in value or () if isinstance(v, str)]


def _within_turn(dispatcher: Dispatcher, asked: list[Asked], answers: list[Answer]) -> list[Answer]:
    """Cut the longest answers until all of them together fit the turn."""
    allowed = dispatcher.limits.per_turn
    total = sum(len(content) for content, _ in answers)
    fitted = list(answers)
    for position in sorted(range(len(answers)), key=lambda at: -len(answers[at][0])):
        content, code = fitted[position]
        if total <= allowed or len(content) <= _SMALLEST_SHARE:
            break
        share = max(len(content) - (total - allowed), _SMALLEST_SHARE)
        cut = dispatcher.shaper.cut(content, asked[position].call.id, share)
        total -= len(content) - len(cut)
        fitted[position] = (cut, code)
    return fitted
