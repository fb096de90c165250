"""The links that a file holds: Markdown, HTML or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.services.web.addresses import Found, outline

_INLINE = re.compile(r"\[([^\]\n]{0,300})\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'(][^)]*)?\)")
_DEFINED = re.compile(r"^\s{0,3}\[([^\]\n]+)\]:\s*<?(\S+?)>?\s*$", re.MULTILINE)
_BARE = re.compile(r"https?://[^\s<>\"'`)\]}]+")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def links_in(text: str, name: str) -> list[Found]:
    """Return the links that a text holds, in its order, each once."""
    if name.lower().endswith((".html", ".htm", ".xhtml")):
        found: Iterator[Found] = iter(outline(text, "").links)
    else:
        found = _written(_FENCE.sub("", text))
    return list(dict.fromkeys(found))


def _written(text: str) -> Iterator[Found]:
    for pattern in (_INLINE, _DEFINED):
        for match in pattern.finditer(text):
            if match[2].startswith(("http://", "https://")):
                yield Found(match[2], match[1][:100])
    plain = _DEFINED.sub("", _INLINE.sub("", text))
    for match in _BARE.finditer(plain):
        yield Found(match[0].rstrip(".,;:!?*_"))
