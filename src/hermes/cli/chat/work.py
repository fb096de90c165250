"""What goes on in a turn: calls that run, children that work, calls that were answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hermes.agent.events import CallDone, CallProgress, CallStarted, ChildSaid, Done, Event
from hermes.base.messages import Json
from hermes.cli.chat.calls import Call, telling

Clock = Callable[[], float]


class About(NamedTuple):
    """What is known of a tool: its icon and the schema of its parameters."""

    icon: str = ""
    parameters: Mapping[str, Json] | None = None


Tools = Callable[[str], About]
"""Tells about a tool by its name, whatever the name is."""


@dataclass(slots=True)
class Running:
    """A call that is not answered yet."""

    name: str
    what: str
    icon: str
    since: float
    progress: str = ""


@dataclass(slots=True)
class Child:
    """A child and what it does now."""

    goal: str
    since: float
    calls: int = 0
    now: str = ""
    ending: str = ""
    """How it ended; nothing while it works."""
    seconds: float = 0.0


@dataclass
class Work:
    """Keep what a conversation's calls are and were, as its events tell."""

    tools: Tools = lambda _: About()
    clock: Clock = time.monotonic
    calls: list[Call] = field(default_factory=list)
    """Every call that was answered, oldest first."""
    running: dict[str, Running] = field(default_factory=dict)
    children: dict[str, Child] = field(default_factory=dict)

    def start(self, event: CallStarted) -> Running:
        """Note that a call began."""
        about = self.tools(event.name)
        what = telling(event.args, about.parameters)
        made = Running(event.name, what, about.icon, self.clock())
        self.running[event.id] = made
        return made

    def advance(self, event: CallProgress) -> None:
        """Note how far a call has come."""
        if found := self.running.get(event.id):
            found.progress = event.text

    def finish(self, event: CallDone) -> Call:
        """Note that a call was answered, and give it its number."""
        self.running.pop(event.id, None)
        return self.add(event.name, event.args, event.result, event.is_error, event.seconds)

    def add(self, name: str, args: Json, result: str, is_error: bool, seconds: float) -> Call:
        """Keep a call under the next number."""
        about = self.tools(name)
        made = Call(
            len(self.calls) + 1, name, args, result, is_error, seconds, about.icon, about.parameters
        )
        self.calls.append(made)
        return made

    def hear(self, said: ChildSaid) -> None:
        """Note what a child does."""
        child = self.children.setdefault(said.child, Child(said.goal, self.clock()))
        event: Event = said.event
        if isinstance(event, CallStarted):
            about = self.tools(event.name)
            child.calls += 1
            child.now = f"{event.name} {telling(event.args, about.parameters)}".rstrip()
        elif isinstance(event, ChildSaid):
            child.now = f"{event.goal}: {type(event.event).__name__.lower()}"
        elif isinstance(event, Done):
            child.ending, child.now = event.ending, event.error
            child.seconds = self.clock() - child.since

    def take_children(self, *, everyone: bool = False) -> list[Child]:
        """Return the children that have ended, and forget them."""
        gone = [name for name, child in self.children.items() if child.ending or everyone]
        return [self.children.pop(name) for name in gone]

    def settle(self) -> None:
        """Forget what still ran when a turn ended."""
        self.running.clear()
        self.children.clear()
