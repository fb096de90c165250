"""Let another program build the innermost walls, and go in after it.

That takes bubblewrap's work off the way of the next command, as everything else that a box needs.
"""

from __future__ import annotations

import errno
import os
import signal

from hermes.environments.sandbox.inside import kernel
from hermes.environments.sandbox.inside.descriptors import FIRST_FREE, HIGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_INNERMOST = kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID


def follow(builder: list[str], tell: Callable[[int, list[int]], None]) -> None:
    """Start a builder, wait for its walls, and come back inside of them in another process.

    The builder must run a program that copies its input to its output: it shows that the walls
    stand, and ends when nobody holds its input any more, and all that is in there with it.
    """
    tree = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    process, held = _started(builder)
    inside = os.pidfd_open(_first_child(process))
    kernel.join(inside, _INNERMOST)
    told, telling = os.pipe()
    program = kernel.fork_beside()
    if program:
        tell(program, [held, tree])
        os._exit(0)
    os.close(telling)
    os.read(told, 1)  # ends with our elder: nobody hears of an order before they know who we are
    os.closerange(FIRST_FREE, HIGH)
    kernel.die_with_parent(signal.SIGKILL)
    os.setsid()


def _started(builder: list[str]) -> tuple[int, int]:
    """Start a builder; return it, and what its program reads from, once that answers."""
    there, asked = os.pipe()
    answered, back = os.pipe()
    process = kernel.fork_beside()
    if process == 0:
        _become(builder, there, back)
    os.close(there)
    os.close(back)
    os.write(asked, b".")
    if os.read(answered, 1) != b".":
        raise OSError(errno.EPROTO, f"{builder[0]} did not build the box")
    os.close(answered)
    return process, asked


def _become(builder: list[str], stdin: int, stdout: int) -> None:
    try:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)  # ours could be opened by way of /proc in there
        os.execve(builder[0], builder, {})
    finally:
        os._exit(127)


def _first_child(process: int) -> int:
    fd = os.open(f"/proc/{process}/task/{process}/children", os.O_RDONLY | os.O_CLOEXEC)
    children = os.read(fd, 4096).split()
    os.close(fd)
    return int(children[0])
