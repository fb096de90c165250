"""Tell what changes below a folder, by the kernel's own word (inotify)."""

# Paths are strings here: they are handed to the kernel.
# ruff: noqa: PTH112, PTH114, PTH116, PTH118, PTH120
from __future__ import annotations

import ctypes
import errno
import os
import select
import stat
import struct
import threading
from typing import Callable, Dict

from hermes.environments.inside.present import Present

Report = Callable[[str, str], None]
"""Called with ``created``, ``changed``, ``deleted`` or ``overflow``, and a path."""

_CLOSE_WRITE, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x8, 0x40, 0x80, 0x100, 0x200
_ATTRIBUTES, _OVERFLOW, _IS_FOLDER = 0x4, 0x4000, 0x40000000
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_WANTED = _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _ATTRIBUTES
_HEAD = struct.Struct("iIII")
_NAMES = (
    (_CREATE | _MOVED_TO, "created"),
    (_DELETE | _MOVED_FROM | _DELETE_SELF | _MOVE_SELF, "deleted"),
    (_CLOSE_WRITE | _ATTRIBUTES, "changed"),
)


class Watch:
    """Watch a file or a folder until closed; reports come from a thread of its own."""

    def __init__(self, path: str, report: Report, *, recursive: bool = True) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._report, self._recursive = report, recursive
        self._paths: Dict[int, str] = {}
        self._top, self._only, self._present = path, "", Present()
        self._fd = self._checked(self._libc.inotify_init1(os.O_CLOEXEC), path)
        self._ending, self._end = os.pipe()
        self._is_closed = False
        try:
            self._begin()
        except OSError:
            for one in (self._fd, self._ending, self._end):
                os.close(one)
            raise
        threading.Thread(target=self._work, name="hermes-watch", daemon=True).start()

    def _begin(self) -> None:
        """Watch a folder; a file by its folder, because programs put a new one in its place."""
        if not stat.S_ISDIR(os.stat(self._top).st_mode):
            self._recursive, self._only = False, os.path.realpath(self._top)
            self._present.came(self._only)
            self._add(os.path.dirname(self._only))
            return
        self._add(self._top, _WANTED | _DELETE_SELF | _MOVE_SELF)
        if self._recursive:
            self._present.look(self._top)

    def close(self) -> None:
        """Stop watching."""
        if not self._is_closed:
            self._is_closed = True
            os.close(self._end)

    def _checked(self, answer: int, path: str) -> int:
        if answer < 0:
            number = ctypes.get_errno() or errno.EIO
            raise OSError(number, os.strerror(number), path)
        return answer

    def _add(self, path: str, wanted: int = _WANTED) -> None:
        number = self._libc.inotify_add_watch(self._fd, os.fsencode(path), wanted)
        self._paths[self._checked(number, path)] = path
        if not self._recursive or not os.path.isdir(path) or os.path.islink(path):
            return
        with os.scandir(path) as found:
            inner = [one.path for one in found if one.is_dir(follow_symlinks=False)]
        for folder in inner:
            try:
                self._add(folder)
            except OSError:
                continue  # it went, or may not be read

    def _work(self) -> None:
        waiting = select.poll()
        waiting.register(self._fd, select.POLLIN)
        waiting.register(self._ending, select.POLLIN | select.POLLHUP)
        while True:
            ready = dict(waiting.poll())
            if self._ending in ready:
                break
            self._take(os.read(self._fd, 1 << 16))
        os.close(self._ending)
        os.close(self._fd)

    def _take(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            number, mask, _, size = _HEAD.unpack_from(data, at)
            name = os.fsdecode(data[at + _HEAD.size : at + _HEAD.size + size].rstrip(b"\0"))
            at += _HEAD.size + size
            self._tell(number, mask, name)

    def _tell(self, number: int, mask: int, name: str) -> None:
        if mask & _OVERFLOW:
            self._report("overflow", "")
            return
        folder = self._paths.get(number)
        if folder is None:
            return
        path = os.path.join(folder, name) if name else folder
        if mask & _IS_FOLDER and mask & (_CREATE | _MOVED_TO) and self._recursive:
            self._add_new(path)
        if self._only and path != self._only:
            return
        for flags, word in _NAMES:
            if mask & flags:
                self._report(self._seen(word, path), self._top if self._only else path)
                return

    def _seen(self, word: str, path: str) -> str:
        """Return what happened, in the light of what was there before."""
        if word == "deleted":
            self._present.went(path)
        elif word == "created" and self._present.came(path):
            return "changed"
        return word

    def _add_new(self, path: str) -> None:
        """Watch a folder that has come; what was put into it meanwhile is told too."""
        try:
            self._add(path)
            with os.scandir(path) as found:
                inner = [one.path for one in found]
        except OSError:
            return
        for one in inner:
            self._report("created", one)
