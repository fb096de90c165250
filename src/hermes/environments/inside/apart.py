"""A command in a shell of its own, on the state of another one."""

# Paths are strings here: they are handed to a shell.
# ruff: noqa: PTH108
from __future__ import annotations

import contextlib
import os
import shutil
from typing import List, NamedTuple, Optional

from hermes.environments.inside.driver import ONCE, State, read_told, restoring

_ENDINGS = ("state", "text", "folder", "before", "left")


class Changed(NamedTuple):
    """The state that a command found, and the one that it left."""

    before: State
    after: State


class Apart:
    """The files of one such command, in a private folder that both sides see."""

    _count = 0

    def __init__(self, folder: str, text: str, *, cwd: str = "", owns_folder: bool = False) -> None:
        self._owned = folder if owns_folder else ""
        Apart._count += 1
        self._path = f"{folder}/a{Apart._count}"
        self._write("text", text)
        if cwd:
            self._write("folder", cwd)

    def on(self, state: Optional[State], more: str = "") -> List[str]:
        """Return the program that runs it on a state, to which more was done since."""
        restored = restoring(state) if state is not None else ""
        self._write("state", f"{restored}\n{more}\n")
        return ["/bin/bash", "--norc", "--noprofile", "-c", ONCE, "bash", self._path]

    def changed(self) -> Optional[Changed]:
        """Return what it did to the state, once it has ended; None if nobody knows."""
        before, left = (read_told(f"{self._path}.{ending}") for ending in ("before", "left"))
        if before is None or left is None:
            return None
        return Changed(before.state, left.state)

    def remove(self) -> None:
        """Remove its files."""
        for ending in _ENDINGS:
            with contextlib.suppress(OSError):
                os.unlink(f"{self._path}.{ending}")
        if self._owned:
            shutil.rmtree(self._owned, ignore_errors=True)

    def _write(self, ending: str, text: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(f"{self._path}.{ending}", flags, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
