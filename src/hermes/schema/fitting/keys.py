"""Find the argument a model meant by a key the schema does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "path filepath filename file",
        "command cmd",
        "url uri link href",
        "query q searchquery searchterm searchtext",
        "content contents text",
        "directory dir folder",
        "workdir cwd workingdirectory workingdir",
        "timeout timeoutseconds timeoutsecs timeoutsec",
        "limit maxresults numresults maxitems maxcount",
        "message msg",
        "description desc",
        "language lang",
        "pattern regex regexp",
        "oldstring oldstr oldtext",
        "newstring newstr newtext",
        "recursive recurse",
        "code sourcecode",
        "prompt instruction instructions",
        "arguments args",
        "parameters params",
        "environment env",
        "destination dest target",
        "seconds secs",
        "headers header",
        "body data payload requestbody",
        "saveto savepath outputpath outputfile",
    )
)


def renames(
    unknown: Iterable[str], free: Collection[str], properties: Collection[str]
) -> dict[str, str]:
    """Map unknown keys to the free properties they can only mean, surest kind of likeness first.

    ``free`` are the properties without a value; ``properties`` all of the schema. A key or a
    property that could be part of two pairs is in none.
    """
    keys, targets = list(unknown), set(free)
    sure: tuple[Callable[[str, str], bool], ...] = (
        lambda key, name: fold(key) == fold(name),
        lambda key, name: _synonymous(fold(key), fold(name), properties),
    )
    found: dict[str, str] = {}
    for alike in sure:
        pairs = _only_pairs(keys, targets, alike)
        found |= pairs
        keys = [key for key in keys if key not in pairs]
        targets -= set(pairs.values())
    return found


def near_misses(unknown: Iterable[str], free: Collection[str]) -> dict[str, str]:
    """Map unknown keys to the free property that is one typing slip away, where only one is."""
    return _only_pairs(list(unknown), set(free), lambda key, name: _one_slip(fold(key), fold(name)))


def fold(key: str) -> str:
    """Return a key without case, dashes, underscores, dots and spaces."""
    return re.sub(r"[-_.\s]+", "", key[:100]).lower()


def _only_pairs(
    keys: list[str], targets: set[str], alike: Callable[[str, str], bool]
) -> dict[str, str]:
    pairs = [(key, name) for key in keys for name in targets if alike(key, name)]
    return {
        key: name
        for key, name in pairs
        if sum(key == other for other, _ in pairs) == 1
        and sum(name == other for _, other in pairs) == 1
    }


def _synonymous(key: str, name: str, properties: Collection[str]) -> bool:
    for group in SYNONYMS:
        if key in group and name in group:
            return sum(fold(other) in group for other in properties) == 1
    return False


def _one_slip(one: str, other: str) -> bool:
    """Tell whether they differ by one letter: added, lost, changed, or swapped with the next."""
    if min(len(one), len(other)) < 3 or max(len(one), len(other)) < 4 or one[0] != other[0]:
        return False
    if len(one) == len(other):
        differing = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        if len(differing) == 1:
            return True
        if len(differing) != 2 or differing[1] != differing[0] + 1:
            return False
        first, second = differing
        return one[first] == other[second] and one[second] == other[first]
    short, long = sorted((one, other), key=len)
    return len(long) - len(short) == 1 and any(
        long[:n] + long[n + 1 :] == short for n in range(len(long))
    )
