"""``hermes undo``: take back what tools changed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import escaped, plural
from hermes.cli import output
from hermes.cli.checkpoints import kept, one_of, print_list
from hermes.cli.command import JSON, Command, Usage, argument

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.services.checkpoints.model import Checkpoint
    from hermes.services.checkpoints.undoing import Plan


def undo(options: Namespace) -> int:
    """Take a change back, after showing what that does."""
    if options.id and options.to:
        raise Usage("ID and --to cannot be given together")
    undoing = load("hermes.services.checkpoints.undoing")
    with kept() as keeper:
        known = keeper.store.all()
        if options.list:
            print_list(keeper, [one for one in known if is_here(one)], as_json=options.json)
            return 0
        path = _real(options.path) if options.path else None
        chosen = _chosen(keeper, known, options, path)
        plan: Plan = undoing.plan(keeper, chosen, path)
        if not plan.steps:
            return _told(options, plan, None)
        _check(plan, force=options.force)
        if not options.yes and not _asked(plan):
            output.print_note("nothing was changed")
            return 1
        here = os.path.realpath(os.curdir)
        made = undoing.perform(keeper, plan, workspace=here, force=options.force)
        return _told(options, plan, made)


def _chosen(
    keeper: Any, known: list[Checkpoint], options: Namespace, path: str | None
) -> list[Checkpoint]:
    """Return the checkpoints that are meant."""
    if options.id:
        return [one_of(known, options.id)]
    if options.to:
        first = one_of(known, options.to)
        return [one for one in known if one.made >= first.made and _is_near(one, first.workspace)]
    gone = load("hermes.services.checkpoints.undoing").undone(known)
    for one in known:
        if one.origin == "undo" or one.id in gone or one.status == "nothing" or not is_here(one):
            continue
        if path is None or any(each.path == path for each, _ in keeper.entries(one)):
            return [one]
    what = f"no change of {options.path}" if path else "nothing"
    raise HermesError(
        f"{what} is left to undo in this folder",
        hint="'hermes checkpoints list' shows what was changed in others.",
    )


def is_here(checkpoint: Checkpoint) -> bool:
    """Say whether a checkpoint is of the folder that one is in, or around it, or below."""
    return _is_near(checkpoint, os.curdir)


def _is_near(checkpoint: Checkpoint, folder: str) -> bool:
    its = f"{os.path.realpath(checkpoint.workspace).rstrip('/')}/"
    mine = f"{os.path.realpath(folder).rstrip('/')}/"
    return its.startswith(mine) or mine.startswith(its)


def _real(path: str) -> str:
    """Return a path free of links but for its end, as checkpoints name it."""
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - the end may be a link
    return f"{os.path.realpath(folder).rstrip('/')}/{name}"


def _check(plan: Plan, *, force: bool) -> None:
    """Refuse what somebody else would lose by it."""
    if any(step.is_kept for step in plan.steps) and (force or not plan.problems):
        return
    for step in plan.problems:
        output.print_note(f"{escaped(step.path)}: {step.problem}")
    if not any(step.is_kept for step in plan.steps):
        raise _gone()
    raise HermesError(
        f"{plural(len(plan.problems), 'file')} cannot be undone safely; nothing was changed",
        hint="'hermes checkpoints diff' shows what is different; --force undoes it nevertheless, "
        "and can be undone itself.",
    )


def _gone() -> HermesError:
    return HermesError(
        "nothing of it can be undone; nothing was changed",
        hint="checkpoints.max_file_megabytes, max_total_megabytes and keep_days say what is kept.",
    )


def _asked(plan: Plan) -> bool:
    """Show what will happen, and ask."""
    if not sys.stdin.isatty():
        raise Usage("nobody is there to ask", hint="Add --yes to undo without a question.")
    for one in plan.checkpoints:
        print(f"undo {one.id}: {escaped(one.what or one.tool)}", file=sys.stderr)
    for step in plan.steps:
        print(f"  {step.action:<10}  {escaped(step.path)}", file=sys.stderr)
    print("Undo this? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _told(options: Namespace, plan: Plan, made: str | None) -> int:
    done = [step for step in plan.steps if step.is_kept]
    if options.json:
        output.print_json(
            {
                "undone": [one.id for one in plan.checkpoints],
                "checkpoint": made,
                "files": [{"path": step.path, "action": step.action} for step in done],
            }
        )
        return 0
    for step in done:
        output.write(f"{_PAST[step.action]} {escaped(step.path)}")
    for step in plan.steps:
        if not step.is_kept:
            output.print_note(f"{escaped(step.path)}: {step.problem}")
    if made is None:
        output.print_note("there was nothing to change: all is as it was before")
    elif output.is_terminal():
        output.print_note(f"'hermes undo {made}' takes this back")
    return 0


_PAST = {"restore": "restored", "make again": "made again", "remove": "removed"}

ENTRY = Command(
    "undo",
    "Take back what tools changed.",
    undo,
    (
        argument(
            "id",
            help="A checkpoint, or the call that made it; without one, the newest of this folder.",
            metavar="ID",
            nargs="?",
            complete="checkpoint",
        ),
        argument(
            "--list", help="Only list what can be undone in this folder.", action="store_true"
        ),
        argument(
            "--to",
            help="Take back everything since this checkpoint, and itself.",
            metavar="ID",
            complete="checkpoint",
        ),
        argument("--path", help="Take back only what was done to this file.", metavar="PATH"),
        argument("-y", "--yes", help="Do not ask.", action="store_true"),
        argument(
            "--force",
            help="Also where somebody else has changed a file since.",
            action="store_true",
        ),
        JSON,
    ),
    (
        "hermes undo",
        "hermes undo --list",
        "hermes undo --to 3f2a9c1e",
        "hermes undo --path a.py -y",
    ),
)
