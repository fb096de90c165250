"""How much power a call needs beyond its box, by what was found that it does; pure."""

from __future__ import annotations

from typing import NamedTuple

from hermes.policy.need import Deed

_OUTSIDE = frozenset(
    {
        "privilege", "service", "process", "disk", "infrastructure", "publish", "exfiltration",
        "database", "persistence",
    }
)  # fmt: skip
"""Dangers that lie outside of any box: whoever was allowed them cannot do them inside one."""
_UNKNOWN = "\ufffc"


class Needed(NamedTuple):
    """What was judged and let pass, and what a box would stop."""

    writable: tuple[str, ...] = ()
    """Paths as the command names them, patterns cut off; some may not be there yet."""
    is_outside: bool = False


def needed(deed: Deed | None) -> Needed:
    """Return the power that a call was found to need, whoever allowed it."""
    if deed is None:
        return Needed()
    paths: dict[str, None] = {}
    for need in deed.needs:
        if need.kind == "path" and need.permission in ("file:write", "file:delete"):
            path = _fixed(need.subject)
            is_gone = need.permission == "file:delete"  # which changes the folder it is in
            paths[path.rpartition("/")[0] or "/" if is_gone else path] = None
    is_outside = any(finding.category in _OUTSIDE for finding in deed.findings)
    return Needed(tuple(filter(None, paths)), is_outside)


def _fixed(path: str) -> str:
    """Return the part of a path that is known: up to the first pattern."""
    for at, char in enumerate(path):
        if char in "*?[" or char == _UNKNOWN:
            return path[:at].rpartition("/")[0]
    return path
