"""Which patterns may be looked for in what comes, for as long as it comes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from hermes.base.errors import InvalidArguments

_SEVERAL = 10
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_parser: Any = re._parser  # type: ignore[attr-defined]  # it has no public name


def usable(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return patterns that can be looked for in any line without taking long.

    Raises:
        InvalidArguments: one of them could take longer than anybody waits.
    """
    found = tuple(patterns)
    for pattern in found:
        if _takes_long(pattern):
            raise InvalidArguments(
                f"watch_patterns: {pattern!r} repeats what itself repeats or has choices, which "
                "can take forever",
                hint="Write it without a + or * around another one, or as plain text.",
            )
    return found


def _takes_long(pattern: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):  # of what later Pythons may read otherwise
            return _nests(_parser.parse(pattern), is_repeated=False)
    except (re.error, RecursionError, OverflowError):
        return False  # it is meant as it stands


def _nests(parts: Sequence[Any], *, is_repeated: bool) -> bool:
    """Say whether a repetition has another one, or a choice, inside it."""
    for name, value in parts:
        repeats = str(name) in _REPEATS and int(value[1]) > _SEVERAL
        if is_repeated and (repeats or str(name) == "BRANCH"):
            return True
        if any(_nests(one, is_repeated=is_repeated or repeats) for one in _inside(value)):
            return True
    return False


def _inside(value: Any) -> list[Any]:
    """Return the patterns within a part of one."""
    if isinstance(value, _parser.SubPattern):
        return [value]
    if isinstance(value, (tuple, list)):
        return [found for one in value for found in _inside(one)]
    return []
