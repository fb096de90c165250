"""Let processes that a script starts call tools, too: each over a connection of its own.

A process sends one of two joined sockets through a door that it has inherited, and the script
passes on what comes over the other. A new interpreter imports ``hermes_tools`` from an archive
that it has inherited as well: neither has a name that others could find it by.
"""

# ruff: noqa: PTH123 - pathlib takes long to load
from __future__ import annotations

import array
import binascii
import json
import os
import socket
import struct
import sys
from _thread import start_new_thread

from hermes.services.scripting.inside.channel import Channel, ToolFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLACE = "/proc/self/fd/{}"


def open_door(channel: Channel) -> int:
    """Serve the processes that a script starts; returns the descriptor that they need."""
    ours, theirs = socket.socketpair()
    start_new_thread(_welcome, (ours, channel))
    channel.pump()
    _allow_threads()
    return theirs.detach()


def _allow_threads() -> None:
    """Say nothing of threads to a script that forks: they are ours, and hold nothing of its own."""
    import warnings

    warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)


def _welcome(door: Any, channel: Channel) -> None:
    room = socket.CMSG_SPACE(4)
    while True:
        data, given, _, _ = door.recvmsg(1, room)
        if not data:
            return
        for _, _, packed in given:
            start_new_thread(_serve, (struct.unpack("i", packed[:4])[0], channel))


def _serve(fd: int, channel: Channel) -> None:
    """Pass on the calls of one process until it ends."""
    line = Channel(fd, fd)
    try:
        while True:
            frame = line.receive()
            if frame is None:
                return
            _pass_on(line, json.loads(frame[1]), channel)
    except (OSError, ValueError):
        return
    finally:
        os.close(fd)


def _pass_on(line: Channel, call: Any, channel: Channel) -> None:
    def heard(slot: Any) -> None:
        try:
            line.send(b"a", json.dumps({**slot.answer, "id": call["id"]}).encode())
        except OSError:
            pass  # who asked has ended

    try:
        channel.begin(call["tool"], call["args"], call["token"], heard)
    except ToolFailed as error:
        told = {"id": call["id"], "code": error.code, "value": {"error": error.message}}
        line.send(b"a", json.dumps(told).encode())


def enter(door: int) -> int:
    """Return a connection of this process's own."""
    ours, theirs = socket.socketpair()
    with socket.socket(fileno=os.dup(door)) as way, theirs:
        rights = array.array("i", [theirs.fileno()])
        way.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    return ours.detach()


def archive(files: Any) -> str:
    """Keep modules where a process that inherits it can import them; returns its place."""
    fd = _nameless()
    with open(os.dup(fd), "wb") as file:
        file.write(_zipped(files))
    os.set_inheritable(fd, True)
    return _PLACE.format(fd)


def _nameless() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("hermes_tools")
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _zipped(files: Any) -> bytes:
    body, entries = b"", b""
    for name, text in files:
        data, label = text.encode("utf-8", "replace"), name.encode()
        sizes = (binascii.crc32(data), len(data), len(data), len(label), 0)
        fixed = struct.pack("<5H3I2H", 20, 0, 0, 0, 33, *sizes)
        place = struct.pack("<3H2I", 0, 0, 0, 0, len(body))
        entries += b"PK\1\2" + struct.pack("<H", 20) + fixed + place + label
        body += b"PK\3\4" + fixed + label + data
    count = len(files)
    end = struct.pack("<4H2IH", 0, 0, count, count, len(entries), len(body), 0)
    return body + entries + b"PK\5\6" + end


def program() -> str:
    """Return the text that this interpreter runs, which the module is made of."""
    words: Any = getattr(sys, "orig_argv", None)
    if words is None:
        with open("/proc/self/cmdline", encoding="utf-8", errors="replace") as file:
            words = file.read().split("\0")
    text: str = words[words.index("-c") + 1]
    return text
