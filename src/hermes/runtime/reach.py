"""What requests of tools may reach; the runtime is handed what the user's settings say."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hermes.base.resolving import Resolve, resolved


class Reach(NamedTuple):
    """Which addresses a request may go to, and who says what a name stands for."""

    allows_private: bool = False
    """Whether addresses of this machine and of private networks are open."""
    own: Callable[[], frozenset[str]] = frozenset
    """Gives this machine's own addresses."""
    resolve: Resolve = resolved
