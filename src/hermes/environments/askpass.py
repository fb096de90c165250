"""Hand passwords to sudo: the helper that sudo starts asks us, over a socket of our own.

The password goes from us to the helper and from that to sudo's pipe: it is in no argument, file or
variable. Whoever else starts the helper gets nothing: its parent must be sudo, with root's rights,
which no program without those rights can pretend.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import socket
import struct
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from hermes.environments import leftovers
from hermes.environments.contract import Refused

_ROOT = 0
_STARTED = 19
_PARENT = 1
_EFFECTIVE = 1
_NOT_SUDO = "only sudo is answered"
_HELPER = """\
import socket, sys
way = socket.socket(socket.AF_UNIX)
way.connect(sys.argv[1])
said = b""
while part := way.recv(4096):
    said += part
if said[:1] == b"+":
    sys.stdout.buffer.write(said[1:] + b"\\n")
else:
    sys.exit("hermes: " + (said[1:].decode("utf-8", "replace") or "it was stopped"))
"""
_FUNCTION = '() { command sudo -A "$@"; }'


class Asked(NamedTuple):
    """A run of sudo that wants a password."""

    command: str
    """All its words."""
    process: str
    """Tells it from every other run."""


Answer = Callable[[Asked], Awaitable[str]]
"""Gives the password, or raises ``Refused``."""


def is_needed() -> bool:
    """Say whether sudo is there and may want a password."""
    return sys.platform == "linux" and os.geteuid() != _ROOT and shutil.which("sudo") is not None


class Askpass:
    """What the sudo of one task asks; whoever opens it closes it."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._folder = ""
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Make the helper and listen to it."""
        leftovers.sweep(None)
        self._folder = leftovers.make("sudo", None)
        self._server = await asyncio.start_unix_server(self._serve, f"{self._folder}/way")
        words = [sys.executable, "-IS", "-c", _HELPER, f"{self._folder}/way"]
        helper = Path(self._folder) / "ask"
        helper.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n", encoding="utf-8")
        helper.chmod(0o700)

    def variables(self) -> dict[str, str]:
        """Return what a command sees by which its sudo finds the helper."""
        return {"SUDO_ASKPASS": f"{self._folder}/ask", "BASH_FUNC_sudo%%": _FUNCTION}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del reader
        try:
            asked = _asked(writer.get_extra_info("socket"))
            writer.write(b"+" + (await self._answer(asked)).encode())
        except Refused as error:
            writer.write(b"-" + error.message.encode())
        finally:
            with contextlib.suppress(OSError):
                await writer.drain()
            writer.close()

    def close(self) -> None:
        """Listen no more, and remove the helper."""
        if self._server is not None:
            self._server.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _asked(way: socket.socket) -> Asked:
    """Return which sudo is at the other end of a connection.

    Raises:
        Refused: it is none.
    """
    size = struct.calcsize("3i")
    helper, user, _ = struct.unpack(
        "3i", way.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    )
    try:
        parent = int(_stat(helper)[_PARENT])
        status = Path(f"/proc/{parent}/status").read_text("utf-8")
        words = Path(f"/proc/{parent}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        started = _stat(parent)[_STARTED]
    except (OSError, ValueError, IndexError):
        raise Refused(_NOT_SUDO) from None
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    is_root = facts.get("Uid", "").split()[_EFFECTIVE : _EFFECTIVE + 1] == [str(_ROOT)]
    if user != os.getuid() or facts.get("Name") != "sudo" or not is_root:
        raise Refused(_NOT_SUDO)
    text = shlex.join(word.decode("utf-8", "replace") for word in words)
    return Asked(text, f"{parent}/{started}")


def _stat(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(") ")[2].split()
