"""Numbers as people write them."""

from __future__ import annotations

_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB")


def size(count: float) -> str:
    """Return a number of bytes as ``512 B`` or ``7.8 GiB``."""
    if count < 1024:
        return f"{count:.0f} B"
    for unit in _UNITS:
        count /= 1024
        # 1023.95 would round to four digits before the point.
        if count < 1023.95 or unit == _UNITS[-1]:
            break
    return f"{count:.1f} {unit}"


def duration(seconds: float) -> str:
    """Return a time as its two largest parts: ``3 d 4 h``, ``12 min 5 s``."""
    left = int(seconds)
    parts: list[str] = []
    for word, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, left = divmod(left, length)
        if count or parts or word == "s":
            parts.append(f"{count} {word}")
    return " ".join(parts[:2])
