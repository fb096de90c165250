"""Keep exported sessions again: every line is read before anything is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import HermesError
from hermes.base.messages import NOTHING, Json, Media, Message, ToolCall
from hermes.services.sessions.records import Stored, loaded

if TYPE_CHECKING:
    from hermes.services.sessions import Beginning, Sessions
    from hermes.services.sessions.session import Session

_ROLES = frozenset({"system", "user", "assistant", "tool"})
VERSION = 1
"""The version of the lines, which the first of each session tells."""
_SAID = ("title", "model", "source", "workspace", "system")


class _Read(NamedTuple):
    """A session as its lines tell it."""

    said: dict[str, Any]
    compaction: tuple[int, int] | None
    entries: list[Stored]


def restore(sessions: Sessions, lines: Iterable[str], changes: Beginning) -> Iterable[Session]:
    """Keep each session of the lines as a new one; messages before any make one of their own.

    Raises:
        HermesError: a line cannot be read; nothing is kept then.
    """
    for read in _parsed(lines):
        said: Any = {**read.said, **changes}
        session = sessions.start(**said)
        session.keep_all(read.entries, read.compaction)
        yield session


def _parsed(lines: Iterable[str]) -> list[_Read]:
    found: list[_Read] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = _object(line)
            if value.get("type") == "session":
                found.append(_session(value))
                continue
            if not found:
                found.append(_Read({}, None, []))
            entries = found[-1].entries
            entries.append(_entry(value, len(entries) + 1))
        except (ValueError, TypeError, KeyError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else error
            raise HermesError(
                f"line {number} is no message of an export: {why}",
                hint="Lines are JSON objects with 'role' and 'text', as `hermes sessions export` "
                "writes them.",
            ) from error
    return found


def _object(line: str) -> dict[str, Json]:
    value = loaded(line)
    if not isinstance(value, dict):
        raise TypeError("it is no JSON object")
    return value


def _session(value: Mapping[str, Json]) -> _Read:
    version = value.get("version") or VERSION
    if version != VERSION:
        raise ValueError(f"it is of version {version}, and {VERSION} can be read here")
    said: dict[str, Any] = {name: str(value.get(name) or "") for name in _SAID}
    said["tools"] = list(value.get("tools") or ())
    marks = value.get("compaction")
    if marks is not None and not isinstance(marks, dict):
        raise TypeError("its compaction is no JSON object")
    compaction = (int(marks["summary"]), int(marks["kept_from"])) if marks else None
    return _Read(said, compaction, [])


def _entry(value: Mapping[str, Json], number: int) -> Stored:
    at = float(value.get("at") or 0)
    about = value.get("about") or NOTHING
    return Stored(int(value.get("id") or number), at, message_of(value), dict(about))


def message_of(value: Mapping[str, Json]) -> Message:
    """Return the message of a JSON object.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    if value["role"] not in _ROLES:
        raise ValueError(f"{value['role']!r} is no role")
    texts = {name: value.get(name) or "" for name in ("text", "reasoning", "call_id", "name")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise TypeError("a text is no text")
    return Message(
        value["role"],
        media=tuple(Media(**each) for each in value.get("media") or ()),
        calls=tuple(ToolCall(**each) for each in value.get("calls") or ()),
        extra=value.get("extra") or NOTHING,
        **texts,
    )
