"""Have changes of one file wait for each other, so that none is made on what another replaces."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator

_LOOK_SECONDS = 0.1


class Turns:
    """Which files are being changed, by whichever task of this process."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._freed = threading.Condition()

    @contextlib.contextmanager
    def of(self, paths: Iterable[str], check_wanted: Callable[[], None]) -> Iterator[None]:
        """Hold files while they are read and written; while waiting, see that it is still wanted.

        All of them are taken at once, so that nobody waits for one while holding another.
        """
        wanted = set(paths)
        with self._freed:
            while not self._freed.wait_for(
                lambda: wanted.isdisjoint(self._taken), timeout=_LOOK_SECONDS
            ):
                check_wanted()
            self._taken |= wanted
        try:
            yield
        finally:
            with self._freed:
                self._taken -= wanted
                self._freed.notify_all()
