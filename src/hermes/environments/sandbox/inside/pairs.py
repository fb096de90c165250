"""The starter's program: keep a forked pair ready, already in the box that was used last.

A pair is a *minder* and its *child*. The child is in its box and waits for the next order; if that
asks for the same box it becomes the program, if not it hands the order back and the minder forks
another. The minder adopts whatever the program leaves behind, kills all of it when the program ends
or when the control socket closes, and then reports the status.
"""

from __future__ import annotations

import _socket
import gc
import marshal
import os
import select
import signal
import struct

from hermes.environments.sandbox.inside import kernel
from hermes.environments.sandbox.inside.enter import become, enter, high
from hermes.environments.sandbox.inside.tree import kill_descendants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import NoReturn

_CONTROL, _ORDER, _STDIN, _GROUP = 0, 1, 2, 5
_LEAST_DESCRIPTORS, _MOST_DESCRIPTORS = 5, 6
_SHORT_MILLISECONDS = 20
"""The next pair is made when a command ends or has run so long: not while a short one runs."""
_LARGEST_NOTE = 200_000


def main() -> None:
    """Make a new pair each time the last one was used, until the requests' other end closes."""
    requests = _socket.socket(fileno=high(os.dup(0)))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    gc.disable()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    used, note = _pair()
    waiting = select.poll()
    waiting.register(used, select.POLLIN)
    waiting.register(requests, 0)
    walls = b""
    while True:
        if os.fork() == 0:
            used.close()
            _mind(requests, note, walls)
        if requests.fileno() in dict(waiting.poll()):
            return
        walls = used.recv(_LARGEST_NOTE) or walls


def _pair() -> tuple[socket, socket]:
    one, other = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    return (
        _socket.socket(fileno=high(one.detach())),
        _socket.socket(fileno=high(other.detach())),
    )


def _mind(requests: socket, note: socket, walls: bytes) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    kernel.adopt_orphans()
    mine, childs = _pair()
    child = _fork_child(walls, childs, requests)
    if not _has_word(child, mine):  # the last box cannot be built any more
        walls = b""
        child = _fork_child(walls, childs, requests)
        if not _has_word(child, mine):
            os._exit(1)
    requests.close()
    word, received = _receive(mine)
    control = _socket.socket(fileno=received[_CONTROL])
    if word == b"R":
        os.waitpid(child, 0)
        walls, command = _read(received[_ORDER])
        child = _fork_child(walls, childs, None, command, received)
    for fd in received[_ORDER:]:
        os.close(fd)
    childs.close()
    _see_out(child, control, note, walls if len(walls) < _LARGEST_NOTE else b"")


def _has_word(child: int, mine: socket) -> bool:
    """Wait until a child has taken an order; say whether it has, or could not get ready for one."""
    ended = os.pidfd_open(child)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(mine, select.POLLIN)
    ready = dict(waiting.poll())
    os.close(ended)
    if mine.fileno() in ready:
        return True
    _, status = os.waitpid(child, 0)
    if status == 0:
        os._exit(0)  # there will be no more orders
    return False


def _see_out(child: int, control: socket, note: socket, walls: bytes) -> NoReturn:
    """Wait for the end of a program or of whoever wanted it, and leave nothing behind."""
    ended = os.pidfd_open(child)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    is_short = bool(waiting.poll(_SHORT_MILLISECONDS))
    if not is_short:
        note.send(walls or b"-")
    waiting.register(control, select.POLLIN)
    while ended not in dict(waiting.poll()):
        number = control.recv(1)
        if not number:
            break
        _signal_group(child, number[0])
    status = kill_descendants(child)
    try:
        control.send(b"S%d" % status)
    except OSError:  # nobody wants to know any more
        os._exit(0)
    finally:
        if is_short:
            note.send(walls or b"-")
    os._exit(0)


def _signal_group(child: int, number: int) -> None:
    try:
        os.killpg(child, number)
    except ProcessLookupError:
        return  # it is ending by itself


def _fork_child(
    walls: bytes,
    minder: socket,
    requests: socket | None,
    command: bytes = b"",
    received: list[int] | None = None,
) -> int:
    child = os.fork()
    if child:
        return child
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        kernel.die_with_parent(signal.SIGKILL)
        os.setsid()
        listener = enter(marshal.loads(walls)) if walls else None
    except OSError as error:
        _fail(error, received)
    if received is None and requests is not None:
        command, received = _wait_for_order(walls, minder, requests)
    try:
        _start(command, received or [], listener)
    except OSError as error:
        _fail(error, received)
    os._exit(127)


def _wait_for_order(walls: bytes, minder: socket, requests: socket) -> tuple[bytes, list[int]]:
    word, received = _receive(requests)
    if not word:
        os._exit(0)
    wanted, command = _read(received[_ORDER])
    if wanted != walls:
        _send(minder, b"R", received)
        os._exit(0)
    _send(minder, b"T", received[:1])
    return command, received


def _start(command: bytes, received: list[int], listener: socket | None) -> None:
    if len(received) > _GROUP:
        os.write(received[_GROUP], b"0")
    if listener is not None:
        _send(_socket.socket(fileno=os.dup(received[_CONTROL])), b"L", [listener.fileno()])
    become(marshal.loads(command), received[_STDIN:_GROUP])


def _fail(error: OSError, received: list[int] | None) -> NoReturn:
    """Tell why no program started; a pair that no order has reached yet just ends."""
    if received:
        what = f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror)
        os.write(received[_CONTROL], b"E%d %s" % (error.errno or 0, what.encode()))
    os._exit(127)


def _read(fd: int) -> tuple[bytes, bytes]:
    parts = []
    at = 0
    while part := os.pread(fd, 1 << 20, at):
        parts.append(part)
        at += len(part)
    walls, command = marshal.loads(b"".join(parts))
    return walls, command


def _send(to: socket, word: bytes, descriptors: list[int]) -> None:
    packed = struct.pack(f"{len(descriptors)}i", *descriptors)
    to.sendmsg([word], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)])


def _receive(sender: socket) -> tuple[bytes, list[int]]:
    room = _socket.CMSG_SPACE(4 * _MOST_DESCRIPTORS)
    word, control, _, _ = sender.recvmsg(1, room)
    received: list[int] = []
    for _, _, packed in control:
        received += struct.unpack(f"{len(packed) // 4}i", packed)
    return word, [high(fd) for fd in received]
