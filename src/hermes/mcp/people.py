"""Whom a server's requests come to: who answers, which model, which folders, who is told."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hermes.base.messages import Json
    from hermes.llm.contract import Model

_MINUTE = 60.0
Approver = Callable[[Any], Awaitable[Any]]
"""Takes an ``ApprovalRequest`` and gives an answer, as an approver does; or gives a word of yes or
raises ``Denied``, as ``Approvals.ask`` does. One that can show forms has a method ``form``, too,
which takes a ``Form`` and gives the values by name, or None for no."""


class Field(NamedTuple):
    """One thing that a form asks for."""

    name: str
    title: str
    about: str = ""
    kind: str = "string"
    """One of string, number, integer, boolean, one (of the choices) and many (of them)."""
    choices: tuple[tuple[str, str], ...] = ()
    """The values that may be chosen, each with its words for people."""
    default: Json = None
    is_required: bool = False
    schema: Mapping[str, Json] = {}


class Form(NamedTuple):
    """What a server asks a person; every text in it is the server's and not to be trusted."""

    server: str
    message: str
    fields: tuple[Field, ...]
    problems: tuple[str, ...] = ()
    """What was wrong with the last answer."""


class Limits:
    """Count what a server asked for within a minute; this outlives the server's connections."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[str, deque[float]] = {}

    def admits(self, what: str, most: int) -> bool:
        """Say whether one more is within the limit, and count it if so."""
        now, times = self._clock(), self._times.setdefault(what, deque())
        while times and now - times[0] >= _MINUTE:
            times.popleft()
        if len(times) >= most:
            return False
        times.append(now)
        return True


class People(NamedTuple):
    """Who answers a server's requests; what is None is nobody, and nobody means no."""

    approver: Approver | None = None
    model_of: Callable[[str], Model | Awaitable[Model]] | None = None
    """Gives the model of a name, and the agent's own for no name; whoever gave it closes it."""
    workspace_of: Callable[[], Iterable[str]] | None = None
    """Gives the folders that the server is told of: those of the task that it works for."""
    on_log: Callable[[str, str, str], object] | None = None
    """Told what a server logs: the server, the level, the text."""
    on_progress: Callable[[str, str], object] | None = None
    """Told how a call of a server comes along: the server, the text."""
    open_url: Callable[[str], Any] | None = None
    """Shows an address that the person agreed to visit; may be a coroutine function."""
    form: Callable[[Form], Awaitable[Mapping[str, Any] | None]] | None = None
    """Shows a form and gives the values by name, or None for no; else the approver's ``form``."""
    task_of: Callable[[], str] | None = None
    """Names the task that the server works for; its approvals are those of that task."""
    limits: Limits | None = None
    """Counts across connections; without it, each connection counts for itself."""
