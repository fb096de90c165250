"""``hermes journal``: look at the record of every call."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, Usage, argument
from hermes.config.load import load as load_settings

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.runtime.journal import Entry, Journal

STATUSES = ("ok", "error", "running", "maybe-done")
_AGE = re.compile(r"(\d+)\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_COLUMNS = ("when", "call", "tool", "status", "took", "task", "door")


def list_calls(options: Namespace) -> int:
    """Print calls, newest first."""
    with _journal() as journal:
        found = journal.entries(
            limit=options.limit, since=moment(options.since), **_filters(options)
        )
    if options.json:
        output.print_json([told(entry) for entry in found])
    else:
        output.print_table(_COLUMNS, map(_row, found))
    return 0


def show_call(options: Namespace) -> int:
    """Print everything that is recorded of one call."""
    with _journal() as journal:
        found = journal.entry(options.id)
    if found is None:
        raise HermesError(
            f"no one call has an id that begins with {options.id!r}",
            hint="'hermes journal list' shows the ids.",
        )
    if options.json:
        output.print_json(told(found))
    else:
        output.print_facts((name, _word(value)) for name, value in told(found).items())
    return 0


def tail_calls(options: Namespace) -> int:
    """Print the last calls, oldest first, and with --follow every new one until interrupted."""
    with _journal() as journal:
        last = journal.entries(limit=options.limit, **_filters(options))
        if output.is_terminal() and not options.json and not options.follow:
            output.print_table(_COLUMNS, [_row(entry) for entry in reversed(last)])
            return 0
        for entry in reversed(last):
            _print_one(entry, as_json=options.json)
        if options.follow:
            for entry in journal.follow(**_filters(options)):
                _print_one(entry, as_json=options.json)
    return 0


def verify_journal(options: Namespace) -> int:
    """Prove that no record was changed, dropped or slipped in; return 1 when one was."""
    with _journal() as journal:
        proof, open_calls = journal.verify(), journal.unfinished()
    if options.json:
        output.print_json(
            {
                "ok": proof.ok,
                "rows": proof.rows,
                "first_bad": proof.first_bad,
                "reason": proof.reason,
                "maybe_done": [told(entry) for entry in open_calls],
            }
        )
    else:
        state = "intact" if proof.ok else f"broken: {proof.reason}"
        output.write(f"{plural(proof.rows, 'record')} checked: {state}")
        for entry in open_calls:
            output.write(f"maybe done: {entry.tool} ({entry.call_id}) began and did not report")
    return 0 if proof.ok else 1


def moment(since: str | None) -> float | None:
    """Return the wall-clock time of ``10m`` (ago) or of an ISO date.

    Raises:
        Usage: the text is neither.
    """
    if since is None:
        return None
    age = _AGE.fullmatch(since.strip())
    if age:
        return time.time() - int(age[1]) * _SECONDS[age[2]]
    try:
        return datetime.fromisoformat(since).astimezone().timestamp()
    except (ValueError, OverflowError):
        raise Usage(
            f"--since takes an age or a time, not {since!r}",
            hint="Write 30s, 10m, 2h, 1d, or 2030-01-31T12:00.",
        ) from None


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


@contextmanager
def _journal() -> Iterator[Journal]:
    """Open the journal of the home folder; tools need not be known to read it."""
    path = load_settings().home / "state.db"
    journal: Journal = load("hermes.runtime.journal").Journal(path)
    try:
        yield journal
    finally:
        journal.close()


def _filters(options: Namespace) -> dict[str, Any]:
    status = options.status.replace("-", " ") if options.status else None
    return {"tool": options.tool, "task_id": options.task, "status": status}


def _print_one(entry: Entry, *, as_json: bool) -> None:
    if as_json:
        output.write(output.as_json(told(entry)))
    else:
        output.print_lines(["\t".join(_row(entry))])
    output.flush()


def _row(entry: Entry) -> tuple[str, ...]:
    took = "" if entry.duration is None else f"{entry.duration * 1000:.1f} ms"
    outcome = entry.outcome if entry.status == "error" and entry.outcome else entry.status
    return (
        _time(entry),
        entry.call_id,
        entry.tool,
        outcome,
        took,
        entry.task_id or "",
        entry.door,
    )


def _time(entry: Entry) -> str:
    started = datetime.fromtimestamp(entry.started, tz=UTC).astimezone()
    return started.isoformat(timespec="milliseconds")


def _word(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else output.as_json(value)


_TOOL = argument("--tool", help="Only calls of this tool.", metavar="NAME", complete="tool")
_TASK = argument("--task", help="Only calls of this task.", metavar="ID")
_STATUS = argument(
    "--status",
    help=f"Only calls with this status: {', '.join(STATUSES)}.",
    choices=STATUSES,
    metavar="STATUS",
)

ENTRY = Group(
    "journal",
    "Look at the record of every call.",
    (
        Command(
            "list",
            "List calls, newest first.",
            list_calls,
            (
                _TOOL,
                _TASK,
                _STATUS,
                argument("--since", help="Only calls since then.", metavar="10m"),
                argument("--limit", help="How many at most.", type=int, default=50, metavar="N"),
                JSON,
            ),
            ("hermes journal list --tool sleep --since 10m", "hermes journal list --status error"),
        ),
        Command(
            "show",
            "Show everything recorded of one call.",
            show_call,
            (argument("id", help="The call's id, or how it begins.", metavar="ID"), JSON),
            ("hermes journal show 3f2a9c1e-1",),
        ),
        Command(
            "tail",
            "Show the last calls, and new ones as they come.",
            tail_calls,
            (
                argument("-f", "--follow", help="Go on until interrupted.", action="store_true"),
                _TOOL,
                _TASK,
                _STATUS,
                argument(
                    "--limit", help="How many to begin with.", type=int, default=10, metavar="N"
                ),
                JSON,
            ),
            ("hermes journal tail -f",),
        ),
        Command(
            "verify",
            "Prove that no record was changed, dropped or slipped in.",
            verify_journal,
            (JSON,),
            ("hermes journal verify",),
        ),
    ),
)
