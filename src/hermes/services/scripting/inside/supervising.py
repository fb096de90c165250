"""Stand beside a script where its input and output are the way to hermes.

What it prints arrives even when it is killed, its end is told, and what it started ends with it.
"""

# ruff: noqa: PTH123, PTH208 - pathlib takes long to load
from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PART = 1 << 16
_MOST = 1 << 20
_SET_CHILD_SUBREAPER = 36


def supervise() -> None:
    """Go on in a process of its own that has a socket for its input; the other one stays here."""
    import socket

    _keep_strays()
    ours, theirs = socket.socketpair()
    output, printed = os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(theirs.fileno(), 0)
        os.dup2(printed, 1)
        for fd in (ours.detach(), theirs.detach(), output, printed):
            os.close(fd)
        return
    theirs.close()
    os.close(printed)
    try:
        _Supervisor(process, ours, output).work()
    finally:
        os._exit(0)


def _keep_strays() -> None:
    """Have processes that lose their parent come to this one."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class _Supervisor:
    """Carries frames both ways, and what is printed as frames of its own."""

    def __init__(self, process: int, channel: Any, output: int) -> None:
        self._process, self._channel, self._output = process, channel, output
        self._to_script, self._to_host = bytearray(), bytearray()
        self._woken, waking = os.pipe()
        for fd in (self._woken, waking, output, channel.fileno()):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waking)

    def work(self) -> None:
        """Carry until the script has ended or hermes is gone, then end what is left."""
        code = self._carry()
        _end_all()
        self._forward()
        self._print()
        self._send(b"e", str(code).encode())

    def _carry(self) -> Any:
        import select

        channel = self._channel.fileno()
        while True:
            code = self._ended()
            if code is not None:
                return code
            reading = [channel, self._output, self._woken]
            if len(self._to_script) < _MOST:
                reading.append(0)
            writing = [channel] if self._to_script else []
            found, free, _ = select.select(reading, writing, [])
            if 0 in found and not self._listen():
                return 1
            if free:
                self._hand_in()
            if channel in found:
                self._forward()
            if self._output in found:
                self._print()
            if self._woken in found:
                os.read(self._woken, _PART)

    def _ended(self) -> Any:
        """Return the code of the script once it has ended; bury others."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 1
            if process == 0:
                return None
            if process == self._process:
                is_killed = os.WIFSIGNALED(status)
                return -os.WTERMSIG(status) if is_killed else os.WEXITSTATUS(status)

    def _listen(self) -> bool:
        data = os.read(0, _PART)
        self._to_script += data
        self._hand_in()
        return bool(data)

    def _hand_in(self) -> None:
        try:
            del self._to_script[: self._channel.send(self._to_script)]
        except BlockingIOError:
            pass
        except OSError:
            self._to_script.clear()  # it reads no more

    def _forward(self) -> None:
        """Send on what the script sent, as far as it is whole frames."""
        while True:
            try:
                part = self._channel.recv(_PART)
            except OSError:
                break
            if not part:
                break
            self._to_host += part
        left, end = self._to_host, 0
        while len(left) >= end + 5:
            after = end + 5 + int.from_bytes(left[end : end + 4], "big")
            if len(left) < after:
                break
            end = after
        _write(left[:end])
        del left[:end]

    def _print(self) -> None:
        while True:
            try:
                part = os.read(self._output, _PART)
            except BlockingIOError:
                return
            if not part:
                return
            self._send(b"o", part)

    @staticmethod
    def _send(kind: bytes, data: bytes) -> None:
        _write(len(data).to_bytes(4, "big") + kind + data)


def _write(data: Any) -> None:
    left = memoryview(bytes(data))
    while left:
        left = left[os.write(1, left) :]


def _end_all() -> None:
    """Kill all that the script started: what has lost its parent is a child of this process."""
    import time

    until = time.monotonic() + 3
    while time.monotonic() < until:
        left = _children()
        if not left:
            return
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _children() -> Any:
    mine = os.getpid()
    families: Any = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in filter(str.isdigit, names):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b") ")[2].split()[1])
        except (OSError, IndexError):
            continue
        families.setdefault(parent, []).append(int(name))
    found, left = [], list(families.get(mine, ()))
    while left:
        found.append(left.pop())
        left += families.get(found[-1], ())
    return found
