"""Remember what was found out about a path by its text alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LONGEST = 4_096
"""How long a path can be."""
_MOST = 1_024


def remembered(judge: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Remember what a function of a path's text gave lately, unless that is too long for a path.

    One call judges a path several times and a task works on the same files again and again. What
    is on the disk must play no part in it.
    """
    lately = functools.lru_cache(maxsize=_MOST)(judge)

    @functools.wraps(judge)
    def recall(path: str, /, *rest: P.args, **options: P.kwargs) -> T:
        if len(path) > LONGEST:
            return judge(path, *rest, **options)
        return lately(path, *rest, **options)  # type: ignore[arg-type]  # all of it can be hashed

    return recall
