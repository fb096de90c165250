"""One conversation: what is added to it is kept when `add` returns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hermes.base.messages import Json, Message
from hermes.base.pairing import sound
from hermes.base.redact import Redactor
from hermes.services.sessions import reading, writing
from hermes.services.sessions.cutting import begins_at, last_begin_at
from hermes.services.sessions.records import SUMMARY, Facts, Stored, loaded, redacted

if TYPE_CHECKING:
    from hermes.services.sessions.database import Database
    from hermes.services.sessions.writing import Place


class Cost(Protocol):
    """What an answer cost, in the words of the models."""

    def _asdict(self) -> dict[str, Any]: ...


class Session:
    """A conversation in the database; made by `Sessions`, usable from several threads."""

    def __init__(self, database: Database, place: Place, redactor: Redactor) -> None:
        self._database = database
        self._place = place
        self._redactor = redactor

    @property
    def id(self) -> str:
        """Its id; the beginning of it is enough to find it."""
        return self._place.id

    def facts(self) -> Facts:
        """Return its title, model, counts and cost as they are now."""
        with self._database.reading() as connection:
            return reading.facts(reading.there(connection, self.id), self._place)

    def system(self) -> str:
        """Return the system prompt that it began with."""
        with self._database.reading() as connection:
            return reading.prompt(reading.there(connection, self.id), self._place)[0]

    def tools(self) -> list[Json]:
        """Return the definitions of the tools that were on offer when it began."""
        with self._database.reading() as connection:
            tools = reading.prompt(reading.there(connection, self.id), self._place)[1]
        found: list[Json] = loaded(tools)
        return found

    def compaction(self) -> tuple[int, int] | None:
        """Return the ids of the last summary and of the first message that it left; or None."""
        with self._database.reading() as connection:
            known = reading.there(connection, self.id)
            summary, kept_from = reading.compaction(known, self._place)
        return None if summary is None or kept_from is None else (summary, kept_from)

    def add(
        self,
        message: Message,
        *,
        at: float | None = None,
        usage: Cost | Mapping[str, Json] | None = None,
        **about: Any,
    ) -> int:
        """Keep a message, durably, and return its id; what it cost is added to the session's.

        ``about`` is kept beside it and never sent to a model: seconds, an ending, a reason.
        """
        cost = _cost(usage)
        if cost:
            about["usage"] = cost
        with self._database.writing() as connection:
            clean = redacted(message, self._redactor)
            number = writing.add(connection, self._place, clean, at or time.time(), about)
            if cost:
                writing.spend(connection, self._place, cost)
        return number

    def add_all(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Keep several messages, all of them or none, and return their ids."""
        clean = [redacted(message, self._redactor) for message in messages]
        now = time.time()
        with self._database.writing() as connection:
            return tuple(
                writing.add(connection, self._place, message, now, {}) for message in clean
            )

    def spend(self, usage: Cost | Mapping[str, Json]) -> None:
        """Add to what the session has cost, for what no message of it stands for."""
        with self._database.writing() as connection:
            writing.spend(connection, self._place, _cost(usage))

    def messages(self) -> tuple[Message, ...]:
        """Return the conversation as a model may be sent it: compacted, every call answered."""
        return sound(entry.message for entry in self.entries())

    def entries(self) -> tuple[Stored, ...]:
        """Return what stands in the conversation now, with ids, as it was recorded."""
        with self._database.reading() as connection:
            known = reading.there(connection, self.id)
            return tuple(reading.present(known, self._place.number))

    def all_messages(self) -> tuple[Message, ...]:
        """Return every message ever added, also those that a summary stands for."""
        return tuple(entry.message for entry in self.all_entries())

    def all_entries(self) -> tuple[Stored, ...]:
        """Return the same with ids."""
        with self._database.reading() as connection:
            known = reading.there(connection, self.id)
            return tuple(reading.entries(known, self._place.number))

    def compacted(
        self, summary: Message, kept_from: int | None = None, *, keep_last: int = 0
    ) -> int:
        """Let a summary stand for all messages before one, given by its id; return its own.

        Without an id it stands for all but the last few, counted as `messages` gives them. An
        answer is never cut from its call: then the conversation is kept from the call on. Nothing
        is deleted.
        """
        with self._database.writing() as connection:
            now = reading.present(connection, self._place.number)
            said = [each.message for each in now]
            last = last_begin_at(said, keep_last)
            place = next((at for at, each in enumerate(now) if each.id == kept_from), last)
            place = begins_at(said, place)
            if place < len(now) and reading.is_summary(now[place]):
                place += 1  # the new summary stands for the old one too
            clean = redacted(summary, self._redactor)
            made = writing.add(connection, self._place, clean, time.time(), {SUMMARY: True})
            kept = now[place].id if place < len(now) else made
            writing.compact(connection, self._place, made, kept)
        return made

    def keep_all(
        self, entries: Sequence[Stored], compaction: tuple[int, int] | None = None
    ) -> None:
        """Keep messages that were exported, with their times, and their compaction by old ids."""
        places: dict[int, int] = {}
        with self._database.writing() as connection:
            for old, at, message, about in entries:
                clean = redacted(message, self._redactor)
                when = at or time.time()
                places[old] = writing.add(connection, self._place, clean, when, about)
                if isinstance(cost := about.get("usage"), Mapping):
                    writing.spend(connection, self._place, cost)
            if times := [entry.at for entry in entries if entry.at]:
                connection.execute(
                    "UPDATE sessions SET created = ?, updated = ? WHERE number = ?",
                    (min(times), max(times), self._place.number),
                )
            if compaction and set(compaction) <= places.keys():
                summary, kept_from = (places[old] for old in compaction)
                writing.compact(connection, self._place, summary, kept_from)

    def rename(self, title: str) -> None:
        """Give it another title."""
        self._set("title", self._redactor.text(" ".join(title.split())))

    def use_model(self, model: str) -> None:
        """Note that another model answers from now on."""
        self._set("model", model)

    def move(self, workspace: str) -> None:
        """Note that it goes on in another folder."""
        self._set("workspace", workspace)

    def _set(self, column: str, value: str) -> None:
        value = value.encode("utf-8", "replace").decode()
        with self._database.writing() as connection:
            reading.facts(connection, self._place)
            connection.execute(
                f"UPDATE sessions SET {column} = ? WHERE number = ?", (value, self._place.number)
            )


def _cost(usage: Cost | Mapping[str, Json] | None) -> dict[str, Json]:
    if usage is None:
        return {}
    given = dict(usage) if isinstance(usage, Mapping) else usage._asdict()
    return {name: value for name, value in given.items() if value}
