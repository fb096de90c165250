"""When to ask a service again: what it says about that."""

from __future__ import annotations

from email.utils import parsedate_to_datetime


def retry_after(header: str | None, now: float) -> float | None:
    """Return how many seconds a service asks to wait, given as a number or as a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (ValueError, OverflowError):
        return None
