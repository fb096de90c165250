"""Finish what a process began and did not end: all of it happened, or none of it."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from hermes.services.checkpoints.blobs import Blobs
from hermes.services.checkpoints.model import Checkpoint, Entry
from hermes.services.checkpoints.places import Wanted, look, put_all, sweep

log = logging.getLogger(__name__)

_BLOCK = 4096


def settle(checkpoint: Checkpoint, blobs: Blobs) -> Checkpoint:
    """Bring the files of a checkpoint to one side, and return it with how it ended.

    When every file holds what it was to become, the change happened and only the word about it is
    missing. Otherwise each file gets its old content back; one that somebody else has changed
    since is left alone, and named.

    Raises:
        OSError: a file could not be put back.
        Lost: an old content is not kept any more.
    """
    if not checkpoint.is_local:
        return checkpoint._replace(status="done")
    for folder in sorted({os.path.dirname(entry.path) for entry in checkpoint.entries}):  # noqa: PTH120
        sweep(f"{folder}/-")
    held = [(entry, _side(entry, blobs)) for entry in checkpoint.entries]
    files = [side for entry, side in held if entry.after.kind != "folder"]
    if all(side in ("new", "both") for side in files):
        return checkpoint._replace(status="done")
    put_all([back(entry) for entry, side in held if side in ("new", "mixed")], blobs)
    left = tuple(entry.path for entry, side in held if side == "other")
    return checkpoint._replace(status="nothing", left=left)


def report(checkpoint: Checkpoint) -> None:
    """Tell whoever reads the log what was found and done."""
    if checkpoint.status == "nothing":
        log.warning(
            "checkpoints: a change by %s in %s was cut short; it was taken back",
            *(checkpoint.tool or checkpoint.task_id, checkpoint.workspace),
        )
    for path in checkpoint.left:
        log.warning("checkpoints: %s was changed by somebody else since; it is left alone", path)


def back(entry: Entry) -> Wanted:
    """Return what a path holds when its change is taken back."""
    return Wanted(entry.path, entry.before, keeps_mode=entry.before.mode == entry.after.mode)


def _side(entry: Entry, blobs: Blobs) -> str:
    now = look(entry.path)
    is_new, is_old = now.is_same(entry.after), now.is_same(entry.before)
    if is_new or is_old:
        return "both" if is_new and is_old else "new" if is_new else "old"
    if entry.in_place and now.kind == "file":
        content = Path(entry.path).read_bytes()
        before, after = blobs.read(entry.before.digest), blobs.read(entry.after.digest)
        if is_mixture(content, before, after):
            return "mixed"
    return "other"


def is_mixture(content: bytes, before: bytes, after: bytes) -> bool:
    """Say whether a content is what writing one over the other leaves when it is cut short."""
    if len(content) > max(len(before), len(after)):
        return False
    for at in range(0, len(content), _BLOCK):
        here, old, new = (data[at : at + _BLOCK] for data in (content, before, after))
        if here not in (old, new):
            same = _common(here, new)
            if here != new[:same] + old[same:]:
                return False
    return True


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes at the beginning are the same."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
