"""Keep the database out of forks: a child must inherit neither a handle nor half a transaction.

SQLite keeps its locks per process. A child that inherits an open handle believes that it holds
its parent's locks, or that somebody always will.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from types import TracebackType

_FORK_WAITS_SECONDS = 1.0
_WORK_WAITS_SECONDS = 10.0


class ForkGuard:
    """Hold this while you work with the database; a fork waits for you, but not for long.

    ``before`` lets go of what a child must not inherit; ``in_child`` makes a new start there.
    """

    def __init__(self, before: Callable[[], None], in_child: Callable[[], None]) -> None:
        self._before = weakref.WeakMethod(before)
        self._in_child = weakref.WeakMethod(in_child)
        self._reset()
        _watch(weakref.ref(self))

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._workers = 0
        self._forking: int | None = None

    def __enter__(self) -> None:
        """Wait while somebody forks."""
        with self._changed:
            self._changed.wait_for(lambda: self._forking is None, _WORK_WAITS_SECONDS)
            self._workers += 1

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Let forks happen again."""
        with self._changed:
            self._workers -= 1
            self._changed.notify_all()

    def hold(self) -> None:
        """Wait until nobody works, and keep it so until the fork is over."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._forking is None, _FORK_WAITS_SECONDS):
                return
            self._forking = threading.get_ident()
            is_quiet = self._changed.wait_for(lambda: not self._workers, _FORK_WAITS_SECONDS)
        before = self._before()
        if is_quiet and before is not None:
            before()

    def go_on(self) -> None:
        """Let the work of the parent go on."""
        with self._changed:
            if self._forking == threading.get_ident():
                self._forking = None
                self._changed.notify_all()

    def start_over(self) -> None:
        """Forget whoever worked: other threads do not live on in a child."""
        self._reset()
        in_child = self._in_child()
        if in_child is not None:
            in_child()


def _watch(guard: weakref.ref[ForkGuard]) -> None:
    """Register a guard; that lasts as long as the process, so it must not keep the guard alive."""

    def tell(act: Callable[[ForkGuard], None]) -> None:
        if (alive := guard()) is not None:
            act(alive)

    os.register_at_fork(
        before=lambda: tell(ForkGuard.hold),
        after_in_parent=lambda: tell(ForkGuard.go_on),
        after_in_child=lambda: tell(ForkGuard.start_over),
    )
