"""How much current models take and what they cost; unknown ones are 0 and None."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from hermes.llm.contract import Usage

CHECKED = "2026-11"
"""When these figures were gathered, from public pages; a provider's own price list is right."""


class Long(NamedTuple):
    """What a long question costs more: above how many tokens, and how many times as much."""

    above: int
    input: float
    output: float


class Price(NamedTuple):
    """Dollars for a million tokens."""

    input: float
    output: float
    cached: float
    """Input that came from the cache."""
    written: float
    """Input that was put into the cache."""
    long: Long | None = None

    def dollars(self, usage: Usage, *, written: int = 0) -> float:
        """Return what an answer cost; ``written`` of its input went into the cache."""
        more = self.long if self.long and usage.input > self.long.above else Long(0, 1, 1)
        fresh = max(0, usage.input - usage.cached - written)
        read = fresh * self.input + usage.cached * self.cached + written * self.written
        return (read * more.input + usage.output * self.output * more.output) / 1_000_000


FREE = Price(0, 0, 0, 0)


class Facts(NamedTuple):
    """What is known of a model; 0 and None where nobody knows."""

    window: int = 0
    """Tokens it can read and write together."""
    output: int = 0
    """Tokens it can write at most."""
    price: Price | None = None


_OVER_272K = Long(272_000, 2, 1.5)
_OVER_200K = Long(200_000, 2, 1.5)

# name, window, most output, dollars per million: input, output, cached input; what long ones add
_ROWS: tuple[tuple[str, int, int, float, float, float, Long | None], ...] = (
    ("claude-fable-5-1", 1_000_000, 128_000, 10, 50, 0.25, None),
    ("claude-fable-5", 1_000_000, 128_000, 10, 50, 1, None),
    ("claude-mythos-5", 1_000_000, 128_000, 10, 50, 1, None),
    ("claude-opus-5-5", 1_000_000, 128_000, 4, 20, 0.2, None),
    ("claude-opus-5", 1_000_000, 128_000, 5, 25, 0.5, None),
    ("claude-opus-4-8", 1_000_000, 128_000, 5, 25, 0.5, None),
    ("claude-opus-4-7", 1_000_000, 128_000, 5, 25, 0.5, None),
    ("claude-opus-4-6", 1_000_000, 128_000, 5, 25, 0.5, None),
    ("claude-opus-4-5", 200_000, 64_000, 5, 25, 0.5, None),
    ("claude-opus-4-1", 200_000, 32_000, 15, 75, 1.5, None),
    ("claude-sonnet-5-5", 1_000_000, 128_000, 2, 10, 0.1, None),
    ("claude-sonnet-5", 1_000_000, 128_000, 2, 10, 0.2, None),
    ("claude-sonnet-4-6", 1_000_000, 64_000, 3, 15, 0.3, None),
    ("claude-sonnet-4-5", 200_000, 64_000, 3, 15, 0.3, None),
    ("claude-haiku-5-5", 1_000_000, 128_000, 0.1, 0.5, 0.01, Long(100_000, 5, 5)),
    ("claude-haiku-4-5", 200_000, 64_000, 1, 5, 0.1, None),
    ("gpt-6.1-sol", 1_050_000, 128_000, 2, 10, 0.1, _OVER_272K),
    ("gpt-6.1-terra", 1_050_000, 128_000, 1, 5, 0.05, _OVER_272K),
    ("gpt-6-astra", 1_050_000, 128_000, 10, 50, 1, _OVER_272K),
    ("gpt-6-sol", 1_050_000, 128_000, 2, 10, 0.2, _OVER_272K),
    ("gpt-6-luna", 1_050_000, 128_000, 0.1, 0.5, 0.01, _OVER_272K),
    ("gpt-5.6-sol", 1_050_000, 128_000, 4, 20, 0.4, _OVER_272K),
    ("gpt-5.6-terra", 1_050_000, 128_000, 2, 12, 0.2, _OVER_272K),
    ("gpt-5.6-luna", 1_050_000, 128_000, 0.2, 1.2, 0.02, _OVER_272K),
    ("gpt-5.5", 1_050_000, 128_000, 5, 30, 0.5, _OVER_272K),
    ("gpt-5.4", 1_050_000, 128_000, 2.5, 15, 0.25, _OVER_272K),
    ("gpt-5.4-mini", 400_000, 128_000, 0.75, 4.5, 0.075, None),
    ("gpt-5.4-nano", 400_000, 128_000, 0.2, 1.25, 0.02, None),
    ("gpt-5.2", 400_000, 128_000, 1.75, 14, 0.175, None),
    ("gpt-5.1", 400_000, 128_000, 1.25, 10, 0.125, None),
    ("gpt-5.1-codex", 400_000, 128_000, 1.25, 10, 0.125, None),
    ("gpt-5", 400_000, 128_000, 1.25, 10, 0.125, None),
    ("gpt-5-mini", 400_000, 128_000, 0.25, 2, 0.025, None),
    ("gpt-5-nano", 400_000, 128_000, 0.05, 0.4, 0.005, None),
    ("gpt-4.1", 1_047_576, 32_768, 2, 8, 0.5, None),
    ("gpt-4.1-mini", 1_047_576, 32_768, 0.4, 1.6, 0.1, None),
    ("gpt-4.1-nano", 1_047_576, 32_768, 0.1, 0.4, 0.025, None),
    ("gpt-4o", 128_000, 16_384, 2.5, 10, 1.25, None),
    ("gpt-4o-mini", 128_000, 16_384, 0.15, 0.6, 0.075, None),
    ("o4-mini", 200_000, 100_000, 1.1, 4.4, 0.275, None),
    ("o3", 200_000, 100_000, 2, 8, 0.5, None),
    ("o3-mini", 200_000, 100_000, 1.1, 4.4, 0.55, None),
    ("gemini-3.8-flash", 1_048_576, 65_536, 0.75, 3.75, 0.075, None),
    ("gemini-3.7-flash", 1_048_576, 65_536, 0.75, 3.75, 0.075, None),
    ("gemini-3.6-flash", 1_048_576, 65_536, 0.75, 3.75, 0.075, None),
    ("gemini-3.5-flash", 1_048_576, 65_536, 1.5, 9, 0.15, None),
    ("gemini-3.5-flash-lite", 1_048_576, 65_536, 0.3, 2.5, 0.03, None),
    ("gemini-3.1-pro", 1_048_576, 65_536, 2, 12, 0.2, _OVER_200K),
    ("gemini-3.1-flash-lite", 1_048_576, 65_536, 0.25, 1.5, 0.025, None),
    ("gemini-3-pro", 1_048_576, 65_536, 2, 12, 0.2, _OVER_200K),
    ("gemini-3-flash", 1_048_576, 65_536, 0.5, 3, 0.05, None),
    ("gemini-2.5-pro", 1_048_576, 65_536, 1.25, 10, 0.125, _OVER_200K),
    ("gemini-2.5-flash", 1_048_576, 65_536, 0.3, 2.5, 0.03, None),
    ("gemini-2.5-flash-lite", 1_048_576, 65_536, 0.1, 0.4, 0.01, None),
)
_CACHE_WRITE = 1.25
"""What Anthropic and OpenAI take for input that goes into the cache, in prices of plain input."""

# a date, a number of a release, or a word that names the same model again
_SAME = re.compile(r"(?:-(?:20\d\d(?:-?\d\d){0,2}|\d{2}-20\d\d|\d{3,4}|latest|preview|chat))*")


def look_up(model: str) -> Facts:
    """Return what is known of a model by its name; dates and paths in it do not matter."""
    name = _folded(model)
    for known, facts in _table().items():
        if name.startswith(known) and _SAME.fullmatch(name, len(known)):
            return facts
    return Facts()


def _folded(model: str) -> str:
    name = model.lower().rpartition("/")[2].partition(":")[0].partition("@")[0]
    return name.replace(".", "-")


@functools.cache
def _table() -> dict[str, Facts]:
    return {
        _folded(name): Facts(
            window,
            output,
            Price(paid, earned, cached, paid * _CACHE_WRITE, long),
        )
        for name, window, output, paid, earned, cached, long in _ROWS
    }
