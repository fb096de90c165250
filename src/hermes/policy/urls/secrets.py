"""Find a credential that an address would carry away."""

from __future__ import annotations

import re
from urllib.parse import unquote

from hermes.base.optional import load

_LONG_WORD = re.compile(r"[\w-]{16}", re.ASCII)
_HANDED_OUT = frozenset({"jwt", "google key"})
"""What services write into the links that they give to everybody."""


def secret_in(url: str) -> str | None:
    """Return what kind of credential an address holds; None when it holds none.

    A link that a store signed names the key that signed it, which is no secret.
    """
    text = unquote(url)
    if not _LONG_WORD.search(text) or "X-Amz-Signature=" in text:
        return None
    found: str | None = load("hermes.base.credentials").kind_of_credential(text, but=_HANDED_OUT)
    return found
