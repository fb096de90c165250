"""What a server complains about: kept in a file of its own, with the last of it at hand."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from hermes.base.files import private_folder

LARGEST = 1_000_000
"""Bytes of a server's log; a full one is set aside, one deep."""
_TAIL = 4_000


class ServerLog:
    """Append to a server's log; a disk that refuses costs the lines and nothing else."""

    def __init__(self, file: Path, secrets: Iterable[str] = ()) -> None:
        self.file = file
        self._secrets = [secret.encode() for secret in secrets]
        self._tail = b""
        self._size = 0
        self._fd = -1

    def write(self, data: bytes) -> None:
        """Append bytes, without the secrets that the server was given."""
        for secret in self._secrets:
            data = data.replace(secret, b"***")
        self._tail = (self._tail + data)[-_TAIL:]
        with contextlib.suppress(OSError):
            if self._fd < 0:
                self._open()
            elif self._size > LARGEST:
                self._turn()
            os.write(self._fd, data[-LARGEST:])
            self._size += len(data)

    @property
    def last_words(self) -> str:
        """The last lines that say anything, as one short text."""
        text = self._tail.decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " | ".join(lines[-3:])[-500:]

    def close(self) -> None:
        """Let go of the file; writing opens it again."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _open(self) -> None:
        private_folder(self.file.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(self.file, flags, 0o600)
        self._size = os.fstat(self._fd).st_size

    def _turn(self) -> None:
        self.close()
        self.file.replace(self.file.with_suffix(".log.1"))
        self._open()
