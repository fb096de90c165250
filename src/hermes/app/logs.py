"""Write the runtime's log to a file of the home, with secrets taken out."""

from __future__ import annotations

import logging
from pathlib import Path

from hermes.base.files import private_folder
from hermes.base.redact import Redactor

_LARGEST_BYTES = 2_000_000


def attach(file: Path, redactor: Redactor) -> None:
    """Send what hermes logs to a file, opened by the first line; once per file and process."""
    log = logging.getLogger("hermes")
    if not any(isinstance(kept, _PrivateFile) and kept.file == file for kept in log.handlers):
        log.addHandler(_PrivateFile(file, redactor))


class _PrivateFile(logging.Handler):
    """Append lines to a file only its owner can read; a full one is set aside, one deep."""

    def __init__(self, file: Path, redactor: Redactor) -> None:
        super().__init__()
        self.file = file
        self._redactor = redactor
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; a disk that refuses costs the line, not the call."""
        try:
            line = self._redactor.text(self.format(record)) + "\n"
            private_folder(self.file.parent)
            if self.file.exists() and self.file.stat().st_size > _LARGEST_BYTES:
                self.file.replace(self.file.with_suffix(".log.1"))
            self.file.touch(mode=0o600)
            with self.file.open("a", encoding="utf-8", errors="replace") as stream:
                stream.write(line)
        except OSError:
            return
