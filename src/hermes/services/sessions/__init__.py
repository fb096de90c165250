"""Keep every conversation: resumed, forked, searched, exported; durable message by message.

Everything is in ``state.db`` of the home folder, which several threads and processes may use at
the same time. What needs the database is loaded when it is first used.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack

from hermes.base.messages import Json
from hermes.base.optional import load

if TYPE_CHECKING:
    from hermes.base.redact import Redactor
    from hermes.services.sessions.hits import Found
    from hermes.services.sessions.reading import Stretch
    from hermes.services.sessions.records import Facts, Kind
    from hermes.services.sessions.session import Session
    from hermes.services.sessions.writing import Place

__all__ = ["Beginning", "Searching", "Sessions", "Which"]

_END = 1 << 62


class Beginning(TypedDict, total=False):
    """What can be said of a session when it begins."""

    title: str
    model: str
    source: str
    """Where it is held: ``cli``, ``gateway``, ``python``."""
    workspace: str
    system: str
    """The system prompt, as it is when the session begins."""
    tools: Sequence[Json]
    """The definitions of the tools on offer."""
    parent: str
    """The id of the session that it works for; makes it a child unless ``kind`` says otherwise."""
    kind: Kind


class Which(TypedDict, total=False):
    """Which sessions are wanted."""

    query: str
    """Words that its title, its beginning, its id, model or folder must hold."""
    source: str
    workspace: str
    model: str
    parent: str
    children: bool
    """Whether those that work for another one are wanted too."""


class Searching(TypedDict, total=False):
    """How to search: see `hits.How`."""

    limit: int
    sort: Any
    roles: tuple[str, ...]
    window: int
    bookends: int
    children: bool
    besides: str
    within: str


class Sessions:
    """All conversations of a home folder; opened by the first use, closed by its maker."""

    provided_by: ClassVar[str] = "the agent loop"

    def __init__(
        self, path: Path, *, redactor: Redactor | None = None, durable: bool = True
    ) -> None:
        """Keep them in a file; not ``durable``, a power cut may take the last moments."""
        self.path = path
        self._redactor = redactor or load("hermes.base.redact").Redactor({})
        self._database = load("hermes.services.sessions.database").Database(path, durable=durable)
        self._tasks: dict[str, Session] = {}

    def start(self, *, task_id: str | None = None, **said: Unpack[Beginning]) -> Session:
        """Begin a conversation; `of_task` knows it by its task until that is forgotten."""
        writing = load("hermes.services.sessions.writing")
        tools = load("hermes.services.sessions.records").dumped(list(said.pop("tools", ())))
        given: dict[str, Any] = {name: _sound(str(value)) for name, value in said.items()}
        for name in ("title", "system"):
            given[name] = self._redactor.text(given.get(name, ""))
        given["tools"] = tools
        given.setdefault("kind", "child" if given.get("parent") else "chat")
        with self._database.writing() as connection:
            begun = writing.Beginning(**given)
            place = writing.begin(connection, writing.new_id(), begun, time.time())
        return self._opened(place, task_id)

    def resume(self, name: str, *, task_id: str | None = None) -> Session:
        """Open a conversation by its id, the beginning of one, or its title.

        Raises:
            HermesError: there is none, or more than one.
        """
        return self._opened(self._place(name), task_id)

    def latest(self, **which: Unpack[Which]) -> Session | None:
        """Open the conversation that was used last, or return None when there is none."""
        found = self.list(limit=1, **which)
        return self.resume(found[0].id) if found else None

    def of_task(self, task_id: str) -> Session | None:
        """Return the conversation that a task of this process belongs to."""
        return self._tasks.get(task_id)

    def forget(self, task_id: str) -> None:
        """Let go of what is kept in memory for a task."""
        self._tasks.pop(task_id, None)

    def list(
        self, *, limit: int = 20, offset: int = 0, **which: Unpack[Which]
    ) -> tuple[Facts, ...]:
        """Return sessions, the one used last first."""
        with self._database.reading() as connection:
            if connection is None:
                return ()
            found: tuple[Facts, ...] = load("hermes.services.sessions.reading").listed(
                connection, which, max(0, limit), max(0, offset)
            )
            return found

    def facts(self, name: str) -> Facts:
        """Return what is known of a session: title, model, counts, cost."""
        return self.resume(name).facts()

    def fork(self, name: str, *, at: int | None = None, task_id: str | None = None) -> Session:
        """Begin a conversation with a copy of another, up to the message of an id.

        Answers that follow the message belong to it. What the other has cost is not copied.
        """
        reading, writing = (
            load("hermes.services.sessions.reading"),
            load("hermes.services.sessions.writing"),
        )
        with self._database.writing() as connection:
            source = reading.find(connection, name)
            last = _END if at is None else reading.whole_from(connection, source, at)
            old = reading.facts(connection, source)
            system, tools = reading.prompt(connection, source)
            begun = writing.Beginning(
                kind="fork",
                parent=source.id,
                title=reading.fork_title(connection, old),
                model=old.model,
                source=old.source,
                workspace=old.workspace,
                system=system,
                tools=tools,
            )
            place = writing.begin(connection, writing.new_id(), begun, time.time())
            writing.copy(connection, source.number, place, last)
        return self._opened(place, task_id)

    def rename(self, name: str, title: str) -> None:
        """Give a session another title."""
        self.resume(name).rename(title)

    def delete(self, name: str) -> tuple[str, ...]:
        """Delete a session and those that worked for it; return their ids. Forks stay."""
        reading, writing = (
            load("hermes.services.sessions.reading"),
            load("hermes.services.sessions.writing"),
        )
        self._place(name)  # nothing is made just to say that there is nothing
        with self._database.writing() as connection:
            places = reading.with_children(connection, reading.find(connection, name))
            writing.delete(connection, places)
        self._database.tidy()
        return tuple(place.id for place in places)

    def search(self, query: str, **how: Unpack[Searching]) -> Found:
        """Return the sessions that hold what is asked for, with what is around the best hit.

        Any text is a question: each word and each "quoted text" is looked for.
        """
        hits = load("hermes.services.sessions.hits")
        with self._database.reading() as connection:
            if connection is None:
                return hits.Found()  # type: ignore[no-any-return] # loaded by name
            found: Found = load("hermes.services.sessions.finding").search(
                connection, query, hits.How(**how)
            )
            return found

    def around(self, name: str, message: int, *, window: int = 5) -> Stretch:
        """Return a message of a session with those before and after it."""
        return self._read("around", name, message, window)  # type: ignore[no-any-return] # same

    def ends(self, name: str, *, first: int = 20, last: int = 10) -> tuple[Stretch, ...]:
        """Return how a session begins and how it ends: one stretch where that is all of it."""
        return tuple(self._read("ends", name, first, last))

    def export(self, name: str, form: str = "jsonl", **how: Any) -> Iterator[str]:
        """Yield a session as text, piece by piece: ``jsonl``, ``markdown`` or ``sharegpt``.

        Raises:
            HermesError: the form is unknown.
        """
        exported: Iterator[str] = load("hermes.services.sessions.exporting").export(
            self.resume(name), form, **how
        )
        return exported

    def restore(self, lines: Iterable[str], **changes: Unpack[Beginning]) -> tuple[Session, ...]:
        """Keep the sessions of an export in JSONL again, each as a new one.

        Raises:
            HermesError: a line cannot be read; nothing is kept then.
        """
        return tuple(load("hermes.services.sessions.importing").restore(self, lines, changes))

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        self._tasks.clear()
        self._database.close()

    def _read(self, what: str, name: str, *values: int) -> Any:
        reading = load("hermes.services.sessions.reading")
        with self._database.reading() as connection:
            place = reading.find(connection, name)
            return getattr(reading, what)(connection, place, *values)

    def _place(self, name: str) -> Place:
        with self._database.reading() as connection:
            place: Place = load("hermes.services.sessions.reading").find(connection, name)
            return place

    def _opened(self, place: Place, task_id: str | None) -> Session:
        session: Session = load("hermes.services.sessions.session").Session(
            self._database, place, self._redactor
        )
        if task_id is not None:
            self._tasks[task_id] = session
        return session


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
