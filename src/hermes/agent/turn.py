"""One turn: ask the model, run what it asks for, and again until there is an answer."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import AsyncGenerator

from hermes.agent import notes
from hermes.agent.calling import Calls, Errand
from hermes.agent.events import Done, Ending, Event, Noted
from hermes.agent.guards import Guard, Seen
from hermes.agent.questions import Questions
from hermes.agent.room import Keeper
from hermes.agent.state import State
from hermes.agent.validity import distinct
from hermes.agent.watching import Watchers
from hermes.base.errors import HermesError
from hermes.base.messages import Message, ToolCall
from hermes.base.text import said
from hermes.llm.contract import ModelError, Reply

_LAST_WAIT_SECONDS = 10.0
_log = logging.getLogger("hermes.agent")


class Turn:
    """Everything between what a person says and the answer; its events come in ``events``."""

    def __init__(self, state: State, keeper: Keeper, message: Message) -> None:
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self._state = state
        self._message = message
        self._guard = Guard(state.options.patience)
        self._questions = Questions(state, keeper, self.events.put_nowait)
        self._calls: Calls | None = None
        self._is_interrupted = False
        self._is_over = False
        self._task: asyncio.Task[None] | None = None
        self._watcher: weakref.ref[AsyncGenerator[Event, None]] | None = None

    def watched_by(self, stream: AsyncGenerator[Event, None]) -> None:
        """Note who takes the events."""
        self._watcher = weakref.ref(stream)

    @property
    def is_watched(self) -> bool:
        """Whether whoever takes the events is still there."""
        return self._watcher is not None and self._watcher() is not None

    def start(self) -> None:
        """Begin; the events come from now on."""
        self._task = asyncio.create_task(self._play())

    def interrupt(self) -> None:
        """Stop the calls that run; without any, or the second time, end the turn."""
        if self._task is not None and not self._task.done():
            self._task.get_loop().call_soon_threadsafe(self._interrupt)

    def _interrupt(self) -> None:
        if self._calls is not None and not self._calls.was_stopped:
            self._calls.stop()
        elif self._task is not None and not self._task.done():
            self._is_interrupted = True
            self._task.cancel()

    async def stop(self) -> None:
        """End the turn, whatever it is doing, and wait until the conversation is whole."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_LAST_WAIT_SECONDS)
            if not self._is_over:  # cancelled before its first step, or it takes no notice
                self._end(self._done("", "interrupted"))

    async def _play(self) -> None:
        done = self._done("", "failed", "the turn was broken off")
        try:
            done = await self._ended()
        except asyncio.CancelledError:
            done = self._stopped()
            if not self._is_interrupted:
                raise
        finally:
            self._end(done)

    def _end(self, done: Done) -> None:
        """Tell that it is over, once."""
        if not self._is_over:
            self._is_over = True
            self.events.put_nowait(done)

    async def _ended(self) -> Done:
        """Return how the turn ended, whatever a model or a disk did."""
        try:
            return await self._watched()
        except HermesError as error:
            text = f"{error.message.rstrip('.')}. {error.hint}" if error.hint else error.message
            return self._done(self._questions.draft.text, "failed", text)
        except Exception as error:  # a fault of ours must not leave the watcher without an end
            _log.exception("the turn broke")
            text = f"hermes itself failed: {type(error).__name__}: {said(error)}"
            return self._done("", "failed", text)

    async def _watched(self) -> Done:
        """Have progress and approvals of this agent's calls told here."""
        state = self._state
        watchers = Watchers.of(state.hands.services, state.hands.gate)
        watchers.follow(state.task_id, self.events.put_nowait)
        try:
            return await self._rounds()
        finally:
            watchers.leave(state.task_id)

    async def _rounds(self) -> Done:
        state = self._state
        state.conversation.begin_turn(self._message)
        while True:
            over = state.budget.exhausted()
            if over:
                return self._done("", "budget", f"{over}; say 'go on' to give it more")
            if state.budget.is_last():
                return await self._last_words(notes.LAST_ROUND, "budget", "no rounds are left")
            reply = await self._questions.ask()
            calls = self._take(reply)
            if not calls:
                return self._done(reply.text, "answered")
            seen = await self._run(reply.calls, calls)
            if notes.wants_end(seen):
                return await self._last_words("", "answered", "")
            advice = self._guard.look(seen)
            if advice is None:
                continue
            self.events.put_nowait(Noted(advice.text))
            if advice.is_end:
                return await self._last_words(notes.CIRCLES, "stuck", advice.text)
            state.conversation.remark(advice.text)

    def _take(self, reply: Reply) -> tuple[ToolCall, ...]:
        """Have an answer follow in the conversation; return its calls as they stand there."""
        conversation = self._state.conversation
        calls = distinct(reply.calls, conversation.call_ids()) if reply.calls else ()
        conversation.add(reply._replace(calls=calls).message(), usage=reply.usage)
        conversation.measure(reply.usage)
        self._questions.settle(reply)
        return calls

    async def _run(self, asked: tuple[ToolCall, ...], calls: tuple[ToolCall, ...]) -> list[Seen]:
        state = self._state
        options = state.options
        errand = Errand(
            state.hands,
            state.task_id,
            options.door,
            self._message.text,
            options.picture_folders,
        )
        running = Calls(calls, errand, state.conversation, self.events.put_nowait)
        self._calls = running
        try:
            await running.run(asked)
        finally:
            self._calls = None
        return running.seen()

    async def _last_words(self, note: str, ending: Ending, why: str) -> Done:
        """Let the model answer once more, without tools."""
        conversation = self._state.conversation
        if note:
            conversation.remark(note)
        try:
            reply = await self._questions.ask(tool_choice="none")
        except ModelError:
            if ending == "answered":
                raise
            return self._done("", ending, why)
        said = reply.text if reply.text.strip() else notes.CUT_OFF  # it may only have called again
        conversation.add(reply._replace(text=said, calls=()).message(), usage=reply.usage)
        self._questions.settle(reply)
        return self._done(reply.text, ending, why)

    def _stopped(self) -> Done:
        """Close the conversation off where the person stopped it."""
        text = self._questions.draft.text
        try:
            self._state.conversation.add(Message("assistant", f"{text} {notes.STOPPED}".strip()))
        except (HermesError, OSError) as error:
            _log.warning("the end of a turn could not be recorded: %s", error)
        return self._done(text, "interrupted")

    def _done(self, text: str, ending: Ending, error: str = "") -> Done:
        return Done(text, ending, error, self._questions.rounds)
