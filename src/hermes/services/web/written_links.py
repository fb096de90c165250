"""The links that a file holds: Markdown, HTML or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.services.web.addresses import Found, outline
from hermes.services.web.selecting import parse, text_of

_PAGES = (".html", ".htm", ".xhtml")
_MARKDOWN = (".md", ".markdown", ".mdx")
_SITE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_INLINE = re.compile(
    r"\[([^\]\n]{0,300})\]\(\s*(?:<([^>\n]+)>|((?:[^()\s]|\([^()\s]*\))+))(?:\s+[\"'(][^)]*)?\)"
)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_DEFINED = re.compile(
    r"^[ ]{0,3}\[([^\]\n]+)\]:[ \t]*<?(\S+?)>?(?:[ \t]+[\"'(].*)?[ \t]*$", re.MULTILINE
)
_BARE = re.compile(r"https?://[^\s<>\"'`)\]}]+")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def links_in(text: str, name: str) -> list[Found]:
    """Return the links that a text holds, in its order, each once."""
    if name.lower().endswith(_PAGES):
        found: Iterator[Found] = iter(outline(text, "").links)
    else:
        found = _written(_without_code(text))
    return list(dict.fromkeys(found))


def links_beside(text: str, name: str) -> list[Found]:
    """Return the links of a text that name no site: files beside it and its own headings."""
    if name.lower().endswith(_PAGES):
        found = [Found(href, text_of(each)[:100]) for each in parse(text).iter("a", "area", "img")
                 if (href := each.get("href") or each.get("src"))]  # fmt: skip
    elif name.lower().endswith(_MARKDOWN):
        found = [Found(url, words) for url, words in _named(_without_code(text))]
    else:
        return []
    return [each for each in dict.fromkeys(found) if not _SITE.match(each.url)]


def _without_code(text: str) -> str:
    return _CODE.sub("", _FENCE.sub("", text))


def _named(text: str) -> Iterator[tuple[str, str]]:
    for match in _INLINE.finditer(text):
        yield match[2] or match[3], match[1][:100]
    for match in _DEFINED.finditer(text):
        yield match[2], match[1][:100]


def _written(text: str) -> Iterator[Found]:
    for url, words in _named(text):
        if url.startswith(("http://", "https://")):
            yield Found(url, words)
    plain = _DEFINED.sub("", _INLINE.sub("", text))
    for match in _BARE.finditer(plain):
        yield Found(match[0].rstrip(".,;:!?*_"))
