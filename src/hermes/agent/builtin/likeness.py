"""Hold a request that no rule understands against the examples of the rules, word by word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from hermes.agent.builtin.said import Listener, Said
from hermes.agent.builtin.steps import Intent

_NEAR, _AHEAD = 0.5, 0.04
_STRANGE = 0.5
"""What a word weighs that is in no example: it is most often a name."""
_MARK = 1.5
_IDLE = frozenset(
    "a an the my our your this that these those it its of to in on at for with and or me i we you "
    "is are was be do does did can could please there here some any so just".split()
)

_WEAK = frozenset({"tell", "show", "list", "mine", "everything", "exist", "@name"})
"""Concepts that nearly every request holds."""


class Likeness:
    """The examples as bags of words and concepts; a rare word weighs more than a common one."""

    def __init__(self, intents: Iterable[Intent], listener: Listener) -> None:
        self._bags = [
            (intent, _features(listener.hear(line)[0]))
            for intent in intents
            if not intent.is_change
            for line in intent.examples
        ]
        seen = Counter(one for _, bag in self._bags for one in bag)
        self._weights = {
            one: math.log(1 + len(self._bags) / count) * (_MARK if one[0] == "@" else 1.0)
            for one, count in seen.items()
        }

    def choose(self, said: Said) -> Intent | None:
        """Return what the nearest example stands for, if it is near and nothing else is as near."""
        bag = _features(said)
        best: dict[str, tuple[float, Intent]] = {}
        for intent, other in self._bags:
            near = self._nearness(bag, other)
            if near > best.get(intent.name, (0.0,))[0]:
                best[intent.name] = (near, intent)
        ranked = sorted(best.values(), key=lambda one: -one[0])
        if not ranked or ranked[0][0] < _NEAR:
            return None
        is_ahead = len(ranked) == 1 or ranked[0][0] >= ranked[1][0] + _AHEAD
        return ranked[0][1] if is_ahead else None

    def _nearness(self, bag: frozenset[str], other: frozenset[str]) -> float:
        shared = self._weight(bag & other)
        return shared / math.sqrt(self._weight(bag) * self._weight(other) or 1.0)

    def _weight(self, bag: Iterable[str]) -> float:
        return sum(self._weights.get(one, _STRANGE) for one in bag)


def _features(said: Said) -> frozenset[str]:
    """Return the kinds of marks in a request, its concepts, and its words without endings."""
    words = {_stem(one) for one in re.findall(r"[a-z']+", said.low) if one not in _IDLE}
    meant = said.concepts - _WEAK
    return frozenset(words) | {f"={one}" if one[0] != "@" else one for one in meant}


def _stem(word: str) -> str:
    return re.sub(r"(?<=\w{3})(?:'s|ing|ed|es|s)$", "", word)
