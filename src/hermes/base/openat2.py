"""Call openat2, which opens a path that cannot leave its folder; the kernel itself sees to it."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import sys

_NUMBER = 437  # the same on every architecture
_NO_MAGICLINKS = 0x02
_BENEATH = 0x08


class _How(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


@functools.cache
def _system_call() -> ctypes._NamedFuncPointer:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(_How),
        ctypes.c_size_t,
    )
    return call


@functools.cache
def has_openat2() -> bool:
    """Say whether this kernel knows the call, and no filter forbids it."""
    if sys.platform != "linux":
        return False
    try:
        os.close(open_below(-100, ".", os.O_PATH | os.O_CLOEXEC))  # -100: the current folder
    except OSError as error:
        return error.errno not in {errno.ENOSYS, errno.EPERM, errno.EINVAL}
    return True


def open_below(folder: int, path: str, flags: int, mode: int = 0) -> int:
    """Open a path below a folder's descriptor; EXDEV when it, or a link on its way, leads out."""
    how = _How(flags, mode, _BENEATH | _NO_MAGICLINKS)
    descriptor = _system_call()(
        _NUMBER, folder, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how)
    )
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), path)
    return int(descriptor)
