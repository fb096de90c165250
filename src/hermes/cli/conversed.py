"""What is shown of a session: as a JSON object, as a row, as facts, as a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.base.text import escaped, head_and_tail, plural
from hermes.cli import output
from hermes.cli.moments import clock, local
from hermes.config.load import load as load_settings

if TYPE_CHECKING:
    from datetime import datetime

    from hermes.services.sessions import Sessions
    from hermes.services.sessions.hits import Hit
    from hermes.services.sessions.records import Facts, Stored

COLUMNS = ("id", "when", "messages", "title", "model", "cost", "folder")
_LONGEST_TITLE = 40
_SHORT_TITLE = 28
_LONGEST_TEXT = 2_000
_LONGEST_CALL = 200
_FAINT = {"tool", "system"}


@contextmanager
def kept() -> Iterator[Sessions]:
    """Open the sessions of the home folder."""
    path = load_settings().home / "state.db"
    sessions: Sessions = load("hermes.services.sessions").Sessions(path)
    try:
        yield sessions
    finally:
        sessions.close()


def told(session: Facts) -> dict[str, Any]:
    """Return what is known of a session as a JSON object."""
    return {
        "id": session.id,
        "title": session.title,
        "opening": session.opening,
        "kind": session.kind,
        "parent": session.parent or None,
        "model": session.model,
        "source": session.source,
        "workspace": session.workspace,
        "created": _time(session.created),
        "updated": _time(session.updated),
        "messages": session.messages,
        "calls": session.calls,
        "tokens": {
            name: getattr(session, name) for name in ("input", "output", "cached", "reasoning")
        },
        "dollars": session.dollars,
    }


def row(session: Facts, now: datetime) -> tuple[str, ...]:
    """Return a session for a person: short local time, and what it is about."""
    return (
        session.id,
        clock(local(session.updated), now),
        f"{session.messages:,}",
        title(session),
        session.model,
        cost(session),
        escaped(session.workspace),
    )


def plain_row(session: Facts) -> tuple[str, ...]:
    """Return a session for a script: whole times, and the same fields always."""
    return (
        session.id,
        _time(session.updated),
        str(session.messages),
        escaped(session.name),
        session.model,
        "" if session.dollars is None else f"{session.dollars:.6f}",
        escaped(session.workspace),
        session.kind,
        session.parent,
    )


def facts(session: Facts) -> Iterator[tuple[str, str]]:
    """Yield what is known of a session, each fact as a person would say it."""
    yield "session", session.id
    yield "title", escaped(session.name)
    if session.parent:
        yield session.kind, f"of {session.parent}"
    yield "model", session.model or "-"
    yield "folder", escaped(session.workspace) or "-"
    yield "began", f"{local(session.created):%Y-%m-%d %H:%M:%S %Z}"
    yield "last used", f"{local(session.updated):%Y-%m-%d %H:%M:%S %Z}"
    yield "messages", f"{session.messages:,}, with {plural(session.calls, 'call')}"
    yield "tokens", f"{session.input:,} read, {session.output:,} written"
    yield "cost", cost(session) or "-"


def title(session: Facts, longest: int = _LONGEST_TITLE) -> str:
    """Return a session's name, short enough for a table."""
    name = escaped(session.name)
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def cost(session: Facts) -> str:
    """Return what a session has cost, or nothing where no price is known."""
    return "" if session.dollars is None else f"${session.dollars:.4f}"


def conversation(entries: tuple[Stored, ...]) -> Iterator[str]:
    """Yield the lines of a conversation: who said what, what was called, what came of it."""
    for entry in entries:
        message = entry.message
        who = f"{message.role} {message.name}".strip()
        yield f"── {entry.id} · {who} · {local(entry.at):%Y-%m-%d %H:%M:%S}"
        if message.text:
            longest = _LONGEST_TEXT if message.role in _FAINT else len(message.text)
            yield readable(head_and_tail(message.text, longest))
        for media in message.media:
            yield f"[{media.kind}: {escaped(media.url or media.type)}]"
        for call in message.calls:
            asked = call.arguments
            asked = asked if isinstance(asked, str) else output.as_json(asked)
            yield f"→ {escaped(call.name)} {readable(head_and_tail(asked, _LONGEST_CALL))}"
        yield ""


def readable(text: str) -> str:
    """Return a text of anybody's that does nothing to a terminal."""
    return escaped(text.expandtabs(4))


def hit_told(hit: Hit) -> dict[str, Any]:
    """Return a hit as a JSON object."""
    return {
        "session": told(hit.session),
        "message_id": hit.id,
        "role": hit.role,
        "time": _time(hit.at),
        "snippet": hit.snippet,
        "hits": hit.hits,
    }


def hit_row(hit: Hit, now: datetime) -> tuple[str, ...]:
    """Return a hit for a person."""
    when = clock(local(hit.at), now)
    name = title(hit.session, _SHORT_TITLE)
    return (hit.session.id, str(hit.id), when, hit.role, name, readable(hit.snippet))


def _time(stamp: float) -> str:
    return local(stamp).isoformat(timespec="milliseconds")
