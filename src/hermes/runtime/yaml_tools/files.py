"""The files of a folder of tools: which there are, when they changed, what they hold."""

from __future__ import annotations

import os
from pathlib import Path

from hermes.base.errors import ConfigError

MAX_BYTES = 256 * 1024
_SUFFIXES = (".yaml", ".yml")
Signature = tuple[int, int, int]
"""When a file was changed, its size and its inode: what differs when the content does."""


def read_text(file: Path) -> str:
    """Return the text of a tool file.

    Raises:
        ConfigError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            fix = "Split it into smaller files."
            raise ConfigError(f"is larger than {MAX_BYTES // 1024} KB", file=file, hint=fix)
        return data.decode("utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise ConfigError(message, file=file, hint="Check the path and its permissions.") from error
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8 text", file=file, hint="Save it as UTF-8.") from error


def signatures(folder: Path) -> dict[Path, Signature]:
    """Return the tool files of a folder with what tells a change; none where it cannot be read."""
    found: dict[Path, Signature] = {}
    try:
        with os.scandir(folder) as items:
            for item in items:
                if item.name.endswith(_SUFFIXES) and not item.name.startswith("."):
                    signature = _signature(item)
                    if signature:
                        found[folder / item.name] = signature
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    return dict(sorted(found.items()))


def _signature(item: os.DirEntry[str]) -> Signature | None:
    try:
        facts = item.stat()
    except OSError:  # it went between the listing and the look, or is a link to nowhere
        return None
    return (facts.st_mtime_ns, facts.st_size, facts.st_ino) if item.is_file() else None
