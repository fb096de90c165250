"""Take changes back: what would happen first, then all of it or nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from hermes.base.errors import HermesError
from hermes.services.checkpoints import Checkpoints
from hermes.services.checkpoints.blobs import Batch
from hermes.services.checkpoints.model import Checkpoint, Entry, State
from hermes.services.checkpoints.places import Wanted, look, put_all

Action = Literal["restore", "make again", "remove", "nothing"]


class Step(NamedTuple):
    """What undoing does to one path."""

    path: str
    now: State
    want: State
    became: State | None
    """What the change had made of it; None when nobody knows."""
    is_kept: bool = True
    """Whether the content that it shall have is there."""

    @property
    def action(self) -> Action:
        """Say it in a word."""
        if self.now.is_same(self.want) and (self.keeps_mode or self.now.mode == self.want.mode):
            return "nothing"
        if self.want.kind == "absent":
            return "remove"
        return "make again" if self.now.kind == "absent" else "restore"

    @property
    def keeps_mode(self) -> bool:
        """Say whether the mode was no part of the change."""
        return self.became is not None and self.want.mode == self.became.mode

    @property
    def problem(self) -> str | None:
        """Say what speaks against it."""
        if not self.is_kept:
            return "what it held is not kept any more"
        if self.action == "nothing" or self.became is None or self.now.is_same(self.became):
            return None
        if self.now.kind == "absent":
            return "it was removed by somebody else since"
        return "it was changed by somebody else since"


class Plan(NamedTuple):
    """What undoing some checkpoints does."""

    checkpoints: tuple[Checkpoint, ...]
    steps: tuple[Step, ...]

    @property
    def problems(self) -> list[Step]:
        """Return the steps that something speaks against."""
        return [step for step in self.steps if step.problem is not None]


def undone(checkpoints: Iterable[Checkpoint]) -> set[str]:
    """Return the checkpoints that were taken back, and whose taking back was not."""
    gone: set[str] = set()
    for one in sorted(checkpoints, key=lambda one: one.made, reverse=True):
        if one.origin == "undo" and one.status == "done" and one.id not in gone:
            gone.update(one.undoes)
    return gone


def plan(keeper: Checkpoints, chosen: Sequence[Checkpoint], path: str | None = None) -> Plan:
    """Return what undoing these checkpoints together does; nothing is changed.

    A path gets back what it held before the first of them, if it still holds what it had become
    by the last.

    Raises:
        HermesError: a checkpoint is of another machine, or does not know the path.
    """
    spans: dict[str, tuple[State, State | None]] = {}
    for one in sorted(chosen, key=lambda one: one.made):
        if not one.is_local:
            raise HermesError(f"{one.id} is of files in another environment; undo them there")
        for entry, became in keeper.entries(one):
            if path is None or entry.path == path or entry.path.startswith(f"{path}/"):
                before = spans[entry.path][0] if entry.path in spans else entry.before
                spans[entry.path] = (before, became)
    if path is not None and not spans:
        raise HermesError(f"{path} is not part of it")
    files = {state.digest for state, _ in spans.values() if state.kind == "file"}
    keeper.store.bring(files)
    kept = {digest for digest in files if keeper.store.blobs.find(digest)}
    steps = [
        Step(path, look(path), want, became, want.kind != "file" or want.digest in kept)
        for path, (want, became) in sorted(spans.items())
    ]
    return Plan(tuple(chosen), _useful([step for step in steps if step.action != "nothing"]))


def _useful(steps: list[Step]) -> tuple[Step, ...]:
    """Leave out folders that cannot go, because something else is in them now."""
    going = {step.path for step in steps if step.want.kind == "absent"}
    stays: set[str] = set()
    for step in sorted(steps, key=lambda step: step.path, reverse=True):
        if step.action == "remove" and step.now.kind == "folder":
            inside = {str(path) for path in Path(step.path).iterdir()}
            if not inside <= going - stays:
                stays.add(step.path)
    return tuple(step for step in steps if step.path not in stays)


def perform(keeper: Checkpoints, plan: Plan, *, workspace: str, force: bool = False) -> str | None:
    """Do it, and return the checkpoint that undoes this; None when there was nothing to do.

    Raises:
        HermesError: something speaks against it, and it is not forced; nothing was changed.
        OSError: it could not be done; nothing was changed.
    """
    if plan.problems and not force:
        first = plan.problems[0]
        raise HermesError(
            f"{first.path}: {first.problem}", hint="Add --force to undo it nevertheless."
        )
    steps = [step for step in plan.steps if step.is_kept]
    if not steps:
        return None
    with keeper.store.blobs.batch() as batch:
        entries = tuple(_entry(step, batch) for step in steps)
    checkpoint = Checkpoint(
        os.urandom(4).hex(),
        time.time(),
        "",
        "",
        "undo",
        workspace,
        origin="undo",
        entries=entries,
        undoes=tuple(one.id for one in plan.checkpoints),
    )
    name = keeper.store.begin(checkpoint)
    try:
        keeper.store.secure(name)
        put_all(
            (Wanted(step.path, step.want, step.keeps_mode) for step in steps), keeper.store.blobs
        )
    except BaseException:
        keeper.end(name, is_done=False)
        raise
    keeper.end(name, is_done=True)
    return name


def _entry(step: Step, batch: Batch) -> Entry:
    """Keep what a path holds now; it must be what the plan saw."""
    now = look(step.path, batch.take)
    if not now.is_same(step.now):
        raise HermesError(f"{step.path} is being changed by somebody else just now")
    in_place = now.kind == "file" and os.lstat(step.path).st_nlink > 1
    return Entry(step.path, now, step.want, in_place)
