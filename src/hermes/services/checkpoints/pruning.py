"""Drop what is too old or too much; contents go when no checkpoint needs them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from hermes.services.checkpoints.blobs import Stored
from hermes.services.checkpoints.model import Checkpoint
from hermes.services.checkpoints.store import Store

if TYPE_CHECKING:
    from hermes.services.checkpoints import Limits


class Pruned(NamedTuple):
    """What pruning did."""

    checkpoints: int
    contents: int
    bytes: int
    left_bytes: int


def prune(store: Store, limits: Limits) -> Pruned:
    """Drop old checkpoints, then the oldest until the rest fits."""
    with store.using(alone=True):
        known = store.all()
        stored = list(store.blobs.stored())
        sizes = {one.digest: one.size for one in stored}
        kept = _kept(store, known, sizes, limits)
        ids = {one.id for one in kept}
        gone = [one.id for one in known if one.id not in ids]
        store.index.drop(gone)
        needed = set().union(store.scans.digests(), *(store.needs(one) for one in kept))
        dropped = [one for one in stored if one.digest not in needed and store.blobs.drop(one)]
    left = sum(sizes.values()) - _bytes(dropped)
    return Pruned(len(gone), len(dropped), _bytes(dropped), left)


def _kept(
    store: Store, known: list[Checkpoint], sizes: dict[str, int], limits: Limits
) -> list[Checkpoint]:
    """Return the newest checkpoints that are young enough and fit together."""
    oldest = time.time() - limits.keep_seconds
    kept: list[Checkpoint] = []
    counted = store.scans.digests()
    room = limits.total_bytes - sum(sizes.get(digest, 0) for digest in counted)
    if room < limits.total_bytes // 2:  # what keeps commands quick gives way to what can be undone
        store.scans.forget()
        counted, room = set(), limits.total_bytes
    for one in known:
        new = store.needs(one) - counted
        room -= sum(sizes.get(digest, 0) for digest in new)
        if room < 0 or one.made < oldest:
            break
        kept.append(one)
        counted |= new
    return kept


def _bytes(stored: list[Stored]) -> int:
    return sum(one.size for one in stored)
