"""``hermes journal``: look at the record of every call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, argument, count
from hermes.cli.moments import moment
from hermes.cli.recorded import COLUMNS, facts, plain_row, row, told, word
from hermes.config.load import load as load_settings

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.runtime.journal import Entry, Journal

STATUSES = ("ok", "error", "running", "maybe-done")
_DROPPABLE = 3


def list_calls(options: Namespace) -> int:
    """Print calls, newest first."""
    with _journal() as journal:
        found = journal.entries(
            limit=options.limit, since=moment(options.since), **_filters(options)
        )
    if options.json:
        output.print_json([told(entry) for entry in found])
    elif output.is_terminal():
        _print_table(found)
    else:
        output.print_table((), map(plain_row, found))
    return 0


def show_call(options: Namespace) -> int:
    """Print everything that is recorded of one call, or of the newest."""
    with _journal() as journal:
        if options.id is None:
            found = next(iter(journal.entries(limit=1)), None)
        else:
            found = journal.entry(options.id)
    if found is None:
        raise _missing(options.id)
    if options.json:
        output.print_json(told(found))
    elif output.is_terminal():
        output.print_facts(facts(found))
    else:
        output.print_facts((name, word(value)) for name, value in told(found).items())
    return 0


def _missing(call_id: str | None) -> HermesError:
    if call_id is None:
        return HermesError("no call is recorded yet")
    return HermesError(
        f"no one call has an id that begins with {call_id!r}",
        hint="'hermes journal list --json' shows the ids.",
    )


def tail_calls(options: Namespace) -> int:
    """Print the last calls, oldest first, and with --follow every new one until interrupted."""
    with _journal() as journal:
        last = journal.entries(limit=options.limit, **_filters(options))
        if output.is_terminal() and not options.json and not options.follow:
            _print_table(last[::-1])
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


def _print_table(entries: list[Entry]) -> None:
    if not entries:
        output.write("No calls are recorded.")
        return
    now = datetime.now().astimezone()
    output.print_table(COLUMNS, [row(each, now) for each in entries], droppable=_DROPPABLE)


def _print_one(entry: Entry, *, as_json: bool) -> None:
    if as_json:
        output.write(output.as_json(told(entry)))
    elif output.is_terminal():
        when, tool, status, duration, call, *_ = row(entry, datetime.now().astimezone())
        output.write(f"{when}  {tool:<20}  {status:<17}  {duration:>8}  {call}")
    else:
        output.print_lines(["\t".join(plain_row(entry))])
    output.flush()


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
                argument(
                    "--since", help="Only calls since: 10m, 2h, 1d ago, or a date.", metavar="WHEN"
                ),
                argument("--limit", help="How many at most.", type=count, default=50, metavar="N"),
                JSON,
            ),
            ("hermes journal list --tool sleep --since 10m", "hermes journal list --status error"),
        ),
        Command(
            "show",
            "Show everything recorded of one call.",
            show_call,
            (
                argument(
                    "id",
                    help="The call's id, or how it begins; the newest call without one.",
                    metavar="ID",
                    nargs="?",
                ),
                JSON,
            ),
            ("hermes journal show", "hermes journal show 3f2a9c1e-1"),
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
                    "--limit", help="How many to begin with.", type=count, default=10, metavar="N"
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
