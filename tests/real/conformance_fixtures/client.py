"""A client for the conformance suite: client.py FOLDER ADDRESS.

The suite starts one for each scenario, all at once. They take turns, by locks in the folder, so
that a small machine has a little left for other tests.
"""

import fcntl
import itertools
import sys
import time
from contextlib import contextmanager
from pathlib import Path

AT_ONCE = 2


@contextmanager
def turn(folder):
    for number in itertools.cycle(range(AT_ONCE)):
        with (Path(folder) / f"turn-{number}").open("w") as slot:
            try:
                fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.05)
                continue
            yield
            return


if __name__ == "__main__":
    with turn(sys.argv[1]):
        from client_story import run  # loads much, so not before it is our turn

        run(sys.argv[2])
