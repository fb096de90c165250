"""Names in archives: where they may lead, and where not."""

from __future__ import annotations

from hermes.services.files.archives import Limits, unsafe
from hermes.services.files.merging import shown

_LONGEST_PART = 255


def safe_name(name: str, limits: Limits) -> str:
    """Return a name as a plain path below the destination; ``""`` is the destination itself.

    Raises:
        ToolError: it leads elsewhere, or no file can have it.
    """
    said = shown(name[:200])
    if "\0" in name:
        raise unsafe(f"{said!r} has a NUL in its name")
    if name.startswith("/"):
        raise unsafe(f"{said!r} is an absolute name")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise unsafe(f"{said!r} leads out of the destination")
    if not parts and not name:
        raise unsafe("an entry has no name")
    if len(parts) > limits.depth:
        raise unsafe(f"{said!r} is more than {limits.depth} folders deep")
    try:
        sizes = [len(part.encode("utf-8", "surrogateescape")) for part in parts]
    except UnicodeEncodeError:
        raise unsafe(f"{name[:200]!r} is a name that no file can have") from None
    if sum(sizes) + len(sizes) > limits.name or max(sizes, default=0) > _LONGEST_PART:
        raise unsafe(f"{said!r} is a longer name than files can have")
    return "/".join(parts)


def stays_inside(name: str, target: str) -> bool:
    """Say whether a link leads to somewhere below the destination, whatever other links there are.

    Its ``..`` may only come first: from the link's own folder up they are what they say, but after
    the name of another link they could be anything.
    """
    if not target or target.startswith("/") or "\0" in target:
        return False
    parts = [part for part in target.split("/") if part not in ("", ".")]
    ups = 0
    while ups < len(parts) and parts[ups] == "..":
        ups += 1
    return ups <= name.count("/") and ".." not in parts[ups:]
