"""``hermes checkpoints``: look at what can be undone, and drop what is old."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import escaped, plural
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, argument
from hermes.cli.moments import clock, local
from hermes.config.load import load as load_settings

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.services.checkpoints import Checkpoints
    from hermes.services.checkpoints.model import Checkpoint, Entry, State

_COLUMNS = ("id", "when", "tool", "what changed", "state", "folder")
_LARGEST_SHOWN = 1 << 20


@contextmanager
def kept() -> Iterator[Checkpoints]:
    """Open the checkpoints of the home folder; what a crash cut short is finished first."""
    keeper: Checkpoints = load("hermes.app.file_work").checkpoints(load_settings())
    try:
        yield keeper
    finally:
        keeper.close()


def list_checkpoints(options: Namespace) -> int:
    """Print every checkpoint, newest first."""
    with kept() as keeper:
        print_list(keeper, keeper.store.all(), as_json=options.json)
    return 0


def print_list(keeper: Checkpoints, found: list[Checkpoint], *, as_json: bool) -> None:
    """Print checkpoints, newest first."""
    gone = load("hermes.services.checkpoints.undoing").undone(found)
    if as_json:
        output.print_json([_facts(keeper, one, gone) for one in found])
    elif found:
        now = datetime.now().astimezone()
        rows = [_row(keeper, one, gone, now) for one in found]
        output.print_table(_COLUMNS, rows, droppable=2)
    elif output.is_terminal():
        output.write("Nothing can be undone.")


def _facts(keeper: Checkpoints, one: Checkpoint, gone: set[str]) -> dict[str, Any]:
    return {
        "id": one.id,
        "time": local(one.made).isoformat(timespec="milliseconds"),
        "task_id": one.task_id,
        "call_id": one.call_id,
        "tool": one.tool,
        "command": one.what or None,
        "workspace": one.workspace,
        "state": _state(one, gone),
        "undoes": list(one.undoes),
        "left_alone": list(one.left),
        "files": [
            {"path": entry.path, "change": _change(entry)} for entry in _entries(keeper, one)
        ],
    }


def _row(keeper: Checkpoints, one: Checkpoint, gone: set[str], now: datetime) -> tuple[str, ...]:
    entries = [entry for entry in _entries(keeper, one) if entry.after.kind != "folder"]
    names = [f"{_change(entry)} {escaped(Path(entry.path).name)}" for entry in entries[:2]]
    if len(entries) > 2:
        names.append(f"{len(entries) - 2} more")
    what = ", ".join(names) or escaped(one.what)
    if one.origin == "undo":
        what = f"undid {', '.join(one.undoes)}: {what}"
    when = clock(local(one.made), now)
    return (one.id, when, one.tool, what, _state(one, gone), escaped(one.workspace))


def _entries(keeper: Checkpoints, one: Checkpoint) -> tuple[Entry, ...]:
    try:
        return keeper.store.whole(one).entries
    except HermesError:
        return ()


def _state(one: Checkpoint, gone: set[str]) -> str:
    if one.id in gone:
        return "undone"
    return {"begun": "unfinished", "nothing": "rolled back"}.get(one.status, "done")


def _change(entry: Entry) -> str:
    if entry.before.kind == "absent":
        return "made"
    return "removed" if entry.after.kind == "absent" else "changed"


def one_of(known: list[Checkpoint], name: str) -> Checkpoint:
    """Return the checkpoint of an id, of the beginning of one, or of a call.

    Raises:
        HermesError: there is none, or more than one.
    """
    exact = [one for one in known if name in (one.id, one.call_id)]
    found = exact or [one for one in known if one.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    what = "several checkpoints are" if found else "no checkpoint is"
    raise HermesError(f"{what} called {name!r}", hint="'hermes checkpoints list' shows them all.")


def show_diff(options: Namespace) -> int:
    """Print the difference between what files held before a checkpoint and what they hold now."""
    with kept() as keeper:
        one = one_of(keeper.store.all(), options.id)
        entries = [entry for entry, _ in keeper.entries(one)]
        keeper.store.bring(each.before.digest for each in entries if each.before.kind == "file")
        shown = [(entry.path, _diff(keeper, entry)) for entry in entries]
    if options.json:
        output.print_json([{"path": path, "diff": "\n".join(lines)} for path, lines in shown])
    else:
        output.print_lines(escaped(line) for _, lines in shown for line in lines)
    return 0


def _diff(keeper: Checkpoints, entry: Entry) -> list[str]:
    places = load("hermes.services.checkpoints.places")
    now: State = places.look(entry.path)
    if now == entry.before:
        return []
    try:
        before, after = _text(keeper, entry.before), _text_of(entry.path, now)
    except (HermesError, UnicodeError, ValueError) as error:
        return [f"--- {entry.path} ({entry.before.kind} → {now.kind}): {_reason(error)}"]
    old = f"a{entry.path}" if entry.before.kind != "absent" else "/dev/null"
    new = f"b{entry.path}" if now.kind != "absent" else "/dev/null"
    lines = list(difflib.unified_diff(before, after, old, new, lineterm=""))
    if entry.before.mode != now.mode and "absent" not in (entry.before.kind, now.kind):
        lines.append(f"mode {entry.before.mode:o} → {now.mode:o}  {entry.path}")
    return lines


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, HermesError) else "it is not text"


def _text(keeper: Checkpoints, state: State) -> list[str]:
    if state.kind == "link":
        return [f"link to {state.digest}"]
    if state.kind != "file":
        return []
    if state.size > _LARGEST_SHOWN:
        raise HermesError("it is too large to be shown")
    return keeper.store.blobs.read(state.digest).decode().splitlines()


def _text_of(path: str, state: State) -> list[str]:
    if state.kind != "file":
        return [f"link to {state.digest}"] if state.kind == "link" else []
    if state.size > _LARGEST_SHOWN:
        raise HermesError("it is too large to be shown")
    return Path(path).read_bytes().decode().splitlines()


def prune(options: Namespace) -> int:
    """Drop checkpoints that are too old or too many, by the settings."""
    with kept() as keeper:
        done = keeper.prune()
    if options.json:
        output.print_json(done._asdict())
    else:
        output.write(
            f"{plural(done.checkpoints, 'checkpoint')} and {plural(done.contents, 'content')} "
            f"dropped, {done.bytes / 1e6:.1f} MB; {done.left_bytes / 1e6:.1f} MB kept"
        )
    return 0


ENTRY = Group(
    "checkpoints",
    "Look at what can be undone, and drop what is old.",
    (
        Command(
            "list",
            "List the checkpoints of all folders, newest first.",
            list_checkpoints,
            (JSON,),
            ("hermes checkpoints list",),
        ),
        Command(
            "diff",
            "Show what is different from before a checkpoint.",
            show_diff,
            (
                argument(
                    "id",
                    help="The checkpoint, or the call that made it.",
                    metavar="ID",
                    complete="checkpoint",
                ),
                JSON,
            ),
            ("hermes checkpoints diff 3f2a9c1e",),
        ),
        Command(
            "prune",
            "Drop what is older or larger than the settings allow.",
            prune,
            (JSON,),
            ("hermes checkpoints prune",),
        ),
    ),
)
