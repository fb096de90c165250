"""What a scripted model does when it is asked: one step per question."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from hermes.base.messages import Json, ToolCall
from hermes.llm.contract import Reply, Request

Fault = Literal["cut", "ended", "retried", "malformed"]
"""What goes wrong with an answer: half of it comes and then an error; half of it and then nothing,
not even a ``Reply``; half of it, a ``Retry``, and the whole; the arguments of its calls are broken
JSON. A model that gives no answer at all is a step that is a ``ModelError``."""


class Expected(NamedTuple):
    """What a step wants to be asked; each is only looked at where it says something."""

    tools: tuple[str, ...] = ()
    """Names that must be on offer."""
    absent: tuple[str, ...] = ()
    """Names that must not be on offer."""
    said: tuple[str, ...] = ()
    """Texts that must be in the last message."""
    system: tuple[str, ...] = ()
    """Texts that must be in the system prompt."""
    messages: int | None = None
    """How many messages there must be."""


_ANYTHING = Expected()


@dataclass(frozen=True, slots=True)
class Step:
    """An answer with what it wants to be asked, and with what goes wrong on its way."""

    answer: Answer = ""
    expects: Expected = _ANYTHING
    slow_seconds: float = 0.0
    """How long it waits before its first piece, and again before its last."""
    fault: Fault | None = None


Answer: TypeAlias = (
    Reply
    | str
    | ToolCall
    | Sequence[ToolCall]
    | BaseException
    | Step
    | Callable[[Request], "Answer | Awaitable[Answer]"]
)
"""A whole reply, its text, its calls, what is raised, or a function that chooses one of those."""


def call(name: str, **arguments: Json) -> ToolCall:
    """Return a call for a script; it gets its id when it is answered."""
    return ToolCall("", name, arguments)


def names_of(request: Request) -> list[str]:
    """Return the names of the tools on offer."""
    return [definition["function"]["name"] for definition in request.definitions]


def unmet(expected: Expected, request: Request) -> str | None:
    """Say what a step expected and was not asked, or None when all is as expected."""
    offered = names_of(request) if expected.tools or expected.absent else []
    last = request.messages[-1].text if request.messages else ""
    system = "\n".join(one.text for one in request.messages if one.role == "system")
    faults = [f"{name!r} on offer" for name in expected.tools if name not in offered]
    faults += [f"{name!r} not on offer" for name in expected.absent if name in offered]
    faults += [f"{text!r} in the last message" for text in expected.said if text not in last]
    faults += [f"{text!r} in the system prompt" for text in expected.system if text not in system]
    if expected.messages not in (None, len(request.messages)):
        faults.append(f"{expected.messages} messages instead of {len(request.messages)}")
    return ", ".join(faults) or None
