"""Notice when a model goes in circles, by what was observed and never by which tool it was."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hermes.base import json
from hermes.base.messages import Json

_NUMBERS = re.compile(r"\d+")
_LONGEST_FAILURE = 300


class Seen(NamedTuple):
    """A call and what came of it."""

    name: str
    arguments: Json
    answer: str
    is_error: bool
    code: str = ""
    """How the runtime calls what came of it; nothing that a tool says can change that."""


class Patience(NamedTuple):
    """After how many rounds a model is nudged, and after how many it is stopped."""

    stale: tuple[int, int] = (3, 6)
    """Rounds in a row whose every call gave exactly what it had given before."""
    failing: tuple[int, int] = (3, 8)
    """Rounds in a row that failed in the same way."""
    repeated: int = 8
    """How often the same call gave the same but for its numbers; a nudge alone, as this may be
    somebody who waits."""


class Advice(NamedTuple):
    """What to tell the model, and whether the turn ends."""

    text: str
    is_end: bool = False


class Guard:
    """Watch the calls of one turn; whoever learns something new is never disturbed."""

    def __init__(self, patience: Patience = Patience()) -> None:  # noqa: B008 - frozen
        self._patience = patience
        self._known: set[str] = set()
        self._alike: Counter[str] = Counter()
        self._stale = 0
        self._failing = 0
        self._failure = ""

    def look(self, seen: Sequence[Seen]) -> Advice | None:
        """Return what to do after a round, or None when it brought something new."""
        if not seen:
            return None
        fresh = {f"{_call(one)}\0{one.answer}" for one in seen} - self._known
        self._known |= fresh
        self._stale = 0 if fresh else self._stale + 1
        self._note_failure(seen)
        return self._on_stale(seen) or self._on_failing(seen) or self._on_repeated(seen)

    def _note_failure(self, seen: Sequence[Seen]) -> None:
        if not all(one.is_error for one in seen):
            self._failing, self._failure = 0, ""
            return
        failure = "\n".join(sorted({_failure(one) for one in seen}))
        self._failing = self._failing + 1 if failure == self._failure else 1
        self._failure = failure

    def _on_stale(self, seen: Sequence[Seen]) -> Advice | None:
        nudge, end = self._patience.stale
        if self._stale >= end:
            return Advice(
                f"The last {self._stale} rounds repeated calls and got what was known already "
                f"({_names(seen)}).",
                is_end=True,
            )
        if self._stale == nudge:
            return Advice(
                f"You made {_names(seen)} again with the same arguments and got the same answer, "
                f"{nudge} rounds in a row. Calling it once more will not change that. Use what you "
                "know, try something else, wait with a longer timeout if you wait for something, "
                "or say what is missing."
            )
        return None

    def _on_failing(self, seen: Sequence[Seen]) -> Advice | None:
        nudge, end = self._patience.failing
        if self._failing >= end:
            return Advice(
                f"The last {self._failing} rounds failed in the same way ({_names(seen)}).",
                is_end=True,
            )
        if self._failing == nudge:
            return Advice(
                f"The last {nudge} rounds failed in the same way. Read the error and its hint "
                "again, and change the approach instead of the details; if it cannot be done "
                "here, say so."
            )
        return None

    def _on_repeated(self, seen: Sequence[Seen]) -> Advice | None:
        alike = {f"{_call(one)}\0{_NUMBERS.sub('#', one.answer)}" for one in seen}
        self._alike.update(alike)
        if any(self._alike[key] == self._patience.repeated for key in alike):
            return Advice(
                f"You have made the same call ({_names(seen)}) {self._patience.repeated} times. If "
                "you wait for something, wait longer at once; otherwise go on with what you know."
            )
        return None


def _call(one: Seen) -> str:
    arguments = one.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.decode(arguments)
        except json.NotJson:
            return f"{one.name}\0{arguments}"
    if isinstance(arguments, dict):
        arguments = dict(sorted(arguments.items(), key=lambda item: str(item[0])))
    return f"{one.name}\0{json.encode(arguments)}"


def _failure(one: Seen) -> str:
    """Return what went wrong without what differs from one try to the next."""
    try:
        told = json.decode(one.answer)
    except json.NotJson:
        told = {}
    told = told if isinstance(told, dict) else {}
    text = str(told.get("error", one.answer))[:_LONGEST_FAILURE]
    return f"{one.name} {told.get('code', '')} {_NUMBERS.sub('#', text)}"


def _names(seen: Sequence[Seen]) -> str:
    return ", ".join(dict.fromkeys(one.name for one in seen))
