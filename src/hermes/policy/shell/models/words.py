"""Read a list of words from a text, so that a table stays a table."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in order."""
    return tuple(text.split())
