"""Read the reporters, to be handed to whoever runs them."""

from __future__ import annotations

import functools
from pathlib import Path


@functools.cache
def source(name: str) -> str:
    """Return the text of a reporter."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
