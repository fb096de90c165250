"""Read the reporters, to be handed to whoever runs them."""

from __future__ import annotations

import functools
import re
from pathlib import Path

_FUTURE = "from __future__ import annotations"
_OURS = re.compile(r"^from hermes\..*$", re.MULTILINE)


@functools.cache
def source(name: str) -> str:
    """Return the text of a reporter."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@functools.cache
def python_source(name: str) -> str:
    """Return the text of a reporter of Python, together with what measures coverage."""
    texts = [_OURS.sub("", source(each)).replace(_FUTURE, "") for each in ("measuring.py", name)]
    return "\n".join((_FUTURE, *texts))
