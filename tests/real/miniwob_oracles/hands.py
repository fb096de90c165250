"""What an oracle works with: the page as the tools show it, and the tools themselves."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

ITEM = re.compile(
    r'@(?P<ref>(?:f\d+)?e\d+) (?P<role>[a-z]+)(?: "(?P<name>[^"]*)")?'
    r'(?: = "(?P<value>[^"]*)")?(?: \[(?P<states>[^\]]*)\])?'
)
FULL = re.compile(
    r'(?P<role>[a-z]+)(?: "(?P<name>[^"]*)")?[^@]*\[@(?P<ref>(?:f\d+)?e\d+)\](?P<rest>.*)'
)
MOST_SECONDS = 4
QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True)
class Item:
    """Something on the page that has a ref."""

    ref: str
    role: str
    name: str
    value: str
    states: str
    line: int

    @property
    def is_checked(self):
        return "checked" in self.states


@dataclass(frozen=True)
class Page:
    """The page in the compact form, without the display of points."""

    lines: list[str]
    items: list[Item] = field(default_factory=list)

    @property
    def goal(self):
        return self.lines[0]

    @property
    def quoted(self):
        return QUOTED.findall(self.goal)

    @property
    def text(self):
        return "\n".join(self.lines)

    def all(self, *roles, name=None):
        return [
            each
            for each in self.items
            if (not roles or each.role in roles) and (name is None or each.name == name)
        ]

    def one(self, *roles, name=None, nth=0):
        found = self.all(*roles, name=name)
        assert found, f"no {roles} {name!r} in:\n{self.text}"
        return found[nth].ref

    def under(self, words, *roles, name=None):
        """Return the first thing below the line that has some words."""
        at = next(number for number, line in enumerate(self.lines) if number and words in line)
        return next(each.ref for each in self.all(*roles, name=name) if each.line > at)


def parsed(snapshot):
    """Return a page from what browser_snapshot shows of it."""
    lines, is_points = [], False
    for line in snapshot.splitlines():
        is_points = is_points or line.startswith("Last reward:")
        if not is_points:
            lines.append(line)
        is_points = is_points and not line.startswith("Episodes done:")
    items = [
        Item(f"@{each['ref']}", each["role"], each["name"] or "", each["value"] or "",
             each["states"] or "", number)
        for number, line in enumerate(lines) for each in ITEM.finditer(line)
    ]  # fmt: skip
    return Page(lines, items)


def _text(rest):
    return rest.partition(": ")[2].strip('"')


class Hands:
    """The browser tools of one task, as an oracle calls them."""

    def __init__(self, call):
        self.call = call

    def look(self):
        return parsed(self.call("browser_snapshot")["snapshot"])

    def until(self, found):
        """Look until a page has what is wanted, as a page may take a moment to show it."""
        ends = time.monotonic() + MOST_SECONDS
        while time.monotonic() < ends:
            if here := found():
                return here
            time.sleep(0.03)
        raise AssertionError(f"never shown; there is:\n{self.look().text}")

    def until_quickly(self, fits):
        """Look as often as possible until a page fits."""
        ends = time.monotonic() + 3 * MOST_SECONDS
        while time.monotonic() < ends:
            if fits(self.look()):
                return
        raise AssertionError("it never fits")

    def look_fully(self):
        """Return role, name or text, and ref of everything in the whole tree."""
        shown = self.call("browser_snapshot", full=True)["snapshot"]
        found = [each for line in shown.splitlines() if (each := FULL.search(line))]
        return [
            (each["role"], each["name"] or _text(each["rest"]), f"@{each['ref']}") for each in found
        ]

    def click(self, *refs):
        for ref in refs:
            answer = self.call("browser_click", ref=ref)
        return answer

    def type(self, ref, text):
        return self.call("browser_type", ref=ref, text=text)

    def press(self, key):
        return self.call("browser_press", key=key)

    def scroll(self, ref, amount, direction="down"):
        return self.call("browser_scroll", direction=direction, amount=amount, ref=ref)

    def submit(self, name="Submit"):
        return self.click(self.look().one("button", name=name))
