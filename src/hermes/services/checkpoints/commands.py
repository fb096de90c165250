"""Keep a workspace before a command, and find out afterwards what the command changed."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from hermes.services.checkpoints.blobs import Batch, digest_of
from hermes.services.checkpoints.model import Checkpoint, Entry, State
from hermes.services.checkpoints.places import digest
from hermes.services.checkpoints.scanning import Reading, Seen, TooMuch, difference, scan

if TYPE_CHECKING:
    from hermes.services.checkpoints import Limits
    from hermes.services.checkpoints.store import Store


class Running(NamedTuple):
    """A command before which a workspace was kept."""

    checkpoint: Checkpoint
    seen: dict[str, Seen]


class Commands:
    """Keep workspaces; what was seen of each is remembered, also for the next process."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store, self._limits = store, limits
        self._seen: dict[str, dict[str, Seen]] = {}
        self._lock = threading.Lock()

    def before(self, task_id: str, call_id: str, root: str, command: str) -> Running:
        """Keep all that a command could lose of a workspace, durably.

        Raises:
            TooMuch: there is more of it than may be kept.
            OSError: the disk cannot take it.
        """
        root = os.path.realpath(root)
        store = self._store
        with store.using():
            stored = store.blobs.known()
            with store.blobs.batch() as batch:
                reading = self._reading(lambda file: self._take(batch, file), stored.__contains__)
                seen = scan(root, self._known(root), reading)
            tree = json.dumps({path: one.state for path, one in seen.items()}).encode()
            store.blobs.put(tree, digest_of(tree))
            made = Checkpoint(
                os.urandom(4).hex(),
                time.time(),
                task_id,
                call_id,
                "terminal",
                root,
                origin="command",
                tree=digest_of(tree),
                what=command,
            )
            store.index.save([made])
        self._seen[root] = seen
        return Running(made, seen)

    def after(self, running: Running) -> Checkpoint | None:
        """Note what the command changed; a checkpoint of nothing is dropped."""
        made, root = running.checkpoint, running.checkpoint.workspace
        seen = scan(root, running.seen, self._reading(digest, lambda _: True))
        self._seen[root] = seen
        self.remember(root)
        entries = difference(root, _states(running.seen), _states(seen))
        if not entries:
            self._store.index.drop([made.id])
            return None
        made = made._replace(status="done", entries=entries, tree="")
        self._store.index.save([self._store.slim(made)])
        return made

    def since(self, checkpoint: Checkpoint) -> Iterator[Entry]:
        """Yield what is not as it was before a command of which nobody saw the end.

        What is new is left out: nobody knows who made it.
        """
        root = checkpoint.workspace
        value = json.loads(self._store.blobs.read(checkpoint.tree))
        before = {path: State(*state) for path, state in value.items()}
        now = _states(scan(root, self._known(root), self._reading(digest, lambda _: True)))
        for entry in difference(root, before, now):
            if entry.before.kind != "absent":
                yield entry

    def _reading(
        self, read: Callable[[int], tuple[str, int]], has: Callable[[str], bool]
    ) -> Reading:
        limits, skipped = self._limits, str(self._store.folder)
        return Reading(read, has, limits.file_bytes, limits.total_bytes // 4, skipped)

    def _take(self, batch: Batch, file: int) -> tuple[str, int]:
        if batch.bytes > self._limits.total_bytes // 2:
            raise TooMuch("the workspace is larger than half of checkpoints.max_total_megabytes")
        return batch.take(file)

    def _known(self, root: str) -> dict[str, Seen]:
        if root not in self._seen:
            self._seen[root] = self._store.scans.read(root)
        return self._seen[root]

    def remember(self, root: str) -> None:
        """Write down what was seen of a workspace."""
        with self._lock:
            self._store.scans.write(root, self._seen[root])


def _states(seen: dict[str, Seen]) -> dict[str, State]:
    return {path: one.state for path, one in seen.items()}
