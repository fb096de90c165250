"""Talk to the starter: a process that forks children for us, safe with threads and fast.

Forking this process would copy all of it and break locks that other threads hold; the starter is
small, has one thread, and keeps the next child ready.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import hermes
from hermes.environments.sandbox.limits import counting_folder, together
from hermes.environments.sandbox.order import Order

# The library's own signal module loads a dozen others: what a child holds is given back when it
# becomes the program, and that takes time.
_PROGRAM = (
    "import sys, _signal; sys.modules['signal'] = _signal; sys.path.insert(0, sys.argv[1]);"
    "from hermes.environments.sandbox.inside.pairs import main; main(*sys.argv[2:])"
)


class Starter:
    """Start processes by order; begins at the first one, and takes all with it when closed."""

    def __init__(self, processes: int | None = None) -> None:
        self._most = processes
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None
        self._stage: str | None = None
        self._group = ""
        self._sharing = 1

    @property
    def stage(self) -> str:
        """Return an empty folder that exists, over which a tree can be built."""
        with self._lock:
            if self._stage is None:
                self._stage = os.path.realpath(tempfile.mkdtemp(prefix="hermes-stage-"))
            return self._stage

    def start(self, order: Order, standard: tuple[int, int, int]) -> socket.socket:
        """Start a process and return its control socket.

        Sending one byte on it signals the process group; closing it kills everything. What comes
        back is ``L`` with a listening socket, ``E`` with an error, and ``S`` with the wait status.
        """
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        written = os.memfd_create("hermes-order", os.MFD_CLOEXEC)
        try:
            _write_all(written, order.written())
            with self._lock:
                fds = [theirs.fileno(), written, *standard]
                socket.send_fds(self._running(), [b"o"], fds)
        except BaseException:
            mine.close()
            raise
        finally:
            theirs.close()
            os.close(written)
        return mine

    def share(self, boxes: int) -> None:
        """Let so many boxes have their limit each: one group counts the processes of all."""
        boxes = max(1, boxes)
        with self._lock:
            if boxes == self._sharing or not self._group or self._most is None:
                return
            self._sharing = boxes
            with contextlib.suppress(OSError):  # not made yet, or gone already
                Path(f"{self._group}/pids.max").write_text(
                    str(together(self._most, boxes)), encoding="ascii"
                )

    def close(self) -> None:
        """End the starter, once all that it started has ended."""
        with self._lock:
            if self._requests is not None and self._process is not None:
                self._requests.close()
                self._process.wait()
            self._requests = self._process = None
            if self._stage is not None and Path(self._stage).exists():
                Path(self._stage).rmdir()
            self._stage = None

    def _running(self) -> socket.socket:
        if self._requests is None or self._process is None or self._process.poll() is not None:
            mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            source = str(Path(hermes.__file__).parent.parent)
            folder = None if self._most is None else counting_folder()
            self._group = f"{folder}/hermes-{secrets.token_hex(8)}" if folder else ""
            self._sharing = 1
            most = "" if self._most is None else str(together(self._most, 1))
            words = [source, self._group, most, self._stage or ""]
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _PROGRAM, *words],
                stdin=theirs.fileno(),
                env={},
                cwd="/",
                start_new_session=True,
            )
            theirs.close()
            self._requests = mine
        return self._requests


def _write_all(fd: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(fd, left) :]
