"""Choose what a person wants by the rules of the families."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Intent

SURE = 1.9
"""Below this score a request is not taken for understood."""
STRONG = 5.0
"""Below this score a tool that no rule knows may fit better."""
_LIKELY, _AHEAD = 1.0, 0.3
_NEEDED, _BONUS, _PATTERN, _EXACT, _WEAKLY = 2.0, 0.9, 7.0, 9.0, 1.95
_UNEXPLAINED, _UNEXPLAINED_MARK, _FREE_SHARE = 0.6, 0.4, 0.25
_LEAD = 0.8
_POINTING = frozenset(
    "show list tell find exist mine exec read everything why first last fetch".split()
)
"""What the first word may mean in any request, without saying what is to be done."""
_WEAK = frozenset(
    """
    show list tell everything mine first last read find create exec self running exist type why
    machine code change have time end set free use mention user big switch sort replace here
    """.split()
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an intent, taken apart."""

    intent: Intent
    needed: tuple[frozenset[str], ...] = ()
    bonus: tuple[frozenset[str], ...] = ()
    banned: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    worth: float = _PATTERN
    """What its pattern counts."""
    is_free: bool = False
    """Whether the rest of the request may be anything, such as a text to search for."""

    def score(self, said: Said) -> float:
        """Return how well a request fits; 0 where it does not."""
        if self.banned & said.concepts:
            return 0.0
        if self.pattern is not None:
            return self.worth if self.pattern.search(said.typed) else 0.0
        if not all(group & said.concepts for group in self.needed):
            return 0.0
        bonus = sum(1 for group in self.bonus if group & said.concepts)
        return _NEEDED * len(self.needed) + _BONUS * bonus - self._unexplained(said)

    def _unexplained(self, said: Said) -> float:
        known = frozenset[str]().union(*self.needed, *self.bonus)
        lead = _LEAD if said.lead and not said.lead & known and not said.lead <= _POINTING else 0.0
        words = sum(1 for meaning in said.meanings if not meaning & known and not meaning <= _WEAK)
        marks = sum(
            1 for one in said.concepts if one[0] == "@" and one not in known and one != "@name"
        )
        share = _FREE_SHARE if self.is_free else 1.0
        return lead + share * (_UNEXPLAINED * words + _UNEXPLAINED_MARK * marks)


def parsed(intent: Intent) -> Iterable[Rule]:
    """Yield the rules of an intent."""
    for line in intent.rules:
        if line.startswith("/"):
            worth = {"//": _EXACT, "/~": _WEAKLY}.get(line[:2], _PATTERN)
            line = line if worth == _PATTERN else line[1:]
            banned, _, pattern = line[1:].strip().rpartition(" !! ")
            bans = frozenset(banned.replace("!", " ").split())
            yield Rule(
                intent,
                banned=bans,
                pattern=re.compile(pattern, re.IGNORECASE | re.DOTALL),
                worth=worth,
            )
            continue
        groups: dict[str, list[frozenset[str]]] = {"+": [], "!": [], "": []}
        is_free = line.startswith("* ")
        for word in line.removeprefix("* ").split():
            sign = word[0] if word[0] in "+!" else ""
            groups[sign].append(frozenset(word[len(sign) :].split("|")))
        banned_all = frozenset[str]().union(*groups["!"])
        yield Rule(intent, tuple(groups[""]), tuple(groups["+"]), banned_all, is_free=is_free)


class Rules:
    """All rules, ready to choose."""

    def __init__(self, intents: Iterable[Intent]) -> None:
        self.intents = tuple(intents)
        self._rules = [rule for intent in self.intents for rule in parsed(intent)]

    def choose(self, said: Said) -> list[tuple[float, Intent]]:
        """Return the intents that fit, best first."""
        best: dict[str, tuple[float, Intent]] = {}
        for rule in self._rules:
            score = rule.score(said)
            if score > best.get(rule.intent.name, (0.0,))[0]:
                best[rule.intent.name] = (score, rule.intent)
        return sorted(best.values(), key=lambda found: -found[0])


def likely(found: list[tuple[float, Intent]]) -> Intent | None:
    """Return the best of some weak finds if it changes nothing and stands out."""
    if not found or found[0][0] < _LIKELY or found[0][1].is_change:
        return None
    stands_out = len(found) == 1 or found[0][0] >= found[1][0] + _AHEAD
    return found[0][1] if stands_out else None
