"""Shut the calling process into a box, and become a program in there.

A box is entered before it is known which program will run: that takes the cost of building it off
the way of the next command.
"""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH103, PTH120, PTH211
from __future__ import annotations

import _socket
import errno
import fcntl
import os
import resource
import struct

from hermes.environments.sandbox.inside import kernel
from hermes.environments.sandbox.inside.descriptors import FIRST_FREE, high
from hermes.environments.sandbox.inside.follow import follow as go_in_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable
    from typing import Any

    Walls = dict[str, Any]
    Command = tuple[list[str], dict[str, str], str]
    Tell = Callable[[int, list[int]], None]

_HELD = 300
_NAMESPACES = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
_TIOCSCTTY = 0x540E
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1


def enter(walls: Walls, tell: Tell) -> socket | None:
    """Build a box and go in; return the socket that listens in there, if one was asked for.

    With a program around it, a process beside this one goes in: ``tell`` is given its number and
    the descriptors that keep the box, and this one ends.

    ``hermes.environments.sandbox.order`` says what ``walls`` holds.
    """
    if walls["namespaces"]:
        _enter_namespaces()
    listener = _own_network(walls["listen"]) if walls["own_network"] else None
    for step in walls["mounts"]:
        _mount(*step)
    _open_files(walls["files"])
    for number, value in walls["limits"]:
        _limit(number, value)
    if not walls["may_gain"]:
        kernel.gain_nothing()
    if walls["around"]:
        go_in_after(walls["around"], tell)
    if walls["drop"]:
        kernel.drop_capabilities()
    if walls["landlock"]:
        kernel.restrict(kernel.ruleset(*walls["landlock"]))
    if walls["seccomp"]:
        kernel.filter_calls(walls["seccomp"])
    return listener


def become(command: Command, standard: list[int]) -> None:
    """Execute a program with its three standard descriptors; comes back only by an error."""
    argv, env, cwd = command
    for number, fd in enumerate(standard):
        os.dup2(fd, number, inheritable=True)
    if os.isatty(0):
        _own_terminal()
    os.chdir(cwd)
    _execute(argv, env)


def _own_terminal() -> None:
    """Have a terminal that is nobody's be ours, so that programs find it by its name."""
    try:
        fcntl.ioctl(0, _TIOCSCTTY, 0)
    except OSError:
        return  # it is the person's own, and stays theirs


def _execute(argv: list[str], env: dict[str, str]) -> None:
    """Find a program and become it; the library's own search imports modules, unseen in here."""
    name = argv[0]
    refused: OSError = FileNotFoundError(errno.ENOENT, "No such file or directory", name)
    folders = [""] if "/" in name else env.get("PATH", os.defpath).split(":")
    for folder in folders:
        try:
            os.execve(f"{folder}/{name}" if folder else name, argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            refused = error
    raise refused


def _enter_namespaces() -> None:
    """Move into namespaces of our own, in which only our own user exists."""
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(_NAMESPACES)
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{user} {user} 1")
    write("/proc/self/gid_map", f"{group} {group} 1")
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_SLAVE)


def write(path: str, text: str) -> None:
    """Write a kernel's file in one go."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    os.write(fd, text.encode())
    os.close(fd)


def _own_network(port: int) -> socket | None:
    """Get a loopback of our own; listen there if asked to, so that the proxy can answer in here."""
    kernel.unshare(kernel.CLONE_NEWNET)
    ask = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    fcntl.ioctl(ask.fileno(), _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))
    ask.close()
    if not port:
        return None
    opened = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener = _socket.socket(fileno=high(opened.detach()))
    listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    return listener


def _mount(kind: str, source: str, target: str, read_only: bool) -> None:
    safe = kernel.SAFE | kernel.READ_ONLY if read_only else kernel.SAFE
    if kind == "bind" and read_only:
        _bind(source, target, safe)
    elif kind in {"bind", "keep"}:
        kernel.show(source, target, safe)
    elif kind == "open":
        kernel.show(source, target, safe, clear=kernel.READ_ONLY)
    elif kind == "device":
        kernel.mount(source, target, "", kernel.MS_BIND)
    elif kind == "memory":
        kernel.mount("tmpfs", target, "tmpfs", safe, source)
    elif kind == "terminals":
        kernel.mount("devpts", target, "devpts", kernel.NO_SETUID, source)
    elif kind == "lock":
        kernel.harden(target, kernel.READ_ONLY)
    elif kind == "seal":
        kernel.harden(target, kernel.READ_ONLY, beneath=False)
    else:
        _make(kind, source, target, follow=read_only)


def _bind(source: str, target: str, attributes: int, *, clear: int = 0) -> None:
    kernel.mount(source, target, "", kernel.MS_BIND | kernel.MS_REC)
    kernel.harden(target, attributes, clear=clear)


def _make(kind: str, source: str, target: str, *, follow: bool) -> None:
    """Make a place in a tree that is being built, or carry one over a mount that covers it."""
    if kind == "hold":
        opened = os.open if follow else kernel.open_real
        os.dup2(opened(source, os.O_PATH), _HELD + int(target), inheritable=False)
    elif kind == "held":
        held = f"/proc/self/fd/{_HELD + int(source)}"
        _bind(held, target, kernel.SAFE, clear=kernel.READ_ONLY)
    elif kind == "shown":
        _bind(f"/proc/self/fd/{_HELD + int(source)}", target, kernel.SAFE | kernel.READ_ONLY)
    else:
        os.makedirs(target if kind == "folder" else os.path.dirname(target), exist_ok=True)
    if kind == "file":
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    elif kind == "link":
        os.symlink(source, target)


def _limit(number: int, value: int) -> None:
    _, most = resource.getrlimit(number)
    allowed = value if most == resource.RLIM_INFINITY else min(value, most)
    resource.setrlimit(number, (allowed, allowed))


def _open_files(files: list[bytes]) -> None:
    """Put each file's content on its own descriptor, from 3 on; all others close by themselves."""
    for number, content in enumerate(files, FIRST_FREE):
        fd = high(os.memfd_create("hermes", os.MFD_CLOEXEC))
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        os.dup2(fd, number, inheritable=True)
