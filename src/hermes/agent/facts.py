"""What must survive a summary and needs no model to be known: words of the user, files, todos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from hermes.base import json
from hermes.base.messages import OURS, Json, Message, ToolCall
from hermes.base.text import head_and_tail
from hermes.policy.patches import changed_files
from hermes.policy.subjects import subjects_of
from hermes.runtime.entry import ToolEntry

_MOST_SAID = 12
_LONGEST_SAID = 1_500
_LONGEST_TASK = 8_000
_MOST_CHANGED = 60
_MOST_READ = 40
Find = Callable[[str], ToolEntry | None]
"""Gives the tool of a name; None when there is none any more."""


class Facts(NamedTuple):
    """What the user said, and which files were changed and read, oldest first."""

    task: tuple[str, ...] = ()
    """The last of what the user said, which is being worked on."""
    said: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    def then(self, later: Facts) -> Facts:
        """Return these and later ones together, within their limits; the first words stay."""
        said = (*self.said, *later.said)
        if len(said) > _MOST_SAID:
            said = (said[0], *said[1 - _MOST_SAID :])
        changed = _latest((*self.changed, *later.changed), _MOST_CHANGED)
        read = [path for path in (*self.read, *later.read) if path not in changed]
        return Facts(later.task or self.task, said, changed, _latest(read, _MOST_READ))

    def as_json(self) -> Json:
        """Return them as they are kept with a message."""
        return {name: list(value) for name, value in self._asdict().items()}

    def told(self, most_chars: int) -> str:
        """Return them as text for a model: half of the room is for the task in hand."""
        share = most_chars // 6
        earlier = [f"- {text}" for text in self.said if text not in self.task]
        parts = (
            ("The task in hand, in the user's words", "\n".join(self.task), 3 * share),
            ("What the user said before", "\n".join(earlier), share),
            ("Files that were changed", "\n".join(self.changed), share),
            ("Files that were read", "\n".join(self.read), share),
        )
        return "\n\n".join(
            f"## {title}\n{head_and_tail(text, most)}" for title, text, most in parts if text
        )


def _latest(paths: Iterable[str], most: int) -> tuple[str, ...]:
    """Return each path once, where it came last, and only so many."""
    found = list(dict.fromkeys(reversed(list(paths))))[:most]
    return tuple(reversed(found))


def kept_with(message: Message) -> Facts | None:
    """Return the facts that a summary carries; None for any other message."""
    ours = message.extra.get(OURS)
    facts = ours.get("facts") if isinstance(ours, dict) else None
    if not isinstance(facts, dict):
        return None
    return Facts(*(tuple(map(str, facts.get(name) or ())) for name in Facts._fields))


def is_note(message: Message) -> bool:
    """Say whether a message of the user's role was written by the loop."""
    return isinstance(message.extra.get(OURS), dict)


def facts_of(messages: Sequence[Message], find: Find) -> Facts:
    """Return the facts of a part of a conversation, those of earlier summaries included."""
    found = Facts()
    calls: dict[str, ToolCall] = {}
    for message in messages:
        earlier = kept_with(message)
        if earlier is not None:
            found = found.then(earlier)
        elif message.role == "user" and message.text and not is_note(message):
            task = head_and_tail(message.text, _LONGEST_TASK)
            found = found.then(Facts((task,), (head_and_tail(message.text, _LONGEST_SAID),)))
        elif message.role == "tool" and message.call_id in calls and not _failed(message.text):
            found = found.then(_touched(calls[message.call_id], find))
        calls.update({call.id: call for call in message.calls})
    return found


def _failed(answer: str) -> bool:
    return answer.startswith('{"error":')


def _touched(call: ToolCall, find: Find) -> Facts:
    """Return the files that a call changed or read, by what its tool declares."""
    entry = find(call.name)
    arguments = _arguments(call.arguments)
    if entry is None or arguments is None:
        return Facts()
    try:
        writes = "write" in (entry.effects_of(arguments) or ())
        subjects = subjects_of(arguments, entry.subjects)
    except (ValueError, TypeError):
        return Facts()
    changed: list[str] = []
    read: list[str] = []
    for subject in subjects:
        if subject.kind == "patch":
            changed += changed_files(subject.text)
        elif subject.kind in ("path:write", "path:delete") or (subject.kind == "path" and writes):
            changed.append(subject.text)
        elif subject.kind in ("path", "path:read"):
            read.append(subject.text)
    return Facts((), (), tuple(filter(None, changed)), tuple(filter(None, read)))


def _arguments(given: Json) -> dict[str, Any] | None:
    if isinstance(given, str):
        try:
            given = json.decode(given)
        except json.NotJson:
            return None
    return given if isinstance(given, dict) else None
