"""Ask the Linux kernel for what Python's own library does not offer.

Only ``ctypes`` and ``os`` are used: every page this loads is copied whenever the starter forks.
"""

from __future__ import annotations

import ctypes
import os

CLONE_PARENT = 0x00008000
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

READ_ONLY, NO_SETUID, NO_DEVICES = 1, 2, 4
SAFE = NO_SETUID | NO_DEVICES
MS_BIND, MS_REC, MS_SLAVE = 4096, 16384, 1 << 19

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER, _CAP_VERSION_3 = 2, 0x20080522
_MOUNT_SETATTR, _OPEN_TREE, _MOVE_MOUNT, _OPENAT2 = 442, 428, 429, 437
_AT_FDCWD, _AT_RECURSIVE, _AT_EMPTY_PATH = -100, 0x8000, 0x1000
_OPEN_TREE_CLONE, _BOTH_BY_DESCRIPTOR, _NO_SYMLINKS = 1, 0x4 | 0x40, 0x4
_CLONE3, _CLONE_ARGUMENTS = 435, 8
_LANDLOCK_CREATE, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT = 444, 445, 446
_RULE_PATH, _RULE_PORT, _READING = 1, 2, 0b1101
_MONOTONIC, _NANOSECONDS = 1, 1_000_000

_libc = ctypes.CDLL(None, use_errno=True)
_prctl, _syscall, _mount, _unshare, _capset, _setns, _timer, _set_timer = (
    getattr(_libc, name, _libc.getpid)  # another system has no such calls, and makes none
    for name in (
        "prctl", "syscall", "mount", "unshare", "capset", "setns", "timerfd_create",
        "timerfd_settime",
    )
)  # fmt: skip
_clone = ctypes.PyDLL(None, use_errno=True).syscall
_long = ctypes.c_ulong
_prctl.argtypes = [ctypes.c_int, _long, _long, _long, _long]
_mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, _long, ctypes.c_char_p]


_Times = _long * 4


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user"))


class _How(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("flags", "mode", "resolve"))


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("fd", ctypes.c_int32))


class _PortRule(ctypes.Structure):
    _fields_ = (("rights", ctypes.c_uint64), ("port", ctypes.c_uint64))


class _Filter(ctypes.Structure):
    _fields_ = (("count", ctypes.c_ushort), ("program", ctypes.c_void_p))


_CAP_HEADER = (ctypes.c_uint32 * 2)(_CAP_VERSION_3, 0)
_NO_CAPS = (ctypes.c_uint32 * 6)()


def _checked(answer: int, what: str) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return answer


def _control(what: str, option: int, *values: int) -> None:
    _checked(_prctl(option, *values, *[0] * (4 - len(values))), what)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent has ended."""
    _control("child subreaper", _PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal: int) -> None:
    """Receive a signal when the process that forked this one ends."""
    _control("parent death signal", _PR_SET_PDEATHSIG, signal)


def gain_nothing() -> None:
    """Let no program that is started from here on gain rights, setuid or not."""
    _control("no new privileges", _PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Give up every capability; with no new privileges, none comes back."""
    number = 0
    while _prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    _checked(_capset(_CAP_HEADER, _NO_CAPS), "capset")


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    _checked(_unshare(flags), "unshare")


def join(process: int, flags: int) -> None:
    """Move this process into the namespaces of one that a descriptor stands for.

    Only those that are forked from here on are in its process namespace.
    """
    _checked(_setns(process, flags), "setns")


def fork_beside() -> int:
    """Fork a process whose parent is ours; return its number, and 0 in there."""
    asked = (ctypes.c_uint64 * _CLONE_ARGUMENTS)(CLONE_PARENT)
    return _checked(_clone(_CLONE3, asked, ctypes.sizeof(asked)), "clone")


def timer() -> int:
    """Return a descriptor that becomes readable some time after it was wound."""
    return _checked(_timer(_MONOTONIC, os.O_CLOEXEC), "timer")


def wind(timer: int, milliseconds: int) -> None:
    """Let a timer run down once, whichever process waits for it."""
    after = _Times(0, 0, 0, milliseconds * _NANOSECONDS)
    _checked(_set_timer(timer, 0, after, None), "timer")


def open_real(path: str, flags: int) -> int:
    """Open a path that no symbolic link may be a part of, whoever changes it meanwhile.

    With ``O_PATH`` and ``O_NOFOLLOW`` the path itself may be a link, and is what is opened.
    """
    how = _How(flags | os.O_CLOEXEC, 0, _NO_SYMLINKS)
    answer = _syscall(_OPENAT2, _AT_FDCWD, path.encode(), ctypes.byref(how), ctypes.sizeof(how))
    return _checked(answer, path)


def show(source: str, target: str, attributes: int, *, clear: int = 0) -> None:
    """Show a place, with all that is mounted beneath it, at another or on itself.

    Neither may be reached by a symbolic link; either may be one.
    """
    at = [open_real(path, os.O_PATH | os.O_NOFOLLOW) for path in (source, target)]
    how = _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_EMPTY_PATH | _AT_RECURSIVE
    at.append(_checked(_syscall(_OPEN_TREE, at[0], b"", how), f"copy of the mounts of {source}"))
    wanted = _Attributes(set=attributes, clear=clear)
    reach = _AT_EMPTY_PATH | _AT_RECURSIVE
    answer = _syscall(_MOUNT_SETATTR, at[2], b"", reach, ctypes.byref(wanted), 32)
    _checked(answer, f"mount attributes of {source}")
    answer = _syscall(_MOVE_MOUNT, at[2], b"", at[1], b"", _BOTH_BY_DESCRIPTOR)
    _checked(answer, f"mount {source} on {target}")
    for fd in at:
        os.close(fd)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount something."""
    answer = _mount(
        source.encode(), target.encode(), kind.encode() or None, flags, options.encode() or None
    )
    _checked(answer, f"mount {source} on {target}")


def harden(target: str, attributes: int, *, clear: int = 0, beneath: bool = True) -> None:
    """Set attributes on a mount, and on every mount beneath it unless told otherwise."""
    wanted = _Attributes(set=attributes, clear=clear)
    reach = _AT_RECURSIVE if beneath else 0
    answer = _syscall(_MOUNT_SETATTR, _AT_FDCWD, target.encode(), reach, ctypes.byref(wanted), 32)
    _checked(answer, f"mount attributes of {target}")


def landlock_version() -> int:
    """Return the version of Landlock that the kernel offers, 0 without it."""
    return max(0, int(_syscall(_LANDLOCK_CREATE, None, 0, 1)))


def ruleset(
    handled: tuple[int, int, int], paths: list[tuple[str, int]], ports: list[tuple[int, int]]
) -> int:
    """Return a Landlock ruleset: what is handled and not listed is refused.

    ``handled`` holds the rights on files, on ports and the scopes; a path that is gone is left out.
    """
    size = 24 if handled[2] else 16 if handled[1] else 8
    asked = ctypes.byref(_Ruleset(*handled))
    rules = _checked(_syscall(_LANDLOCK_CREATE, asked, size, 0), "landlock")
    for path, rights in paths:
        try:
            fd = _opened(path, rights)
        except OSError:
            continue
        _add(rules, _RULE_PATH, _PathRule(rights, fd), path)
        os.close(fd)
    for port, rights in ports:
        _add(rules, _RULE_PORT, _PortRule(rights, port), f"port {port}")
    return rules


def _opened(path: str, rights: int) -> int:
    """Open what a rule is about: what gives more than reading must be where it was meant to be."""
    if rights & ~_READING:
        return open_real(path, os.O_PATH)
    return os.open(path, os.O_PATH | os.O_CLOEXEC)


def restrict(rules: int) -> None:
    """Put this process and all its descendants under a ruleset, for good."""
    _checked(_syscall(_LANDLOCK_RESTRICT, rules, 0), "landlock")
    os.close(rules)


def _add(rules: int, kind: int, rule: ctypes.Structure, what: str) -> None:
    _checked(_syscall(_LANDLOCK_ADD_RULE, rules, kind, ctypes.byref(rule), 0), f"rule for {what}")


def filter_calls(program: bytes) -> None:
    """Install a seccomp program, eight bytes an instruction."""
    held = ctypes.create_string_buffer(program, len(program))
    loaded = _Filter(len(program) // 8, ctypes.addressof(held))
    answer = _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(loaded), 0, 0)
    _checked(answer, "seccomp")
