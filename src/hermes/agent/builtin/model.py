"""The built-in model: answers plain requests with calls of the tools on offer, offline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from hermes.agent.builtin.brain import Brain
from hermes.agent.builtin.conversation import read
from hermes.agent.builtin.steps import Hands
from hermes.base.messages import ToolCall
from hermes.llm.contract import CallPiece, Piece, Reply, Request, TextPiece, Usage

NAME = "hermes:builtin"
_FREE = Usage(dollars=0.0)


class Builtin:
    """A model without a language model; it knows nothing but what each request holds."""

    name = NAME
    window = 1_000_000

    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    async def ask(self, request: Request) -> AsyncIterator[Piece]:
        """Yield the next call, or the words at the end."""
        conversation = read(request.messages)
        hands = Hands(() if request.tool_choice == "none" else request.definitions)
        # what an extra brings may take seconds to load
        decision = await asyncio.to_thread(self._brain.decide, conversation, hands)
        if decision.call is None:
            yield TextPiece(decision.text)
            yield Reply(decision.text, usage=_FREE)
            return
        number = sum(len(message.calls) for message in request.messages) + 1
        call = ToolCall(f"builtin_{number}", decision.call.tool, dict(decision.call.args))
        yield CallPiece(0, call.name, "")
        yield Reply(calls=(call,), stop="calls", usage=_FREE)

    async def close(self) -> None:
        """Let go of nothing; there is nothing to let go of."""
