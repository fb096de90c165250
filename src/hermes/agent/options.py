"""How an agent works: its limits, and when it is told that it goes in circles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hermes.agent.guards import Patience

_PATIENCE = Patience()


def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How an agent works; the defaults suit a person who watches."""

    rounds: int = 90
    """How often the model is asked in one turn, children included; 0 sets no limit."""
    tokens: int = 0
    """How many tokens one turn may cost, children included; 0 sets no limit."""
    temperature: float | None = None
    max_tokens: int | None = None
    """The tokens of one answer; None leaves it to the model."""
    compact_at: float = 0.75
    """The part of the model's window that may be in use before the conversation is compacted."""
    patience: Patience = _PATIENCE
    """When a model that goes in circles is nudged, and when it is stopped."""
    door: str = "agent"
    """What the journal says of where its calls came in."""
    reminder: Callable[[], str] = _nothing
    """Gives what a summary must hold besides: the open todos."""
    picture_folders: tuple[str, ...] = ()
    """Folders whose images may be shown to the model when an answer names them."""
    closes_model: bool = False
    """Whether closing the agent closes its model: yes for whoever opened it for this agent."""
