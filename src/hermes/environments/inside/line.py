"""Two clean streams over a terminal: whoever writes waits until the other side has read.

A service that shows a terminal to its clients drops those that read too slowly, and lets the
terminal stay when they leave. So every message here is counted against what the other side has
room for, and a program whose host has been silent for too long ends. This file is sent as it is
and needs no other; ``main`` runs there, ``Line`` on both sides.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import subprocess
import tempfile
import threading
from queue import SimpleQueue
from typing import Any, Callable, Dict, List, Optional

BEAT_SECONDS = 15.0
SILENCE_SECONDS = 4 * BEAT_SECONDS
_HEAD = struct.Struct(">BI")
_COUNTS = struct.Struct(">II")
_DATA, _TAKEN, _END, _ALIVE = range(4)
_PART = 1 << 14
_ROOM = 1 << 18
_PARTS = 64
_LEAVE_SECONDS = 20.0
_LARGEST = 1 << 16
_LAST_WORDS = 4000
BEAT = _HEAD.pack(_ALIVE, 0)


class Line:
    """One side: what it writes goes to ``post`` in whole messages, what arrives is fed to it."""

    def __init__(self, post: Callable[[bytes], None]) -> None:
        self._post, self._posting = post, threading.Lock()
        self._changed = threading.Condition()
        self._room, self._parts = _ROOM, _PARTS
        self._got, self._untaken = bytearray(), 0
        self._arrived: SimpleQueue[Optional[bytes]] = SimpleQueue()
        self._has_ended = False
        self.last: Dict[str, Any] = {}
        """What the other side said at its end."""
        self.is_over = threading.Event()
        """The other side is gone."""
        self.has_heard = threading.Event()
        """Nothing more comes from there."""

    def send(self, data: bytes) -> None:
        """Write all of it, as the other side has room for it; nothing once that is gone."""
        for start in range(0, len(data), _PART):
            part = data[start : start + _PART]
            with self._changed:
                while not self.is_over.is_set() and (self._room < len(part) or self._parts < 1):
                    self._changed.wait()
                self._room, self._parts = self._room - len(part), self._parts - 1
            if self.is_over.is_set():
                return
            self._frame(_DATA, part)

    def end(self, words: Optional[Dict[str, Any]] = None) -> None:
        """Say that nothing more comes, and why; further calls do nothing."""
        if not self._has_ended:
            self._has_ended = True
            self._frame(_END, json.dumps(words or {}).encode("ascii"))

    def _frame(self, kind: int, payload: bytes) -> None:
        with self._posting:
            self._post(_HEAD.pack(kind, len(payload)) + payload)

    def feed(self, raw: bytes) -> None:
        """Take what has arrived; never waits. What is no message of ours is the end."""
        self._got += raw
        while len(self._got) >= _HEAD.size and not self.is_over.is_set():
            kind, size = _HEAD.unpack_from(self._got)
            whole = _HEAD.size + size
            if size > _LARGEST:
                self.cut()
            if len(self._got) < whole:
                return
            payload = bytes(self._got[_HEAD.size : whole])
            del self._got[:whole]
            try:
                self._take(kind, payload)
            except (ValueError, TypeError, RecursionError, struct.error):
                self.cut()

    def _take(self, kind: int, payload: bytes) -> None:
        if kind == _DATA:
            with self._changed:
                self._untaken += len(payload)
            if self._untaken > 2 * _ROOM:
                raise ValueError("more came than there is room for")
            self._arrived.put(payload)
        elif kind == _TAKEN:
            room, parts = _COUNTS.unpack(payload)
            with self._changed:
                self._room, self._parts = self._room + room, self._parts + parts
                self._changed.notify_all()
        elif kind == _END:
            self.last = dict(json.loads(payload))
            self._hear_end()

    def _hear_end(self) -> None:
        self.has_heard.set()
        self._arrived.put(None)

    def cut(self) -> None:
        """The other side is gone: nobody waits for it any more."""
        self.is_over.set()
        with self._changed:
            self._changed.notify_all()
        self._hear_end()

    def receive(self) -> bytes:
        """Wait for what the other side wrote, and say that it was taken; empty at its end."""
        data = self._arrived.get()
        if data is None:
            self._arrived.put(None)
            return b""
        with self._changed:
            self._untaken -= len(data)
        self._frame(_TAKEN, _COUNTS.pack(len(data), 1))
        return data


def _write_all(fd: int, data: bytes) -> None:
    left = memoryview(data)
    with contextlib.suppress(OSError):  # the reader notices that the terminal is gone
        while left:
            left = left[os.write(fd, left) :]


def _listen(line: Line, child: Any) -> None:
    """Feed the line from the terminal until that or its host is gone, and so is the program."""
    with contextlib.suppress(OSError, ValueError):
        while select.select([0], [], [], SILENCE_SECONDS)[0]:
            data = os.read(0, 1 << 16)
            if not data:
                break
            line.feed(data)
    line.cut()
    try:
        child.wait(_LEAVE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()


def _hand_in(line: Line, source: Any) -> None:
    with contextlib.suppress(OSError):
        while True:
            data = line.receive()
            if not data:
                break
            _write_all(source.fileno(), data)
    source.close()


def main(argv: List[str]) -> int:
    """Run a program behind the terminal that is our input and output, raw already."""
    line = Line(lambda data: _write_all(1, data))
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        for work in (lambda: _listen(line, child), lambda: _hand_in(line, child.stdin)):
            threading.Thread(target=work, daemon=True).start()
        assert child.stdout is not None
        while True:
            data = os.read(child.stdout.fileno(), _PART)
            if not data:
                break
            line.send(data)
        code = child.wait()
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _LAST_WORDS))
        line.end({"code": code, "words": errors.read().decode("utf-8", "replace").strip()})
    line.has_heard.wait(SILENCE_SECONDS)
    return code if code >= 0 else 128 - code
