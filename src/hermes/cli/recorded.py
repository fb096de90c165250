"""What is recorded of a call: as a JSON object, as a row, as facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hermes.cli import output
from hermes.cli.moments import clock, local, took

if TYPE_CHECKING:
    from datetime import datetime

    from hermes.runtime.journal import Entry

COLUMNS = ("when", "tool", "status", "took", "call", "task", "door")


def told(entry: Entry) -> dict[str, Any]:
    """Return what is recorded of a call as a JSON object."""
    return {
        "id": entry.id,
        "call_id": entry.call_id,
        "task_id": entry.task_id,
        "door": entry.door,
        "tool": entry.tool,
        "arguments": entry.arguments,
        "changes": list(entry.changes),
        "verdict": entry.verdict,
        "started": _time(entry),
        "status": entry.status,
        "duration_seconds": entry.duration,
        "outcome": entry.outcome,
        "detail": entry.detail,
        "size": entry.size,
    }


def row(entry: Entry, now: datetime) -> tuple[str, ...]:
    """Return a call for a person: short local time, and a word for arguments that were mended."""
    status = f"{_status(entry)}, repaired" if entry.changes else _status(entry)
    return (
        clock(local(entry.started), now),
        entry.tool,
        status,
        took(entry.duration),
        entry.call_id,
        entry.task_id or "",
        entry.door,
    )


def plain_row(entry: Entry) -> tuple[str, ...]:
    """Return a call for a script: whole times, one unit, and the same fields always."""
    duration = "" if entry.duration is None else f"{entry.duration * 1000:.1f} ms"
    return (
        _time(entry),
        entry.call_id,
        entry.tool,
        _status(entry),
        duration,
        entry.task_id or "",
        entry.door,
        "repaired" if entry.changes else "",
    )


def _status(entry: Entry) -> str:
    return entry.outcome if entry.status == "error" and entry.outcome else entry.status


def facts(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield what is recorded of a call, each fact as a person would say it."""
    yield "tool", entry.tool
    yield "status", entry.status
    yield "started", f"{local(entry.started):%Y-%m-%d %H:%M:%S %Z}"
    yield "took", took(entry.duration) or "-"
    yield "arguments", word(entry.arguments)
    yield "repaired", "\n".join(entry.changes) or "-"
    yield "verdict", entry.verdict
    yield "outcome", word(entry.outcome)
    yield "detail", word(entry.detail)
    yield "size", "-" if entry.size is None else f"{entry.size:,} characters"
    yield "call", entry.call_id
    yield "task", word(entry.task_id)
    yield "door", entry.door


def _time(entry: Entry) -> str:
    return local(entry.started).isoformat(timespec="milliseconds")


def word(value: Any) -> str:
    """Return a value as text, JSON where it is more than that."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else output.as_json(value)
