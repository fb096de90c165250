"""Have the calls of one answer run, tell of each, and answer each exactly once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from time import monotonic
from typing import Any, NamedTuple

from hermes.agent.conversation import Conversation
from hermes.agent.events import CallDone, CallStarted
from hermes.agent.guards import Seen
from hermes.agent.hands import Hands
from hermes.agent.media import shown
from hermes.agent.watching import Emit
from hermes.base import json
from hermes.base.errors import HermesError
from hermes.base.messages import Message, ToolCall

STOPPED = json.encode(
    {
        "error": "the user stopped this call before it was done",
        "code": "interrupted",
        "hint": "It may have done a part of its work. Do not repeat it unless the user asks.",
    }
)
NOT_BEGUN = json.encode(
    {
        "error": "the user stopped this call before it began",
        "code": "interrupted",
        "hint": "Nothing was done. Do not repeat it unless the user asks.",
    }
)
LOST = json.encode(
    {
        "error": "hermes itself failed, and the answer was lost",
        "code": "internal",
        "hint": "It may have been done; look before you call it again.",
    }
)
_ERROR = '{"error":'
_GRACE_SECONDS = 3.0
_log = logging.getLogger("hermes.agent")


class Errand(NamedTuple):
    """For whom calls are run, and what for."""

    hands: Hands
    task_id: str
    door: str
    user_task: str
    places: tuple[str, ...] = ()
    """Folders whose images may be shown to the model."""


class Calls:
    """The calls of one answer, from the first until every one of them has its answer."""

    def __init__(
        self, calls: Sequence[ToolCall], errand: Errand, conversation: Conversation, emit: Emit
    ) -> None:
        self.calls = calls
        self.answers: list[Message | None] = [None] * len(calls)
        self.codes = [""] * len(calls)
        self.trouble: Exception | None = None
        """Why an answer could not be recorded."""
        self.was_stopped = False
        self._errand = errand
        self._conversation = conversation
        self._emit = emit
        self._started: list[float | None] = [None] * len(calls)
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Stop those that still run; they are answered with that."""
        self.was_stopped = True
        self._stop.set()

    async def run(self, asked: Sequence[ToolCall]) -> None:
        """Run the calls as the model gave them; their answers follow in the conversation.

        Raises:
            HermesError: an answer could not be recorded; all are in the conversation nevertheless.
        """
        for call in self.calls:
            self._emit(CallStarted(call.id, call.name, call.arguments))
        try:
            await self._until_done(asyncio.ensure_future(self._start(asked)))
        finally:
            self._answer_the_rest()
            self._conversation.place(answer for answer in self.answers if answer is not None)
        if self.trouble is not None:
            raise self.trouble

    async def _start(self, asked: Sequence[ToolCall]) -> list[dict[str, Any]]:
        plain = [
            {"id": call.id, "name": given.name, "arguments": given.arguments}
            for call, given in zip(self.calls, asked, strict=True)
        ]
        errand = self._errand
        return await errand.hands.call_many(
            plain, errand.task_id, door=errand.door, user_task=errand.user_task, told=self._told
        )

    def seen(self) -> list[Seen]:
        """Return the calls with what came of them."""
        return [
            Seen(call.name, call.arguments, answer.text, code != "ok", code)
            for call, answer, code in zip(self.calls, self.answers, self.codes, strict=True)
            if answer is not None
        ]

    async def _until_done(self, running: asyncio.Future[list[dict[str, Any]]]) -> None:
        stopping = asyncio.ensure_future(self._stop.wait())
        both: set[asyncio.Future[Any]] = {running, stopping}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            if not running.done():
                self.was_stopped = True
                running.cancel()
                await asyncio.wait({running}, timeout=_GRACE_SECONDS)
        if not running.done() or running.cancelled():
            return
        if broken := running.exception():
            _log.error("calls could not be answered", exc_info=broken)
        else:
            self._fit(running.result())

    def _fit(self, given: list[dict[str, Any]]) -> None:
        """Take the answers as they were cut to fit together, and those that were not told."""
        for place, message in enumerate(given[: len(self.calls)]):
            text = message["content"]
            answer = self.answers[place]
            if answer is None:
                self._answer(place, text, "tool_error" if text.startswith(_ERROR) else "ok")
            elif len(text) < len(answer.text) and not answer.media:
                self.answers[place] = answer._replace(text=text)

    def _told(self, place: int, answer: tuple[str, str] | None) -> None:
        if answer is None:
            self._started[place] = monotonic()
        else:
            self._answer(place, *answer)

    def _answer(self, place: int, text: str, code: str) -> None:
        if self.answers[place] is not None:
            return
        call = self.calls[place]
        told, media = shown(text, self._errand.places)
        message = Message("tool", told, media=media, call_id=call.id, name=call.name)
        self.answers[place] = message
        self.codes[place] = code
        is_error = code != "ok"
        began = self._started[place]
        seconds = monotonic() - began if began is not None else 0.0
        try:
            self._conversation.record(message, seconds=round(seconds, 3), is_error=is_error)
        except (HermesError, OSError) as error:
            self.trouble = error
        self._emit(CallDone(call.id, call.name, call.arguments, text, is_error, seconds))

    def _answer_the_rest(self) -> None:
        for place, began in enumerate(self._started):
            stopped = STOPPED if began is not None else NOT_BEGUN
            text, code = (stopped, "interrupted") if self.was_stopped else (LOST, "internal")
            self._answer(place, text, code)
