"""Archives: packed, unpacked and listed as streams, and never trusted in what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from hermes.base.errors import ToolError

Format = Literal["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"]
MemberKind = Literal["file", "folder", "link", "twin", "other"]
PART = 1 << 18


class Limits(NamedTuple):
    """How much an archive may unpack to; counted while it is unpacked, whatever it says itself."""

    entries: int = 200_000
    bytes: int = 8 << 30
    ratio: int = 250
    """How many times its own size, once it is more than ``ratio_from``."""
    ratio_from: int = 100 << 20
    depth: int = 64
    """Folders in a name."""
    name: int = 4_096
    """Bytes of a name."""


class Member(NamedTuple):
    """One thing in an archive."""

    name: str
    """As the archive has it."""
    kind: MemberKind
    size: int
    mode: int | None
    modified_ns: int | None
    target: str
    """Where a link points, or whose twin it is."""
    parts: Callable[[], Iterator[bytes]]
    """What a file holds; to be taken before the next member."""


def damaged(what: str) -> ToolError:
    """Return the error for an archive that cannot be read to its end."""
    return ToolError(
        f"the archive is damaged: {what}",
        code="damaged_archive",
        hint="It may be cut off, or something else by its content. Get it again.",
    )


def unsafe(what: str) -> ToolError:
    """Return the error for an archive that wants what it may not."""
    return ToolError(f"{what}; nothing was unpacked", code="unsafe_archive")


def too_much(what: str) -> ToolError:
    """Return the error for an archive that is larger than allowed."""
    return ToolError(f"the archive {what}; it was not unpacked further", code="archive_too_large")
