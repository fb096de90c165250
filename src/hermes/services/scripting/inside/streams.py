"""The standard streams of a script, and the channel that comes on them."""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

from hermes.services.scripting.inside.channel import Channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PART = 1 << 16


def standard(is_socket: bool) -> Any:
    """Take the channel off the standard streams, and leave a script ordinary ones."""
    read = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    if is_socket:
        os.close(nothing)
        return Channel(read, read), None
    channel = Channel(read, os.dup(1))
    ours, theirs = os.pipe()
    os.dup2(theirs, 1)
    os.close(theirs)
    os.close(nothing)
    os.set_blocking(ours, False)
    return channel, Printing(channel, ours)


class Printing:
    """Puts what is printed into frames, where the output itself is the channel."""

    def __init__(self, channel: Channel, fd: int) -> None:
        self._channel, self._fd = channel, fd
        self._lock = allocate_lock()
        start_new_thread(self._work, ())

    def _work(self) -> None:
        import select

        while select.select([self._fd], [], []) and self.drain():
            pass

    def end(self, code: int) -> None:
        """Send what is left, and how the script ends: what it started may hold the streams."""
        self.drain()
        self._channel.send(b"e", str(code).encode())

    def drain(self) -> bool:
        """Send what was printed until now; says whether more may come."""
        with self._lock:
            while True:
                try:
                    part = os.read(self._fd, _PART)
                except BlockingIOError:
                    return True
                if not part:
                    return False
                self._channel.send(b"o", part)
