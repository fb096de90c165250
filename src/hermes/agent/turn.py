"""One turn: ask the model, run what it asks for, and again until there is an answer."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import AsyncGenerator

from hermes.agent.asking import Draft, ask
from hermes.agent.calling import Calls, Errand
from hermes.agent.events import Done, Ending, Event, Spent
from hermes.agent.state import State
from hermes.agent.validity import distinct, sendable
from hermes.agent.watching import Watchers
from hermes.base.messages import Message, ToolCall
from hermes.base.text import said
from hermes.llm.contract import ModelError, Reply, Request, Usage

_STOPPED = "[stopped by the user]"
_log = logging.getLogger("hermes.agent")


class Turn:
    """Everything between what a person says and the answer; its events come in ``events``."""

    def __init__(self, state: State, message: Message) -> None:
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self._state = state
        self._message = message
        self._rounds = 0
        self._draft = Draft()
        self._calls: Calls | None = None
        self._is_interrupted = False
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
        if self._calls is not None and not self._calls.was_stopped:
            self._calls.stop()
        elif self._task is not None and not self._task.done():
            self._is_interrupted = True
            self._task.cancel()

    async def stop(self) -> None:
        """End the turn, whatever it is doing, and wait until the conversation is whole."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _play(self) -> None:
        state = self._state
        emit = self.events.put_nowait
        watchers = Watchers.of(state.hands.services, state.hands.gate)
        watchers.follow(state.task_id, emit)
        try:
            done = await self._rounds_until_done()
        except asyncio.CancelledError:
            done = self._ended_early()
            if not self._is_interrupted:
                raise
        except ModelError as error:
            done = self._done("", "failed", _told(error))
        except Exception as error:  # a fault of ours must not leave the watcher without an end
            _log.exception("the turn broke")
            text = f"hermes itself failed: {type(error).__name__}: {said(error)}"
            done = self._done("", "failed", text)
        finally:
            watchers.leave(state.task_id)
        emit(done)

    async def _rounds_until_done(self) -> Done:
        state = self._state
        state.conversation.add(self._message)
        while True:
            reply = await self._ask()
            calls = distinct(reply.calls, state.conversation.call_ids())
            state.conversation.add(reply._replace(calls=calls).message())
            self._draft = Draft()
            if not calls:
                return self._done(reply.text, "answered")
            await self._run(reply, calls)

    async def _ask(self) -> Reply:
        state = self._state
        state.budget.take_round()
        self._rounds += 1
        request = Request(
            sendable(state.conversation.messages),
            tuple(state.hands.definitions()),
            temperature=state.options.temperature,
            max_tokens=state.options.max_tokens,
        )
        reply = await ask(state.model, request, self._draft, self.events.put_nowait)
        self._spend(reply.usage)
        return reply

    def _spend(self, usage: Usage) -> None:
        state = self._state
        state.spend(usage)
        self.events.put_nowait(Spent(usage, state.usage, 0, state.model.window))

    async def _run(self, reply: Reply, calls: tuple[ToolCall, ...]) -> None:
        state = self._state
        errand = Errand(state.hands, state.task_id, state.options.door, self._message.text)
        self._calls = Calls(calls, errand, state.conversation, self.events.put_nowait)
        try:
            await self._calls.run(reply.calls)
        finally:
            self._calls = None

    def _ended_early(self) -> Done:
        text = f"{self._draft.text} {_STOPPED}".strip()
        self._state.conversation.add(Message("assistant", text))
        return self._done(self._draft.text, "interrupted")

    def _done(self, text: str, ending: Ending, error: str = "") -> Done:
        return Done(text, ending, error, self._rounds)


def _told(error: ModelError) -> str:
    return f"{error.message}. {error.hint}" if error.hint else error.message
