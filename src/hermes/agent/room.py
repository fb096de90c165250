"""When a conversation grows too long for its model, and what is done then."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.agent.compaction import Aid, Compacted, Room, compact
from hermes.agent.events import Noted
from hermes.agent.state import State
from hermes.agent.watching import Emit
from hermes.base.messages import Json
from hermes.base.text import plural
from hermes.llm.contract import ModelError, Usage

_GROWN = 1.2
"""How much a conversation that could not be made short enough must grow before the next try."""
_SMALLEST = 1_000
_TRIES = 3


class Keeper:
    """Keep a conversation within its model's window, for one agent."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._again_at = 0
        self._tries = 0

    def begin(self) -> None:
        """Start a turn: what was too long before may be tried again."""
        self._tries = 0

    async def make_room(self, definitions: Sequence[Json], emit: Emit) -> None:
        """Compact the conversation when the next question would come too near to the window."""
        state = self._state
        window = state.model.window
        tokens = state.conversation.tokens(definitions)
        if window <= 0 or tokens < max(self._limit(window), self._again_at):
            return
        await self.compact(window // 3, definitions, emit)
        after = state.conversation.tokens(definitions)
        self._again_at = int(after * _GROWN) if after > self._limit(window) else 0

    async def after_refusal(self, definitions: Sequence[Json], emit: Emit) -> bool:
        """Compact harder after a model said that it is too long; False when that cannot help."""
        self._tries += 1
        before = self._state.conversation.tokens(definitions)
        if self._tries > _TRIES:
            return False
        await self.compact(max(_SMALLEST, before // (2 * self._tries)), definitions, emit)
        return self._state.conversation.tokens(definitions) < before

    def explained(self, error: ModelError, definitions: Sequence[Json]) -> ModelError:
        """Return the error of a model that cannot take even a short conversation, with what helps.

        It is mostly the tools that take the room then.
        """
        fixed = self._state.conversation.fixed_tokens(definitions)
        return ModelError(
            error.message,
            trouble=error.trouble,
            hint=error.hint
            or f"The prompt and the {len(definitions)} tools on offer take about {fixed:,} tokens "
            "by themselves: choose fewer toolsets, or a model with a larger window.",
        )

    async def compact(self, target: int, definitions: Sequence[Json], emit: Emit) -> Compacted:
        """Make the conversation about that short, and tell of it."""
        state = self._state
        before = state.conversation.tokens(definitions)
        aid = Aid(state.model, state.find, state.options.reminder)
        room = Room(max(target, _SMALLEST), max(target // 2, _SMALLEST // 2))
        made = await compact(state.conversation.said, room, aid)
        if made.summed_up:
            state.conversation.replace(made.messages)
        else:
            state.conversation.restart(made.messages)
        if made.usage != Usage():
            state.charge(made.usage)
        after = state.conversation.tokens(definitions)
        emit(Noted(_told(made, before, after)))
        return made

    def _limit(self, window: int) -> int:
        options = self._state.options
        return int(window * options.compact_at) - min(options.max_tokens or 0, window // 4)


def _told(made: Compacted, before: int, after: int) -> str:
    if not made.summed_up:
        return f"long answers were cut to make room: {before:,} → {after:,} tokens"
    how = "" if made.by_model else ", without a summary of the model"
    what = plural(made.summed_up, "message")
    return f"{what} replaced by a summary to make room{how}: {before:,} → {after:,} tokens"
