"""Times and durations as people write and read them."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from hermes.cli.command import Usage

_AGE = re.compile(r"(\d+)\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def moment(since: str | None) -> float | None:
    """Return the wall-clock time of ``10m`` (ago) or of an ISO date.

    Raises:
        Usage: the text is neither.
    """
    if since is None:
        return None
    age = _AGE.fullmatch(since.strip())
    if age:
        return time.time() - int(age[1]) * _SECONDS[age[2]]
    try:
        return datetime.fromisoformat(since).astimezone().timestamp()
    except (ValueError, OverflowError):
        raise Usage(
            f"--since takes an age or a time, not {since!r}",
            hint="Write 30s, 10m, 2h, 1d, or 2030-01-31T12:00.",
        ) from None


def local(stamp: float) -> datetime:
    """Return a moment in this machine's time zone."""
    return datetime.fromtimestamp(stamp, tz=UTC).astimezone()


def clock(when: datetime, now: datetime) -> str:
    """Return a moment in few characters: the time today, the day this year, or the date."""
    if when.date() == now.date():
        return f"{when:%H:%M:%S}"
    return f"{when:%b %d %H:%M}" if when.year == now.year else f"{when:%Y-%m-%d}"


def took(seconds: float | None) -> str:
    """Return a duration with the precision that a person cares for."""
    if seconds is None:
        return ""
    if seconds < 0.9995:
        return f"{seconds * 1000:.1f} ms" if seconds < 0.00995 else f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
