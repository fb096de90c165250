"""What was last seen of each workspace, remembered on disk."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from pathlib import Path

from hermes.base.files import private_folder, write_atomic
from hermes.services.checkpoints.blobs import digest_of
from hermes.services.checkpoints.model import State
from hermes.services.checkpoints.scanning import Seen


class Scans:
    """What was last seen of each workspace, in one file each; losing one only costs time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, root: str) -> Path:
        return self.folder / digest_of(os.fsencode(root))[:16]

    def read(self, root: str) -> dict[str, Seen]:
        """Return what was last seen of a workspace."""
        return self._read(self._file(root))

    def _read(self, path: Path) -> dict[str, Seen]:
        try:
            value = json.loads(zlib.decompress(path.read_bytes()))
            return {
                path: Seen(tuple(facts), State(*state)) for path, (facts, state) in value.items()
            }
        except (OSError, zlib.error, ValueError, TypeError, AttributeError, RecursionError):
            return {}

    def write(self, root: str, seen: dict[str, Seen]) -> None:
        """Write down what was seen of a workspace."""
        private_folder(self.folder)
        with contextlib.suppress(OSError):
            write_atomic(self._file(root), zlib.compress(json.dumps(seen).encode(), 1))

    def digests(self) -> set[str]:
        """Return the contents of all workspaces as they were last seen."""
        found: set[str] = set()
        for path in self._files():
            found.update(one.state.digest for one in self._read(path).values())
        return found

    def forget(self) -> None:
        """Forget all of them; the next look at each reads it anew."""
        for path in self._files():
            path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return list(self.folder.iterdir()) if self.folder.is_dir() else []
