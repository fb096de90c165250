"""The agent: a conversation with a model that has hands."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Sequence
from types import TracebackType
from typing import Self

from hermes.agent.budget import Budget, plus
from hermes.agent.conversation import Conversation
from hermes.agent.events import Done, Event, Noted
from hermes.agent.hands import Hands
from hermes.agent.options import AgentOptions
from hermes.agent.prompt import build, surroundings
from hermes.agent.recording import Recorder, Unrecorded, note_model
from hermes.agent.room import Keeper
from hermes.agent.state import State
from hermes.agent.turn import Turn
from hermes.base.errors import HermesError
from hermes.base.messages import Media, Message
from hermes.llm.contract import Model, Usage


class Agent:
    """Ask a model, run what it asks for, and tell what happens; ``close`` it when done.

    One turn runs at a time. Agents of one runtime share nothing: each has a task of its own.
    """

    def __init__(
        self,
        hands: Hands,
        model: Model,
        *,
        task_id: str | None = None,
        system: str | None = None,
        session: Recorder | None = None,
        budget: Budget | None = None,
        options: AgentOptions = AgentOptions(),  # noqa: B008 - frozen
        earlier: Sequence[Message] = (),
    ) -> None:
        self.task_id = task_id or f"agent-{secrets.token_hex(6)}"
        self._state = State(
            hands,
            model,
            self.task_id,
            options,
            Conversation(self._prompt(hands, system), earlier, session or Unrecorded()),
            budget or Budget(options.rounds, options.tokens),
        )
        self._keeper = Keeper(self._state)
        self.session = session
        """Where the conversation is recorded; None when it is not."""
        self._shares_budget = budget is not None
        self._turn: Turn | None = None

    def _prompt(self, hands: Hands, system: str | None) -> str:
        if system is not None:
            return system
        return build(surroundings(hands.task(self.task_id).root))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far; every call in it is answered, but for those that run now."""
        return self._state.conversation.messages

    @property
    def session_id(self) -> str:
        """The id of the session that is recorded; empty before its first message, or without."""
        return str(getattr(self.session, "id", ""))

    @property
    def usage(self) -> Usage:
        """What all answers cost so far, those of children and of other models included."""
        return self._state.usage

    def charge(self, usage: Usage) -> None:
        """Count what another model cost that was asked for this agent."""
        self._state.charge(usage)

    def include(self, usage: Usage) -> None:
        """Count what a child cost; the budget and its own session know of that already."""
        self._state.usage = plus(self._state.usage, usage)

    @property
    def budget(self) -> Budget:
        """What is left for this turn; a child that is handed it counts for both."""
        return self._state.budget

    @property
    def model(self) -> Model:
        """The model that is asked; another may take over between two turns."""
        return self._state.model

    @model.setter
    def model(self, model: Model) -> None:
        self._state.model = model
        note_model(self.session, model.name)

    def run(self, text: str, media: Sequence[Media] = ()) -> AsyncGenerator[Event, None]:
        """Say something to the agent and yield what happens; ``Done`` is always the last.

        Closing the generator, or cancelling whoever waits for it, ends the turn.
        """
        turn = Turn(self._state, self._keeper, Message("user", text, media=tuple(media)))
        stream = self._stream(turn)
        turn.watched_by(stream)
        return stream

    async def ask(self, text: str, media: Sequence[Media] = ()) -> str:
        """Say something and return the answer alone.

        Raises:
            HermesError: there is no answer; says why.
        """
        async for event in self.run(text, media):
            if isinstance(event, Done):
                if event.ending == "failed":
                    raise HermesError(event.error)
                return event.text
        raise HermesError("the turn ended without an answer")

    def interrupt(self) -> None:
        """Stop the tools that run, which the model is told; the second time, end the turn.

        While the model speaks there is nothing else to stop: then the first time ends the turn.
        """
        if self._turn is not None:
            self._turn.interrupt()

    def restart(self, messages: Sequence[Message]) -> None:
        """Go on from other messages than those that were said; nothing of that is recorded.

        Raises:
            HermesError: a turn is running.
        """
        if self._turn is not None:
            raise HermesError("this agent is in the middle of a turn", hint="interrupt() it first.")
        self._state.conversation.restart(messages)

    async def compact(self) -> str:
        """Make the conversation shorter now, and return what was done.

        Raises:
            HermesError: a turn is running.
        """
        await self._free()
        notes: list[Event] = []
        definitions = self._state.hands.definitions()
        target = self._state.conversation.tokens(definitions) // 3
        await self._keeper.compact(target, definitions, notes.append)
        return "; ".join(note.text for note in notes if isinstance(note, Noted))

    async def close(self) -> None:
        """End the turn that runs and let go of everything that is kept for this agent."""
        if self._turn is not None:
            await self._turn.stop()
        self._state.hands.end_task(self.task_id)
        if self._state.options.closes_model:
            await self._state.model.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _stream(self, turn: Turn) -> AsyncGenerator[Event, None]:
        await self._free()
        if not self._shares_budget:
            options = self._state.options
            self._state.budget = Budget(options.rounds, options.tokens)
        self._turn = turn
        turn.start()
        try:
            while True:
                event = await turn.events.get()
                yield event
                if isinstance(event, Done):
                    return
        finally:
            await turn.stop()
            if self._turn is turn:
                self._turn = None

    async def _free(self) -> None:
        """Wait for a turn that nobody watches any more.

        Raises:
            HermesError: somebody does.
        """
        if self._turn is None:
            return
        if self._turn.is_watched:
            raise HermesError(
                "this agent is in the middle of a turn",
                hint="Wait for its Done, or interrupt() it; for two turns at once make two agents.",
            )
        await self._turn.stop()
