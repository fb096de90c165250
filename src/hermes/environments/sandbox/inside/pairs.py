"""The starter's program: keep a forked pair ready, already in the box that was used last.

A pair is a *minder* and its *child*. The child is in its box and waits for the next order; if that
asks for the same box it becomes the program, if not it hands the order back and the minder forks
another. The minder adopts whatever the program leaves behind, kills all of it when the program ends
or when the control socket closes, and then reports the status.

A minder sleeps from the time its child waits until the program has ended or a timer, which the
child winds, says that it is a long one: waking it would take the processor from the program.
Both rehearse before they wait: after a fork each page is copied when it is first written to.
"""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH102, PTH106, PTH120
from __future__ import annotations

import _socket
import gc
import marshal
import os
import select
import signal
import struct

from hermes.environments.sandbox.inside import kernel
from hermes.environments.sandbox.inside.descriptors import high
from hermes.environments.sandbox.inside.enter import become, enter, write
from hermes.environments.sandbox.inside.tree import kill_descendants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import NoReturn

_CONTROL, _ORDER, _STDIN = 0, 1, 2
_DESCRIPTORS = 5
_SHORT_MILLISECONDS = 20
"""The next pair is made when a command ends or has run so long: not while a short one runs."""
_PAUSE_MILLISECONDS = 1
"""How long whoever waits for a command has the processor first, unless the next one comes."""
_LARGEST_NOTE = 200_000
_TRIES, _TRY_MILLISECONDS = 100, 10
_NO_BOX, _ANOTHER_BOX, _TAKEN, _BESIDE = b"-", b"A", b"T", b"B"
_LARGEST_WORD = 16
_DEFAULTS = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGPIPE,
    signal.SIGXFSZ,
)
"""What a program minds, though hermes was perhaps started by nohup or behind a shell."""


def main(group: str, most: str, stage: str) -> None:
    """Serve orders in a control group that holds so many processes; without a name, in none.

    The folder in which trees were built is taken away at the end, even if hermes was killed.
    """
    gc.disable()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if group:
        os.mkdir(group)
        write(f"{group}/pids.max", most)
        write(f"{group}/cgroup.procs", "0")
    _serve()
    _wait_for_all()
    if stage:
        _remove(stage)
    if group:
        _leave(group)


def _wait_for_all() -> None:
    """Wait until no pair is left; the kernel reaps them."""
    try:
        os.wait()
    except ChildProcessError:
        return


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        return  # somebody else has done it, or uses it


def _leave(group: str) -> None:
    """Remove a control group, once nothing else is in it."""
    write(f"{os.path.dirname(group)}/cgroup.procs", "0")
    for _ in range(_TRIES):
        try:
            os.rmdir(group)
        except OSError:
            select.poll().poll(_TRY_MILLISECONDS)  # the kernel still counts what is dying
        else:
            return


def _serve() -> None:
    """Make a new pair each time the last one was used, until the requests' other end closes."""
    requests = _socket.socket(fileno=high(os.dup(0)))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    used, note = _pair()
    waiting = select.poll()
    waiting.register(used, select.POLLIN)
    waiting.register(requests, 0)
    walls = b""
    while True:
        child = _fork_when_possible()
        if child == 0:
            used.close()
            _Minder(requests, note, walls).work()
        if requests.fileno() in dict(waiting.poll()):
            return
        walls = used.recv(_LARGEST_NOTE)
        walls = b"" if walls == _NO_BOX else walls


def _fork_when_possible() -> int:
    """Fork, once the commands that share our limit leave room for it."""
    while True:
        try:
            return os.fork()
        except BlockingIOError:
            select.poll().poll(_TRY_MILLISECONDS)


def _pair() -> tuple[socket, socket]:
    one, other = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    return (
        _socket.socket(fileno=high(one.detach())),
        _socket.socket(fileno=high(other.detach())),
    )


class _Minder:
    """The half of a pair that stays outside of the box."""

    def __init__(self, requests: socket, note: socket, walls: bytes) -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        kernel.adopt_orphans()
        self.requests, self.note, self.walls = requests, note, walls
        self.mine, self.childs = _pair()
        self.timer = high(kernel.timer())

    def work(self) -> NoReturn:
        """Get a child ready, hand it an order, see it out, and end."""
        child = self._ready_child()
        word, received = _receive(self.mine)
        if word == _ANOTHER_BOX:
            os.waitpid(child, 0)
            received = [high(fd) for fd in received]
            child = self._child_in_another_box(received)
        self._see_out(child, received[_CONTROL])
        os._exit(0)

    def _child_in_another_box(self, received: list[int]) -> int:
        """Return a child for an order that the ready one handed back."""
        self.walls, command = _read(received[_ORDER])
        child = self._fork_child(command, received)
        kernel.wind(self.timer, _SHORT_MILLISECONDS)
        for fd in received[_ORDER:]:
            os.close(fd)
        return child

    def _ready_child(self) -> int:
        """Return a child that has taken an order, in the last box or, if need be, in none."""
        for walls in (self.walls, b""):
            self.walls = walls
            child = self._fork_child()
            self._rehearse(child)
            if self._has_word(child):
                return child
        os._exit(1)

    def _is_told(self, child: int) -> bool:
        """Wait for the end of a child or for the timer, and say whether there is a word from it."""
        ended = os.pidfd_open(child)
        self._has_ended(ended)
        os.close(ended)
        waiting = select.poll()
        waiting.register(self.mine, select.POLLIN)
        return bool(waiting.poll(0))

    def _has_ended(self, ended: int, milliseconds: int | None = None) -> bool:
        """Wait for the end of a process or for the timer, and say whether the process has ended."""
        waiting = select.poll()
        waiting.register(ended, select.POLLIN)
        waiting.register(self.timer, select.POLLIN)
        return ended in dict(waiting.poll(milliseconds))

    def _rehearse(self, child: int) -> None:
        """See a child out that has not begun: most pages that this writes to are then ours."""
        ended = os.pidfd_open(child)
        self._has_ended(ended, 0)
        one, other = _pair()
        _send(one, _TAKEN, [ended, ended])
        _, received = _receive(other)
        os.write(other.fileno(), b"S%d" % len(received))
        for fd in (ended, *received):
            os.close(fd)

    def _has_word(self, child: int) -> bool:
        if self._is_told(child):
            return True
        _, status = os.waitpid(child, 0)
        if status == 0:
            os._exit(0)  # there will be no more orders
        return False

    def tell(self, child: int, held: list[int]) -> None:
        """Let the minder know, from a builder, who is in the box and what keeps it."""
        _send(self.childs, _BESIDE + b"%d" % child, held)

    def _see_out(self, child: int, control: int) -> None:
        """Wait for the end of a program or of whoever wanted it, and kill what is left of it."""
        ended = os.pidfd_open(child)
        is_short = self._has_ended(ended)
        if not is_short:
            self._ask_for_the_next()
            _attend(child, ended, control)
        status = kill_descendants(child)
        try:
            os.write(control, b"S%d" % status)
        except OSError:
            status = 0  # nobody wants to know any more
        if is_short:
            self._pause()
            self._ask_for_the_next()

    def _pause(self) -> None:
        """Leave the processor to whoever waited for the program, until there is another order."""
        waiting = select.poll()
        waiting.register(self.requests, select.POLLIN)
        waiting.poll(_PAUSE_MILLISECONDS)

    def _ask_for_the_next(self) -> None:
        self.requests.close()
        try:
            self.note.send(self.walls if len(self.walls) < _LARGEST_NOTE else _NO_BOX)
        except BrokenPipeError:
            return  # the starter has ended: there will be no next

    def _fork_child(self, command: bytes = b"", received: list[int] | None = None) -> int:
        child = _fork_when_possible()
        if child == 0:
            _be_child(self, command, received)
        if not self.walls or not marshal.loads(self.walls)["around"]:
            return child
        return self._beside(child)

    def _beside(self, builder: int) -> int:
        """Return the child that a builder has put into the box, or the builder if it failed."""
        if not self._is_told(builder):
            return builder
        word, _ = _receive(self.mine)
        os.waitpid(builder, 0)
        return int(word[1:])


def _attend(child: int, ended: int, control: int) -> None:
    """Pass signals on to a program until it ends, or nobody wants it any more."""
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(control, select.POLLIN)
    while ended not in dict(waiting.poll()):
        number = os.read(control, 1)
        if not number:
            return
        _signal_group(child, number[0])


def _signal_group(child: int, number: int) -> None:
    try:
        os.killpg(child, number)
    except ProcessLookupError:
        return  # it is ending by itself


def _be_child(minder: _Minder, command: bytes, received: list[int] | None) -> NoReturn:
    """Go into the box, wait for an order if there is none yet, and become its program."""
    for number in _DEFAULTS:
        signal.signal(number, signal.SIG_DFL)
    try:
        kernel.die_with_parent(signal.SIGKILL)
        os.setsid()
        tell = minder.tell
        listener = enter(marshal.loads(minder.walls), tell) if minder.walls else None
        if received is None:
            command, received = _wait_for_order(minder)
        _start(command, received, listener)
    except OSError as error:
        _fail(error, received)
    finally:
        os._exit(127)


def _wait_for_order(minder: _Minder) -> tuple[bytes, list[int]]:
    """Take an order, and let the minder hold our tree: it is slow to take down.

    The last process in a tree waits for the kernel to do that before anybody sees it end.
    """
    tree = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    _rehearse()
    word, received = _receive(minder.requests)
    if not word:
        os._exit(0)
    wanted, command = _read(received[_ORDER])
    if wanted != minder.walls:
        _send(minder.childs, _ANOTHER_BOX, received)
        os._exit(0)
    _send(minder.childs, _TAKEN, [received[_CONTROL], tree])
    kernel.wind(minder.timer, _SHORT_MILLISECONDS)
    return command, received


def _rehearse() -> None:
    """Follow an order that fails: most pages that following one writes to are then ours."""
    order = os.memfd_create("rehearsal", os.MFD_CLOEXEC)
    os.write(order, marshal.dumps((b"", marshal.dumps((["/"], {}, "/")))))
    one, other = _pair()
    _send(one, _TAKEN, [0, order, 0, 1, 2])
    os.close(order)
    _, received = _receive(other)
    try:
        _start(_read(received[_ORDER])[1], received, None)
    except OSError:
        for fd in received:
            os.close(fd)


def _start(command: bytes, received: list[int], listener: socket | None) -> None:
    if listener is not None:
        _send(_socket.socket(fileno=os.dup(received[_CONTROL])), b"L", [listener.fileno()])
    become(marshal.loads(command), received[_STDIN:])


def _fail(error: OSError, received: list[int] | None) -> NoReturn:
    """Tell why no program started; a pair that no order has reached yet just ends."""
    if received:
        what = f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror)
        os.write(received[_CONTROL], b"E%d %s" % (error.errno or 0, what.encode()))
    os._exit(127)


def _read(fd: int) -> tuple[bytes, bytes]:
    size, at, parts = os.fstat(fd).st_size, 0, []
    while at < size:
        parts.append(os.pread(fd, size - at, at))
        at += len(parts[-1])
    walls, command = marshal.loads(b"".join(parts))
    return walls, command


def _send(to: socket, word: bytes, descriptors: list[int]) -> None:
    packed = struct.pack(f"{len(descriptors)}i", *descriptors)
    to.sendmsg([word], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)])


def _receive(sender: socket) -> tuple[bytes, list[int]]:
    room = _socket.CMSG_SPACE(4 * _DESCRIPTORS)
    word, control, _, _ = sender.recvmsg(_LARGEST_WORD, room, _socket.MSG_CMSG_CLOEXEC)
    received: list[int] = []
    for _, _, packed in control:
        received += struct.unpack(f"{len(packed) // 4}i", packed)
    return word, received
