"""Put bytes that came from elsewhere into a file."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from hermes.services.files import Work
from hermes.services.files.changing import Step, apply, said

_MOST_NAMES = 1_000


def save(work: Work, path: str, data: bytes) -> dict[str, Any]:
    """Write a file as it is given, byte for byte, and return where it is and how large.

    Raises:
        ToolError: it cannot be written; nothing was changed.
    """
    try:
        with work.turn([path]):
            try:
                found, old = work.disk.read(path)
                version = found.version
            except FileNotFoundError:
                old, version = None, None
            written = apply(work, [Step(path, old, data, version)])[0]
    except OSError as error:
        raise said(error, path) from error
    assert written is not None
    return {"saved_to": written.found.path, "bytes": len(data)}


def save_new(work: Work, folder: str, name: str, data: bytes) -> dict[str, Any]:
    """Write a file under a name that is free in a folder: ``a.pdf``, else ``a-2.pdf``.

    Raises:
        ToolError: it cannot be written.
    """
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, f"{dot}{ending}") if stem else (name, "")
    for number in range(1, _MOST_NAMES):
        path = f"{folder}/{stem}{f'-{number}' if number > 1 else ''}{ending}"
        try:
            work.disk.find(path)
        except FileNotFoundError:
            return save(work, path, data)
    return save(work, f"{folder}/{name}", data)


def read_all(work: Work, paths: Mapping[str, str]) -> dict[str, tuple[str, bytes, str]]:
    """Return files by the names they are wanted under: each with its name, bytes and type.

    Raises:
        ToolError: one cannot be read.
    """
    found = {}
    for field, path in paths.items():
        try:
            there, data = work.disk.read(path)
        except OSError as error:
            raise said(error, path) from error
        name = PurePosixPath(there.path).name
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        found[field] = (name, data, kind)
    return found
