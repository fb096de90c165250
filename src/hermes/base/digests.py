"""Work out the SHA-256 of long texts once, for all who want it."""

from __future__ import annotations

import hashlib
import threading


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of a text as UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class Digests:
    """What texts were found to have; who asks while another thread is at it waits for that."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, str]] = {}
        self._lock = threading.Lock()

    def of(self, text: str) -> str:
        """Return the SHA-256 of a text; the very same text is not read again."""
        with self._lock:
            known = self._known.get(id(text))
            if known is None:  # the text is kept, so that no other one gets its id
                known = self._known[id(text)] = (text, digest_of_text(text))
            return known[1]
