"""Give a file a name that nothing has yet, in one step and without a second name meanwhile."""

from __future__ import annotations

import ctypes
import errno
import functools
import os

_NO_REPLACE = 1
_UNKNOWN = frozenset({errno.ENOSYS, errno.EINVAL, errno.EPERM})


@functools.cache
def _system_call() -> ctypes._NamedFuncPointer | None:
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is not None:
        call.argtypes = (
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_uint,
        )
    return call


def rename_new(folder: int, name: str, wanted: str) -> None:
    """Rename a file within a folder's descriptor.

    Raises:
        FileExistsError: something has that name.
        OSError: it cannot be renamed.
    """
    call = _system_call()
    if call is not None:
        if call(folder, os.fsencode(name), folder, os.fsencode(wanted), _NO_REPLACE) == 0:
            return
        code = ctypes.get_errno()
        if code not in _UNKNOWN:
            raise OSError(code, os.strerror(code), wanted)
    os.link(name, wanted, src_dir_fd=folder, dst_dir_fd=folder)  # not every file system knows it
    os.unlink(name, dir_fd=folder)
