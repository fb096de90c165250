"""Read a robots.txt as its standard, RFC 9309, has it: the longest rule that fits decides."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from hermes.services.web.addresses import plainly

_LINE = re.compile(r"\s*([A-Za-z-]+)\s*:\s*([^#]*)")
_MOST_RULES = 5_000
_ANYBODY = "*"


class Rule(NamedTuple):
    """What paths a rule is about, and whether they may be fetched."""

    pattern: str
    is_allowed: bool

    def fits(self, path: str) -> bool:
        """Say whether a path is one of those; * stands for anything, $ for the end."""
        pattern, is_whole = self.pattern.removesuffix("$"), self.pattern.endswith("$")
        first, *others = pattern.split("*")
        if not path.startswith(first):
            return False
        place = len(first)
        last = others.pop() if others and is_whole else None
        for piece in others:
            found = path.find(piece, place)
            if found < 0:
                return False
            place = found + len(piece)
        if last is not None:
            return path.endswith(last) and len(path) - len(last) >= place
        return not is_whole or place == len(path)


class Asked(NamedTuple):
    """What a robots.txt asks of a robot."""

    rules: tuple[Rule, ...] = ()
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Say whether an address may be fetched; where two rules say as much, it may."""
        parts = urlsplit(url)
        path = _coded(parts.path or "/") + (f"?{_coded(parts.query)}" if parts.query else "")
        fitting = [each for each in self.rules if each.fits(path)]
        if path == "/robots.txt" or not fitting:
            return True
        return max(fitting, key=lambda each: (len(each.pattern), each.is_allowed)).is_allowed


NOTHING = Asked((Rule("/", is_allowed=False),))
"""What a site asks for that wants no robots at all."""


class _Group:
    """The lines about some robots."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.delay = 0.0

    def note(self, name: str, value: str) -> None:
        """Take one line in; a rule without a path says nothing."""
        if name == "crawl-delay":
            self.delay = _seconds(value)
        elif value and len(self.rules) < _MOST_RULES:
            self.rules.append(Rule(_coded(value), name == "allow"))


def asked(text: str, names: tuple[str, ...]) -> Asked:
    """Return what a robots.txt asks of a robot by its names, or else of everybody."""
    groups: dict[str, _Group] = {}
    current: list[_Group] = []
    sitemaps: list[str] = []
    is_naming = False
    for name, value in _lines(text):
        if name == "sitemap":
            sitemaps.append(value)
        elif name == "user-agent":
            current = current if is_naming else []
            current.append(groups.setdefault(value.lower(), _Group()))
            is_naming = True
        elif name in ("allow", "disallow", "crawl-delay"):
            is_naming = False
            for each in current:
                each.note(name, value)
    ours = [groups[each] for each in names if each in groups] or [groups.get(_ANYBODY, _Group())]
    rules = tuple(rule for each in ours for rule in each.rules)
    return Asked(rules, max(each.delay for each in ours), tuple(sitemaps))


def _lines(text: str) -> list[tuple[str, str]]:
    found = (_LINE.match(line) for line in text.removeprefix("\ufeff").splitlines())
    return [(each[1].lower(), each[2].strip()) for each in found if each]


def _seconds(value: str) -> float:
    return float(value) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?|\.\d{1,6}", value) else 0.0


def _coded(path: str) -> str:
    """Return a path in one spelling."""
    return quote(plainly(path), safe="%/*$?&=+,;:@!'()~-._[]|")
