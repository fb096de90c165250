"""What every debugger can do, and the words for it: one Protocol, one file per kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from hermes.base.errors import ToolError

How = Literal["continue", "next", "step", "out"]
Scope = Literal["locals", "globals"]
MOST_VARIABLES = 60
MOST_FRAMES = 50
LONGEST_VALUE = 400


class Breakpoint(NamedTuple):
    """A line to stop at, or to tell something at."""

    file: str
    line: int
    condition: str = ""
    log: str = ""
    """An expression; it is printed there, and nothing stops."""
    hits: int = 0
    """Stop only when it is come to for this time."""


class Placed(NamedTuple):
    """A breakpoint as the debugger took it."""

    file: str
    line: int
    is_set: bool
    message: str = ""


class Frame(NamedTuple):
    """A call that is going on."""

    function: str
    file: str
    line: int
    handle: Any = None
    """How its debugger knows it."""


class Variable(NamedTuple):
    """A name with its value as text, and what is in it."""

    name: str
    value: str
    type: str = ""
    children: tuple[Variable, ...] = ()
    more: int = 0
    """How many more are in it."""

    def as_json(self) -> dict[str, Any]:
        """Return it as a model reads it."""
        told: dict[str, Any] = {"name": self.name, "value": cut(self.value)}
        if self.type:
            told["type"] = self.type
        if self.children:
            told["children"] = [each.as_json() for each in self.children]
        if self.more:
            told["not_shown"] = self.more
        return told


@dataclass(frozen=True, slots=True)
class Plan:
    """A program to be debugged."""

    program: str
    args: tuple[str, ...]
    cwd: str
    breakpoints: tuple[Breakpoint, ...] = ()
    stop_on_entry: bool = False
    stop_on_raise: bool = False
    """Stop where an exception is raised, not only where nobody catches it."""


class Stopped(NamedTuple):
    """Why a program stopped."""

    reason: str
    text: str = ""


@dataclass(slots=True)
class News:
    """What a debugger tells its session; called on the loop of the session."""

    stopped: Callable[[Stopped], None]
    resumed: Callable[[], None]
    said: Callable[[str], None]
    ended: Callable[[int | None, str], None]


class Debugger(Protocol):
    """A program under a debugger."""

    async def start(self, plan: Plan) -> list[Placed]:
        """Start the program and let it run.

        Raises:
            ToolError: it cannot be started.
        """

    async def place(self, breakpoints: Sequence[Breakpoint]) -> list[Placed]:
        """Replace all breakpoints."""

    async def resume(self, how: How) -> None:
        """Let it go on."""

    async def pause(self) -> None:
        """Have it stop where it is."""

    async def frames(self) -> list[Frame]:
        """Return the calls that are going on, the innermost first."""

    async def variables(self, frame: Frame, scope: Scope) -> list[Variable]:
        """Return the variables of a call."""

    async def evaluate(self, frame: Frame | None, expression: str) -> Variable:
        """Return what an expression gives in a call.

        Raises:
            ToolError: it raised, or cannot be read.
        """

    async def explain(self, why: Stopped) -> str:
        """Return more about why it stopped, such as what an exception says."""

    def tidy(self, output: str) -> str:
        """Return what was printed without what the debugger itself put there."""

    async def close(self) -> None:
        """End the program and the debugger."""


@dataclass(slots=True)
class Output:
    """What a program printed, the last of it, until somebody reads it."""

    most: int = 20_000
    parts: list[str] = field(default_factory=list)
    size: int = 0
    dropped: int = 0

    def add(self, text: str) -> None:
        """Take more."""
        self.parts.append(text)
        self.size += len(text)
        while self.size > self.most and len(self.parts) > 1:
            gone = len(self.parts.pop(0))
            self.size, self.dropped = self.size - gone, self.dropped + gone

    def take(self) -> str:
        """Return it, and forget it."""
        text = "".join(self.parts)[-self.most :]
        lost = f"[{self.dropped} characters before this]\n" if self.dropped else ""
        self.parts, self.size, self.dropped = [], 0, 0
        return lost + text


def cut(text: str, most: int = LONGEST_VALUE) -> str:
    """Return a text that is not too long."""
    return text if len(text) <= most else f"{text[: most - 20]} … ({len(text)} characters)"


def lost(what: str) -> ToolError:
    """Return what is said when a debugger does not answer."""
    return ToolError(
        f"the debugger did not answer: {what}",
        code="debugger_lost",
        hint="Stop this session with action=stop and start a new one.",
    )
