"""The list of what an agent has to do, kept for each task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from hermes.base import json
from hermes.base.errors import InvalidArguments
from hermes.base.text import did_you_mean

Status = Literal["pending", "in_progress", "completed", "cancelled"]

STATUSES: tuple[Status, ...] = ("pending", "in_progress", "completed", "cancelled")
MOST = 256
LONGEST = 4_000
_LONGEST_ID = 100
_OTHER_WORDS: Mapping[str, Status] = {
    "todo": "pending", "open": "pending", "new": "pending", "planned": "pending",
    "not_started": "pending", "doing": "in_progress", "started": "in_progress",
    "active": "in_progress", "current": "in_progress", "wip": "in_progress", "done": "completed",
    "complete": "completed", "finished": "completed", "closed": "completed",
    "canceled": "cancelled", "skipped": "cancelled", "dropped": "cancelled",
    "abandoned": "cancelled",
}  # fmt: skip


class Todo(NamedTuple):
    """One thing to do."""

    id: str
    content: str
    status: Status = "pending"


class Written(NamedTuple):
    """A list as it is now, and what was put right while it was written."""

    todos: tuple[Todo, ...]
    notes: tuple[str, ...] = ()


class Todos:
    """Keep a list for each task; nothing that is written is ever lost."""

    provided_by = "the agent loop"

    def __init__(self) -> None:
        self._lists: dict[str, tuple[Todo, ...]] = {}

    def read(self, task_id: str) -> tuple[Todo, ...]:
        """Return the list of a task, in its order."""
        return self._lists.get(task_id, ())

    def open(self, task_id: str) -> tuple[Todo, ...]:
        """Return what is still to be done."""
        return tuple(
            todo for todo in self.read(task_id) if todo.status in ("pending", "in_progress")
        )

    def write(
        self, task_id: str, items: Sequence[Mapping[str, Any]], *, merge: bool = False
    ) -> Written:
        """Replace the list of a task, or change it by id; all of it or nothing.

        Raises:
            InvalidArguments: an item makes no sense, or there are too many.
        """
        before = self.read(task_id) if merge else ()
        problems = list(_problems(items))
        if problems:
            raise InvalidArguments("; ".join(problems), hint="Nothing was changed.")
        draft = _Draft(before, taken={str(item.get("id") or "").strip() for item in items})
        for number, item in enumerate(items):
            draft.put(number, item)
        written = draft.finished()
        self._lists[task_id] = written.todos
        return written

    def recall(self, task_id: str, answers: Iterable[str]) -> None:
        """Take up the list of a conversation that goes on, out of its answers, newest first."""
        for answer in answers:
            found = _told(answer)
            if found is not None:
                self._lists[task_id] = found
                return

    def forget(self, task_id: str) -> None:
        """Drop the list of a task."""
        self._lists.pop(task_id, None)


def answer(written: Written) -> dict[str, Any]:
    """Return a list as a model is told it, with how many items have which status."""
    counts = {word: sum(one.status == word for one in written.todos) for word in STATUSES}
    return {
        "todos": [one._asdict() for one in written.todos],
        "summary": {"total": len(written.todos), **{word: n for word, n in counts.items() if n}},
        **({"notes": list(written.notes)} if written.notes else {}),
    }


def _told(answer: str) -> tuple[Todo, ...] | None:
    """Return the list that an answer tells, or None when it tells none."""
    if not answer.startswith('{"todos":') or '"summary":' not in answer:
        return None
    try:
        items = json.decode(answer)["todos"]
        found = tuple(Todo(item["id"], item["content"], item["status"]) for item in items)
    except (json.NotJson, KeyError, TypeError):  # it was cut, or is of another tool
        return None
    is_ours = all(isinstance(part, str) for one in found for part in one)
    return found if is_ours and all(one.status in STATUSES for one in found) else None


def status_of(word: str) -> Status | None:
    """Return the status that a word means, or None when it is not known."""
    folded = "_".join(word.strip().lower().replace("-", " ").replace("_", " ").split())
    if folded in STATUSES:
        return folded
    return _OTHER_WORDS.get(folded)


def _problems(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with items, each by itself."""
    if len(items) > MOST:
        yield f"a list has at most {MOST} items, not {len(items):,}: put small steps together"
    for number, item in enumerate(items[:MOST]):
        status, content = item.get("status"), item.get("content") or ""
        if status and status_of(status) is None:
            near = did_you_mean(status[:60], STATUSES)
            known = near or f"Known are {', '.join(STATUSES)}."
            yield f"todos[{number}]: there is no status {status[:60]!r}. {known}"
        if len(content) > LONGEST:
            yield (
                f"todos[{number}]: its content has {len(content):,} characters, "
                f"and {LONGEST:,} are allowed"
            )
        if len(item.get("id") or "") > _LONGEST_ID:
            yield f"todos[{number}]: an id has at most {_LONGEST_ID} characters"


class _Draft:
    """A list while it is written."""

    def __init__(self, before: Sequence[Todo], taken: set[str]) -> None:
        self._todos = {todo.id: todo for todo in before}
        self._taken = taken | set(self._todos)
        self._written: list[str] = []
        self._notes: list[str] = []
        self._next = 1

    def put(self, number: int, item: Mapping[str, Any]) -> None:
        """Add an item, or change the one that it names."""
        id = str(item.get("id") or "").strip()
        content = str(item.get("content") or "").strip()
        status = status_of(item.get("status") or "")
        known = self._todos.get(id) if id else self._same(content)
        if known is not None and self._is_another(known, content):
            fresh = self._fresh()
            self._notes.append(f"the id {id!r} was used twice; {content[:60]!r} is now {fresh!r}")
            id, known = fresh, None
        if known is None and not content:
            raise InvalidArguments(
                f"todos[{number}]: {'no item has the id ' + repr(id) if id else 'it is empty'}; "
                "a new one needs a content",
                hint="Nothing was changed. Call without arguments to read the list.",
            )
        if known is not None:
            made = Todo(known.id, content or known.content, status or known.status)
        else:
            made = Todo(id or self._fresh(), content, status or "pending")
        self._todos[made.id] = made
        self._written.append(made.id)

    def _same(self, content: str) -> Todo | None:
        """Return the item from before with this very content: it was written again without id."""
        found = (todo for todo in self._todos.values() if todo.content == content)
        return next((todo for todo in found if todo.id not in self._written), None)

    def _is_another(self, known: Todo, content: str) -> bool:
        """Say whether an item of this very write would be lost behind one with the same id."""
        return known.id in self._written and bool(content) and content != known.content

    def _fresh(self) -> str:
        while str(self._next) in self._taken:
            self._next += 1
        self._taken.add(str(self._next))
        return str(self._next)

    def finished(self) -> Written:
        """Return the list with at most one item in progress."""
        if len(self._todos) > MOST:
            raise InvalidArguments(
                f"the list would have {len(self._todos)} items, and {MOST} are allowed",
                hint="Nothing was changed. Write the list anew without what is done.",
            )
        at_work = [todo.id for todo in self._todos.values() if todo.status == "in_progress"]
        kept = next((id for id in self._written if id in at_work), at_work[0] if at_work else "")
        for id in at_work:
            if id != kept:
                self._todos[id] = self._todos[id]._replace(status="pending")
        if len(at_work) > 1:
            put_back = ", ".join(repr(id) for id in at_work if id != kept)
            self._notes.append(
                f"one item at a time is in progress: {kept!r} stays so, {put_back} is pending again"
            )
        return Written(tuple(self._todos.values()), tuple(self._notes))
