"""What one agent has, for those who do a part of its work."""

from __future__ import annotations

from dataclasses import dataclass

from hermes.agent.budget import Budget, plus
from hermes.agent.conversation import Conversation
from hermes.agent.hands import Hands
from hermes.agent.options import AgentOptions
from hermes.llm.contract import Model, Usage
from hermes.runtime.entry import ToolEntry

_NOTHING_SPENT = Usage(dollars=0.0)


@dataclass(slots=True)
class State:
    """The hands, the mind and the memory of one agent."""

    hands: Hands
    model: Model
    task_id: str
    options: AgentOptions
    conversation: Conversation
    budget: Budget
    usage: Usage = _NOTHING_SPENT

    def spend(self, usage: Usage) -> None:
        """Count what an answer cost."""
        self.usage = plus(self.usage, usage)
        self.budget.spend(usage)

    def charge(self, usage: Usage) -> None:
        """Count what an answer cost that is no part of the conversation."""
        self.spend(usage)
        self.conversation.charge(usage)

    def find(self, name: str) -> ToolEntry | None:
        """Return a tool by its name, if there is one."""
        return self.hands.registry.get(name)
