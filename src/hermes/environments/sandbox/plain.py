"""Start programs where there is no starter: a session of their own, killed as a group."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import subprocess
import threading
from functools import partial

from hermes.environments.sandbox.order import Order


class PlainStarter:
    """Start processes by order with what every system has; only limits are kept."""

    stage = ""

    def start(self, order: Order, standard: tuple[int, int, int]) -> socket.socket:
        """Start a process and return its control socket, as the starter's own does."""
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            process = _start(order, standard)
        except OSError as error:
            theirs.send(b"E%d %s" % (error.errno or 0, str(error.strerror).encode()))
            theirs.close()
            return mine
        for work in (_obey, _report):
            threading.Thread(target=work, args=(process, theirs), daemon=True).start()
        return mine

    def share(self, boxes: int) -> None:
        """Do nothing: nobody counts the processes of several boxes together."""

    def close(self) -> None:
        """Do nothing: each process ends with its own control socket."""


def _start(order: Order, standard: tuple[int, int, int]) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = standard
    return subprocess.Popen(
        order.command.argv,
        env=dict(order.env),
        cwd=order.command.cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        preexec_fn=partial(_limit, order.limits),
    )


def _limit(limits: tuple[tuple[int, int], ...]) -> None:
    for number, value in limits:
        _, most = resource.getrlimit(number)
        allowed = value if most == resource.RLIM_INFINITY else min(value, most)
        with contextlib.suppress(OSError, ValueError):  # not every system has every limit
            resource.setrlimit(number, (allowed, allowed))


def _obey(process: subprocess.Popen[bytes], control: socket.socket) -> None:
    """Pass signals on; kill the group when nobody is at the other end any more."""
    with contextlib.suppress(OSError):
        while number := control.recv(1):
            _signal(process, number[0])
    _signal(process, signal.SIGKILL)


def _report(process: subprocess.Popen[bytes], control: socket.socket) -> None:
    code = process.wait()
    _signal(process, signal.SIGKILL)
    status = code << 8 if code >= 0 else -code
    with contextlib.suppress(OSError):
        control.send(b"S%d" % status)
        control.shutdown(socket.SHUT_RDWR)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
