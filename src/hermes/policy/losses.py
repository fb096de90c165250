"""Say whether a command could lose something of a workspace; pure."""

from __future__ import annotations

from hermes.policy.need import Deed, Need
from hermes.policy.paths.regenerable import is_rebuilt

_LOSING = frozenset(
    {"delete", "overwrite", "opaque", "obfuscation", "history-rewrite", "network-exec", "disk"}
)
"""Kinds of dangers that can cost what a workspace holds."""
_CHANGING = frozenset({"file:write", "file:delete"})


def may_lose(deed: Deed | None, workspace: str) -> bool:
    """Say whether a command deletes or overwrites in a workspace, or cannot be understood."""
    if deed is None or any(finding.category in _LOSING for finding in deed.findings):
        return True
    return any(_loses(need, workspace) for need in deed.needs)


def _loses(need: Need, workspace: str) -> bool:
    if need.kind == "command":
        return not need.is_understood
    if need.kind != "path" or need.permission not in _CHANGING:
        return False
    is_around = f"{workspace}/".startswith(f"{need.subject.rstrip('/')}/")
    if not is_around and not need.subject.startswith(f"{workspace}/"):
        return False
    below = need.subject.removeprefix(f"{workspace}/")
    return is_around or not any(map(is_rebuilt, below.split("/")))
