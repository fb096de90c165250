"""Ask the model, and again where that can help: too long, cut off, unreadable, empty."""

from __future__ import annotations

import re
from typing import Literal

from hermes.agent import notes
from hermes.agent.asking import Draft, ask
from hermes.agent.events import Noted, Said, Spent, Taken
from hermes.agent.room import Keeper
from hermes.agent.state import State
from hermes.agent.validity import sendable
from hermes.agent.watching import Emit
from hermes.base.messages import Json
from hermes.base.optional import load
from hermes.llm.contract import ModelError, Reply, Request

_CALL_MARKS = re.compile(r"[<\[{`|]")
"""What every way of writing a call as text has."""
_ODD_STOPS = {
    "length": "the answer was cut: the model reached its limit of tokens",
    "filter": "the provider's filter ended the answer",
}


class Questions:
    """The questions of one turn."""

    def __init__(self, state: State, keeper: Keeper, emit: Emit) -> None:
        self.rounds = 0
        self.draft = Draft()
        """What has come of the answer that is being given."""
        self._state = state
        self._keeper = keeper
        self._emit = emit
        keeper.begin()

    async def ask(self, *, tool_choice: Literal["auto", "none"] = "auto") -> Reply:
        """Return the model's next answer, which says or calls something.

        Raises:
            ModelError: there is none.
        """
        reply = await self._patiently(tool_choice)
        if reply.text.strip() or reply.calls:
            return reply
        self._state.conversation.charge(reply.usage)
        self._emit(Noted("the model gave an empty answer and is asked again"))
        self._state.conversation.remark(notes.NOTHING_SAID)
        reply = await self._patiently(tool_choice)
        if reply.text.strip() or reply.calls:
            return reply
        raise ModelError(
            f"{self._state.model.name} gave an empty answer twice",
            trouble="unreadable",
            hint="Ask in other words, or choose another model.",
        )

    def settle(self, reply: Reply) -> None:
        """Tell what an answer cost, now that it is part of the conversation."""
        self.draft = Draft()
        state = self._state
        tokens = state.conversation.tokens(state.hands.definitions())
        self._emit(Spent(reply.usage, state.usage, tokens, state.model.window))
        if reply.stop in _ODD_STOPS:
            self._emit(Noted(_ODD_STOPS[reply.stop]))

    async def _patiently(self, tool_choice: Literal["auto", "none"]) -> Reply:
        """Ask, and once more where the answer was lost; make room where it is too long."""
        definitions = self._state.hands.definitions()
        await self._keeper.make_room(definitions, self._emit)
        was_lost = False
        while True:
            try:
                return await self._once(definitions, tool_choice)
            except ModelError as error:
                if error.trouble == "too long":
                    if not await self._keeper.after_refusal(definitions, self._emit):
                        raise self._keeper.explained(error, definitions) from error
                elif error.trouble in ("cut", "unreadable") and not was_lost:
                    was_lost = True
                    self._emit(Taken(error.message, 0.0))
                else:
                    raise

    async def _once(self, definitions: list[Json], tool_choice: Literal["auto", "none"]) -> Reply:
        state = self._state
        state.budget.take_round()
        self.rounds += 1
        self.draft = Draft()
        request = Request(
            sendable(state.conversation.messages),
            tuple(definitions),
            tool_choice,
            state.options.temperature,
            state.options.max_tokens,
        )
        reply = await ask(state.model, request, self.draft, self._emit)
        state.spend(reply.usage)
        return reply if tool_choice == "none" else self._with_text_calls(reply, definitions)

    def _with_text_calls(self, reply: Reply, definitions: list[Json]) -> Reply:
        """Take the calls that a model wrote into its text, as some do with a better way at hand."""
        if reply.calls or not definitions or not _CALL_MARKS.search(reply.text):
            return reply
        names = {definition["function"]["name"] for definition in definitions}
        found: Reply = load("hermes.llm.dialects.finished").with_text_calls(reply, names)
        if found.calls:
            self._emit(Taken("the model wrote its calls as text", 0.0))
            if found.text.strip():
                self._emit(Said(found.text))
        return found
