"""Rounds and tokens that an agent shares with its children."""

from __future__ import annotations

from hermes.llm.contract import Usage


class Budget:
    """Count down rounds and tokens; hand the same one to a child and it counts for both."""

    def __init__(self, rounds: int = 0, tokens: int = 0) -> None:
        self.rounds = rounds
        """How many rounds were allowed; 0 sets no limit."""
        self.tokens = tokens
        """How many tokens were allowed; 0 sets no limit."""
        self.rounds_used = 0
        self.tokens_used = 0

    @property
    def rounds_left(self) -> int | None:
        """How many rounds are left; None when there is no limit."""
        return max(0, self.rounds - self.rounds_used) if self.rounds else None

    @property
    def tokens_left(self) -> int | None:
        """How many tokens are left; None when there is no limit."""
        return max(0, self.tokens - self.tokens_used) if self.tokens else None

    def take_round(self) -> None:
        """Count a question to a model."""
        self.rounds_used += 1

    def spend(self, usage: Usage) -> None:
        """Count what an answer cost; what came from a provider's cache is counted too."""
        self.tokens_used += usage.input + usage.output

    def exhausted(self) -> str:
        """Say what is used up, or nothing while both last."""
        if self.rounds_left == 0:
            return f"all {self.rounds} rounds are used"
        if self.tokens_left == 0:
            return f"all {self.tokens:,} tokens are used"
        return ""

    def is_last(self) -> bool:
        """Say whether the next round is the last."""
        return self.rounds_left == 1


def plus(first: Usage, second: Usage) -> Usage:
    """Return what two answers cost together; an unknown price makes the sum unknown."""
    dollars: float | None = None
    if first.dollars is not None and second.dollars is not None:
        dollars = first.dollars + second.dollars
    return Usage(
        first.input + second.input,
        first.output + second.output,
        first.cached + second.cached,
        first.reasoning + second.reasoning,
        dollars,
    )
