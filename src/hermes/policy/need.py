"""What a call would do, in the words that profiles judge: permissions with their subjects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes.policy.verdict import Finding

if TYPE_CHECKING:
    from hermes.policy.paths import Places

SubjectKind = Literal["", "path", "command", "host", "url", "later"]
Words = tuple[str, ...]


class Need(NamedTuple):
    """One permission that a call needs, and what for."""

    permission: str
    """Empty for a subject that is looked at although the tool declares no permission for it."""
    subject: str = ""
    kind: SubjectKind = ""
    """``later`` for addresses that are judged one by one when the call comes to them."""
    finding: Finding | None = None
    """What makes it a danger; the permission is then ``danger:<category>``."""
    commands: tuple[Words, ...] = ()
    """For a command: every simple command in it, as its words."""
    is_understood: bool = True
    is_found: bool = False
    """Whether it was found out by reading a command, and not named in an argument."""


def plain_needs(permissions: Iterable[str], declared: Mapping[str, str] | None) -> tuple[Need, ...]:
    """Return the needs that no argument belongs to."""
    is_judged_later = declared is not None and declared.get("*") == "url"
    return tuple(
        Need(name, kind="later" if is_judged_later and name.startswith("network:") else "")
        for name in permissions
    )


class Deed(NamedTuple):
    """Everything about one call that rules look at."""

    tool: tuple[str, ...] = ()
    """The tool's name and its aliases."""
    needs: tuple[Need, ...] = ()
    findings: tuple[Finding, ...] = ()
    arguments: Mapping[str, Any] = {}
    places: Places | None = None
    """Where things are; None when no rule has to know."""
    allows_private: bool = False
    """Whether addresses of this machine and of private networks are open."""
