"""Swap two names in a folder without pause until standard input closes, then say how often.

Usage: swapping_child.py FOLDER ONE OTHER
"""

from __future__ import annotations

import ctypes
import os
import select
import sys

EXCHANGE = 2  # RENAME_EXCHANGE: both names are there at every moment


def main() -> None:
    folder = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
    one, other = (name.encode() for name in sys.argv[2:])
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    swaps = 0
    print("ready", flush=True)
    while True:
        for _ in range(500):
            if exchange(folder, one, folder, other, EXCHANGE):
                raise OSError(ctypes.get_errno(), "cannot swap")
        swaps += 500
        if select.select([sys.stdin], [], [], 0)[0]:
            break
    print(swaps, flush=True)


main()
