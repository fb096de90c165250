"""Standard input and output, kept for the protocol alone."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

_STANDARD = 3


@contextlib.contextmanager
def own_streams() -> Iterator[tuple[int, int]]:
    """Keep standard input and output for the protocol alone.

    Yields the descriptors to read from and write to. Meanwhile whoever reads standard input finds
    nothing, and whatever is printed goes to standard error.
    """
    kept = [_moved(descriptor) for descriptor in (0, 1)]
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield kept[0], kept[1]
    finally:
        sys.stdout.flush()
        for descriptor, own in enumerate(kept):
            with contextlib.suppress(OSError):
                os.set_blocking(own, True)
            os.dup2(own, descriptor)
            os.close(own)


def _moved(descriptor: int) -> int:
    """Return a copy of a descriptor, beyond the standard ones and not for children."""
    copies = []
    while True:
        copy = os.dup(descriptor)
        if copy >= _STANDARD:
            break
        copies.append(copy)
    for low in copies:
        os.close(low)
    return copy
