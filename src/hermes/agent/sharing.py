"""What a child has of its parent: a part of the budget, and some of the tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hermes.agent.budget import Budget
from hermes.agent.hands import Hands
from hermes.base.messages import Json
from hermes.llm.contract import Usage
from hermes.policy.verdict import ALLOWED, Verdict
from hermes.runtime.gate import Request

KEPT_ROUNDS = 2
"""Rounds that children leave to their parent, so that it can say what came of their work."""


class Share(Budget):
    """A part of a budget: what is used counts for both, and where either ends, it ends."""

    def __init__(self, whole: Budget, rounds: int) -> None:
        super().__init__(rounds)
        self._whole = whole

    @property
    def rounds_left(self) -> int | None:
        """How many rounds are left of both."""
        own = max(0, self.rounds - self.rounds_used)
        whole = self._whole.rounds_left
        return own if whole is None else min(own, max(0, whole - KEPT_ROUNDS))

    @property
    def tokens_left(self) -> int | None:
        """How many tokens are left of the whole."""
        return self._whole.tokens_left

    def take_round(self) -> None:
        """Count a question to a model, for both."""
        super().take_round()
        self._whole.take_round()

    def spend(self, usage: Usage) -> None:
        """Count what an answer cost, for both."""
        super().spend(usage)
        self._whole.spend(usage)

    def exhausted(self) -> str:
        """Say what is used up, or nothing while both last."""
        if self.rounds_left == 0 and self.rounds_used < self.rounds:
            return "the rounds that it shares with its parent are used"
        if self.tokens_left == 0:
            return self._whole.exhausted()
        return super().exhausted()


class NarrowedHands:
    """Hands that offer only some tools; all else is as with those that they are made of."""

    def __init__(self, hands: Hands, definitions: Callable[[], list[Json]]) -> None:
        self._hands = hands
        self.definitions = definitions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hands, name)


class Fence:
    """Judge the calls of children: a tool that was not handed on to them is denied."""

    def __init__(self, gate: Any) -> None:
        self._gate = gate
        self._names: dict[str, frozenset[str]] = {}

    def put_up(self, task_id: str, names: frozenset[str]) -> None:
        """Confine a task to some tools."""
        self._names[task_id] = names
        if self.judge not in self._gate.judges:
            self._gate.judges = [*self._gate.judges, self.judge]

    def take_down(self, task_id: str) -> None:
        """Confine it no longer: it is over."""
        self._names.pop(task_id, None)
        if not self._names:
            self._gate.judges = [one for one in self._gate.judges if one != self.judge]

    def judge(self, request: Request) -> Verdict:
        """Deny what is not among the tools of a confined task."""
        names = self._names.get(request.ctx.task.id)
        if names is None or request.entry.reveals or request.entry.name in names:
            return ALLOWED
        return Verdict("deny", f"{request.entry.name} was not handed on to you", "delegation")
