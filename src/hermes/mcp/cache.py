"""What servers offered when they were last seen, on disk: tools are known before one is started.

The format is Python's own for compiled files, which is the quickest to read, and the file is
trusted as those are: it lies in the user's private home.
"""

from __future__ import annotations

import marshal
import os
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from hermes.base.optional import load
from hermes.mcp.definitions import ServerDefinitions, ToolDefinition

if TYPE_CHECKING:
    from hermes.config.servers import ServerSettings

_VERSION = 1
_CHECKSUM_BYTES = 4
Stamp = tuple[int, int]
"""When a file was changed, and its size; nothing but zeros where there is none."""


class Known(NamedTuple):
    """What a server offered, which of its tools were admitted, and which are held and why."""

    definitions: ServerDefinitions
    admitted: tuple[ToolDefinition, ...] = ()
    held: tuple[tuple[str, str], ...] = ()


class Cache:
    """Keep what servers offered, one file for each below a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def read(self, server: str, identity: int, judged_by: Stamp) -> tuple[Known | None, bool]:
        """Return what is known of a server, and whether its tools were judged by what holds now.

        A file of another server of this name, or a damaged one, is as good as none.
        """
        try:
            with open(self._file(server), "rb") as file:  # noqa: PTH123 - see Settings.home
                data = file.read()
            if int.from_bytes(data[:_CHECKSUM_BYTES], "big") != crc32(data[_CHECKSUM_BYTES:]):
                return None, False
            told = marshal.loads(data[_CHECKSUM_BYTES:])
            if told["version"] != _VERSION or told["identity"] != identity:
                return None, False
            definitions = ServerDefinitions.from_wire(told["definitions"])
            admitted = definitions.tools
            if told["admitted"] is not None:
                admitted = tuple(map(ToolDefinition.from_wire, told["admitted"]))
            held = tuple((str(name), str(reason)) for name, reason in told["held"])
            known = Known(definitions, admitted, held)
            return known, tuple(told["judged_by"]) == judged_by
        except (OSError, EOFError, ValueError, TypeError, KeyError, AttributeError):
            return None, False

    def write(self, server: str, identity: int, judged_by: Stamp, known: Known) -> None:
        """Keep what is known of a server.

        Raises:
            OSError: the disk refuses.
            ValueError: it holds what JSON cannot say.
        """
        files, path = load("hermes.base.files"), load("pathlib").Path(self._file(server))
        files.private_folder(path.parent)
        is_plain = known.admitted == known.definitions.tools
        told = {
            "version": _VERSION,
            "identity": identity,
            "judged_by": judged_by,
            "definitions": known.definitions.as_json(),
            "admitted": None if is_plain else [tool.as_json() for tool in known.admitted],
            "held": known.held,
        }
        data = marshal.dumps(told)
        files.write_atomic(path, crc32(data).to_bytes(_CHECKSUM_BYTES, "big") + data)

    def stamp(self, server: str) -> Stamp:
        """Return what tells whether another process has learnt something new."""
        return stamp_of(self._file(server))

    def forget(self, server: str) -> None:
        """Drop what is known of a server."""
        load("pathlib").Path(self._file(server)).unlink(missing_ok=True)

    def _file(self, server: str) -> str:
        return f"{self._folder}/{server.lower()}.bin"


def identity_of(settings: ServerSettings) -> int:
    """Return a number that tells one server from another by where it is; holds no secret."""
    told: list[Any] = [settings.command, settings.args, sorted(settings.env), settings.cwd]
    return crc32(repr([*told, settings.url, settings.transport]).encode())


def stamp_of(file: str) -> Stamp:
    """Return when a file was changed, and its size."""
    try:
        found = os.stat(file)  # noqa: PTH116 - see Settings.home
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
