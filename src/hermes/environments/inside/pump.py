"""Read many descriptors in one thread, for as long as something comes from them."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
from typing import Callable, Dict, Optional, Tuple

Take = Callable[[int], bool]
"""Read what a descriptor has now; says whether more may come."""


class Pump:
    """One thread that waits for all of them; it starts with the first and ends with the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._takes: Dict[int, Take] = {}
        self._thread: Optional[threading.Thread] = None
        self._selector: Optional[selectors.BaseSelector] = None
        self._wake: Tuple[int, int] = (-1, -1)

    def add(self, fd: int, take: Take) -> None:
        """Call ``take`` whenever there is something to read; it owns the descriptor."""
        with self._lock:
            self._takes[fd] = take
            if self._selector is None:
                self._begin()
            if self._selector is not None:
                if fd in self._selector.get_map():  # closed, and its number used again already
                    self._selector.unregister(fd)
                self._selector.register(fd, selectors.EVENT_READ)
        self._nudge()

    def discard(self, fd: int) -> None:
        """Read a descriptor to its end, keep nothing, and close it."""
        os.set_blocking(fd, False)
        self.add(fd, _thrown_away)

    def remove(self, fd: int) -> bool:
        """Stop reading a descriptor; say whether it was being read."""
        with self._lock:
            if self._takes.pop(fd, None) is None:
                return False
            if self._selector is not None:
                self._selector.unregister(fd)
        self._nudge()
        return True

    def close(self) -> None:
        """End the thread; what is still to be read is closed."""
        with self._lock:
            left, self._takes = list(self._takes), {}
            for fd in left:
                if self._selector is not None:
                    self._selector.unregister(fd)
                with contextlib.suppress(OSError):
                    os.close(fd)
        self._nudge()

    def _begin(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._wake = os.pipe()
        os.set_blocking(self._wake[0], False)
        self._selector.register(self._wake[0], selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._work, name="hermes-pump", daemon=True)
        self._thread.start()

    def _nudge(self) -> None:
        with self._lock:
            if self._selector is not None:
                os.write(self._wake[1], b".")

    def _work(self) -> None:
        while True:
            selector = self._selector
            if selector is None:
                return
            for key, _ in selector.select():
                if key.fd == self._wake[0]:
                    os.read(key.fd, 4096)
                else:
                    self._take(key.fd)
            with self._lock:
                if not self._takes:
                    self._end()
                    return

    def _take(self, fd: int) -> None:
        take = self._takes.get(fd)
        if take is None:
            return
        try:
            goes_on = take(fd)
        except BlockingIOError:
            return
        except OSError:  # a terminal whose other side is gone
            goes_on = False
        if not goes_on:
            self._forget(fd, take)

    def _forget(self, fd: int, take: Take) -> None:
        """Stop reading a descriptor that was closed, unless its number is another one's by now."""
        with self._lock:
            if self._takes.get(fd) is take:
                del self._takes[fd]
                if self._selector is not None:
                    self._selector.unregister(fd)

    def _end(self) -> None:
        if self._selector is not None:
            self._selector.close()
        self._selector = None
        for fd in self._wake:
            os.close(fd)


def _thrown_away(fd: int) -> bool:
    if os.read(fd, 1 << 16):
        return True
    os.close(fd)
    return False
