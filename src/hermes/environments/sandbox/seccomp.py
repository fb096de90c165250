"""Assemble the filter of system calls: what no boxed program needs, and some others abuse."""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from hermes.environments.sandbox.calls import (
    ARCHITECTURES,
    DENIED,
    FILE_FACTS,
    LASTING_REQUESTS,
    OWN_FIRST,
    OWN_SECOND,
    SHARED_MEMORY,
    Architecture,
)

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_SET, _JUMP_LARGER, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND, _THIRD = 0, 4, 16, 24, 32
_CHUNK = 10
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020080  # CLONE_NEW* of time, mount, cgroup, uts, ipc, user, pid and net
_INET, _INET6, _NETLINK = 2, 10, 16
_STREAM, _DATAGRAM, _PACKETS = 1, 2, 5
_PROTOCOLS = (0, 1, 6, 17, 58)  # Landlock does not know those that carry TCP in other ways
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_DEVICE_KINDS = (0o020000, 0o060000)
_SETUID = 0o4000  # outside of the box the file would give its owner's rights to everybody
_MODES = {"chmod": _SECOND, "fchmod": _SECOND, "fchmodat": _THIRD, "fchmodat2": _THIRD}


class Sockets(NamedTuple):
    """Which sockets a program may open: those of Unix only in pairs.

    One that is not half of a pair could be connected to a program outside, by a path in a folder
    that is seen. No mount keeps from that, Landlock does not before it is very new, and a filter
    does not see the path.
    """

    internet: bool
    datagrams: bool = True


class _Line(NamedTuple):
    code: int
    value: int
    true: int = 0
    false: int = 0

    def packed(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.true, self.false, self.value)


def native() -> Architecture | None:
    """Return the tables of this machine's processor, or None for one we have none for."""
    return ARCHITECTURES.get(platform.machine())


@cache
def program(sockets: Sockets, *, has_namespaces: bool, processor: str = "") -> bytes:
    """Return the filter in the form that the kernel takes.

    ``has_namespaces`` says that shared memory is the box's own and that mounts keep the modes and
    times of files; otherwise the filter must refuse both.
    """
    machine = ARCHITECTURES.get(processor) if processor else native()
    if machine is None:
        raise OSError(errno.ENOSYS, "no table of system calls for this processor")
    denied = DENIED if has_namespaces else (*DENIED, *SHARED_MEMORY, *FILE_FACTS)
    requests = () if has_namespaces else LASTING_REQUESTS
    modes = {name: _refuse_flags(_SETUID, place) for name, place in _MODES.items()}
    bodies = modes | {name: [_refuse()] for name in denied} | _judged(sockets, requests)
    known = {
        machine.numbers[name]: body for name, body in bodies.items() if name in machine.numbers
    }
    lines = [*_right_architecture(machine), *_chosen(known), _Line(_RETURN, _ALLOW)]
    return b"".join(line.packed() for line in lines)


def _judged(sockets: Sockets, requests: Sequence[int]) -> dict[str, list[_Line]]:
    """Return what is done about calls that are judged by their arguments."""
    return {
        "clone3": [_refuse(errno.ENOSYS)],  # its flags lie in memory; callers fall back on clone
        "clone": _refuse_flags(_NEW_NAMESPACES),
        "unshare": _refuse_flags(_NEW_NAMESPACES),
        "mknod": _refuse_devices(_SECOND),
        "mknodat": _refuse_devices(_THIRD),
        "ioctl": _refuse_values(_SECOND, (_TIOCSTI, _TIOCLINUX, *requests)),
        "personality": _only_values(_FIRST, (0, 0xFFFFFFFF)),
        "socket": _judge_socket(sockets),
        "socketpair": _judge_pair(),
        **{name: _only_values(_FIRST, (0,)) for name in OWN_FIRST},
        **{name: _own_only(kinds) for name, kinds in OWN_SECOND.items()},
    }


def _chosen(bodies: dict[int, list[_Line]]) -> list[_Line]:
    """Find a call's body in two steps: the kernel walks the filter once for every call there is."""
    lines: list[_Line] = []
    numbers = sorted(bodies)
    for start in range(0, len(numbers), _CHUNK):
        chunk = numbers[start : start + _CHUNK]
        inner = [line for number in chunk for line in _when(number, bodies[number])]
        inner.append(_Line(_RETURN, _ALLOW))
        lines += [_Line(_JUMP_LARGER, chunk[-1] + 1, true=len(inner)), *inner]
    return lines


def _refuse(number: int = errno.EPERM) -> _Line:
    return _Line(_RETURN, _ERRNO | number)


def _right_architecture(machine: Architecture) -> list[_Line]:
    lines = [
        _Line(_LOAD, _ARCHITECTURE),
        _Line(_JUMP_EQUAL, machine.audit, true=1),
        _Line(_RETURN, _KILL),
        _Line(_LOAD, _NUMBER),
    ]
    if machine.has_x32:
        lines += [_Line(_JUMP_LARGER, _X32, false=1), _Line(_RETURN, _KILL)]
    return lines


def _when(number: int, body: Sequence[_Line]) -> list[_Line]:
    """Run lines for one call; they end by returning."""
    return [_Line(_JUMP_EQUAL, number, false=len(body)), *body]


def _refuse_flags(flags: int, place: int = _FIRST) -> list[_Line]:
    return [
        _Line(_LOAD, place),
        _Line(_JUMP_SET, flags, false=1),
        _refuse(),
        _Line(_RETURN, _ALLOW),
    ]


def _refuse_values(place: int, values: Sequence[int]) -> list[_Line]:
    lines = [_Line(_LOAD, place)]
    for value in values:
        lines += [_Line(_JUMP_EQUAL, value, false=1), _refuse()]
    return [*lines, _Line(_RETURN, _ALLOW)]


def _refuse_devices(place: int) -> list[_Line]:
    lines = [_Line(_LOAD, place), _Line(_AND, 0o170000)]
    for kind in _DEVICE_KINDS:
        lines += [_Line(_JUMP_EQUAL, kind, false=1), _refuse()]
    return [*lines, _Line(_RETURN, _ALLOW)]


def _only_values(place: int, values: Sequence[int]) -> list[_Line]:
    lines = [_Line(_LOAD, place)]
    for value in values:
        lines += [_Line(_JUMP_EQUAL, value, false=1), _Line(_RETURN, _ALLOW)]
    return [*lines, _refuse()]


def _judge_socket(sockets: Sockets) -> list[_Line]:
    lines = [_Line(_LOAD, _FIRST)]
    if sockets.internet:
        route = [
            _Line(_LOAD, _THIRD),
            _Line(_JUMP_EQUAL, 0, false=1),
            _Line(_RETURN, _ALLOW),
            _refuse(),
        ]
        lines += [_Line(_JUMP_EQUAL, _NETLINK, false=len(route)), *route]
        kinds = (_STREAM, _DATAGRAM) if sockets.datagrams else (_STREAM,)
        body = [_Line(_LOAD, _THIRD), *_unless_loaded(_PROTOCOLS, errno.EPROTONOSUPPORT)]
        body += [_Line(_LOAD, _SECOND), _Line(_AND, 0xF), *_only_loaded(kinds)]
        lines += [_Line(_JUMP_EQUAL, _INET, true=1), _Line(_JUMP_EQUAL, _INET6, false=len(body))]
        lines += body
    return [*lines, _refuse()]


def _judge_pair() -> list[_Line]:
    """Refuse pairs from which messages could be sent to other addresses."""
    return [_Line(_LOAD, _SECOND), _Line(_AND, 0xF), *_only_loaded((_STREAM, _PACKETS))]


def _own_only(kinds: Sequence[int]) -> list[_Line]:
    """Refuse all but the caller, or its group, by the kind in the first argument."""
    lines = [_Line(_LOAD, _SECOND), _Line(_JUMP_EQUAL, 0, true=1), _refuse()]
    return [*lines, *_only_values(_FIRST, kinds)]


def _unless_loaded(values: Sequence[int], number: int) -> list[_Line]:
    """Refuse all but some values, and go on with those."""
    left = range(len(values), 0, -1)
    lines = [_Line(_JUMP_EQUAL, value, true=more) for value, more in zip(values, left, strict=True)]
    return [*lines, _refuse(number)]


def _only_loaded(values: Sequence[int]) -> list[_Line]:
    lines: list[_Line] = []
    for value in values:
        lines += [_Line(_JUMP_EQUAL, value, false=1), _Line(_RETURN, _ALLOW)]
    return [*lines, _refuse()]
