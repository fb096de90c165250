"""The article of a page: its text without menus and advertisements, and who wrote it when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import lxml.etree
import lxml.html
import trafilatura
from html_to_markdown import ConversionOptions, LinkStyle, convert
from trafilatura.settings import Document
from trafilatura.xml import xmltotxt

from hermes.services.web.extract.as_html import as_html
from hermes.services.web.extract.blocks import finish, prepare
from hermes.services.web.extract.linked_data import Said, said_of
from hermes.services.web.selecting import parse

_SHORT = 1_000
_MUCH_MORE = 5 / 3
_EMPTY = 200
_MOST_LINKS = 100
MOST_CHARS = 5_000_000
"""How much of a page is read."""
_MOST_TAGS = 60_000
"""Beyond this, looking for the article would take minutes: such a page is told whole."""
_AROUND = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form",
           "iframe", "svg", "button", "select", "dialog")  # fmt: skip


class Link(NamedTuple):
    """Where a piece of the text leads."""

    text: str
    url: str


class Article(NamedTuple):
    """What a page says."""

    title: str
    text: str
    author: str = ""
    date: str = ""
    site: str = ""
    language: str = ""
    summary: str = ""
    links: tuple[Link, ...] = ()
    is_whole: bool = False
    """Whether it is all of the page, because no article stands out."""
    needs_scripts: bool = False
    """Whether the page is empty until its scripts ran."""


_ABOUT = ("title", "author", "date", "sitename", "description")


def read(html: str, url: str, format: str = "markdown") -> Article:
    """Return what a page says, as ``markdown``, ``text`` or ``html``."""
    html = html[:MOST_CHARS]
    is_vast = html.count("<") > _MOST_TAGS
    tree = _tree(html)
    said = said_of(tree)
    anchors = [(" ".join((each.text_content() or "").split()), each.get("href") or "")
               for each in tree.iter("a")]  # fmt: skip
    base = tree.find(".//base[@href]")
    root = urljoin(url, base.get("href")) if base is not None else url
    is_known = bool(said.date and said.title)
    if not is_vast:
        prepare(tree)
    document = None if is_vast else _document(tree, url, is_known=is_known)
    text = _formed(document, format) if document else ""
    is_whole = needs_scripts = False
    if len(text) < _EMPTY:
        untouched = tree if is_vast else _tree(html)
        whole = _whole(_main(untouched) if is_vast else untouched, url, format)
        is_whole = len(whole) > 2 * len(text)
        text = whole if is_whole else text
        needs_scripts = len(text) < _EMPTY and _needs_scripts(untouched)
    return Article(
        title=_title(document, said, tree),
        text=text,
        author=(document.author if document else "") or said.author,
        date=(document.date if document else "") or said.date,
        site=(document.sitename if document else "") or said.site,
        language=(document.language if document else "") or tree.get("lang", ""),
        summary=(document.description if document else "") or said.summary,
        links=tuple(_links(anchors, root, text)),
        is_whole=is_whole,
        needs_scripts=needs_scripts,
    )


def _tree(html: str) -> Any:
    """Return the tree of a page; the extraction knows best how, but refuses what it finds odd."""
    tree = trafilatura.load_html(html)
    return parse(html) if tree is None else tree


def _document(tree: Any, url: str, *, is_known: bool) -> Document | None:
    """Return the article; the strict reading first, and where it finds little, the other one.

    Who wrote it when is looked for only if the page does not say so itself, which takes a while.
    """
    strict = _extracted(tree, url, is_strict=True, is_known=is_known)
    if strict is not None and len(strict.text or "") >= _SHORT:
        return strict
    loose = _extracted(tree, url, is_strict=False, is_known=is_known or strict is not None)
    if strict is None:
        return loose
    if loose is None or not _is_much_more(loose, strict):
        return strict
    for name in _ABOUT:  # it is the same, however strictly a page is read
        setattr(loose, name, getattr(strict, name))
    return loose


def _is_much_more(one: Document, other: Document) -> bool:
    return len(one.text or "") > _MUCH_MORE * len(other.text or "")


def _extracted(tree: Any, url: str, *, is_strict: bool, is_known: bool) -> Document | None:
    found = trafilatura.bare_extraction(
        tree,
        url=url or None,
        favor_precision=is_strict,
        include_comments=False,
        include_formatting=True,
        with_metadata=not is_known,
    )
    return found if isinstance(found, Document) else None


def _formed(document: Document, format: str) -> str:
    if document.body is None:
        return finish(document.text or "", format)
    if format == "html":
        return as_html(document.body)
    text = str(xmltotxt(document.body, include_formatting=format == "markdown"))
    return finish(text, format).strip()


def _main(tree: Any) -> Any:
    """Return the part that a page calls its main one, if there is one; else the page."""
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = tree.xpath(path)
        if len(found) == 1:
            return found[0]
    return tree


def _whole(tree: Any, url: str, format: str) -> str:
    """Return all that a page says, without its frame."""
    copy = lxml.html.document_fromstring(lxml.html.tostring(tree))
    lxml.etree.strip_elements(copy, *_AROUND, lxml.etree.Comment, with_tail=False)
    if format == "html":
        body = copy.find("body")
        return str(lxml.html.tostring(body, encoding="unicode")) if body is not None else ""
    html = lxml.html.tostring(copy, encoding="unicode")
    if format == "text":
        return "\n".join(line for line in (copy.text_content()).splitlines() if line.strip())
    options = ConversionOptions(base_url=url or None, link_style=LinkStyle.INLINE,
                                skip_images=True, extract_metadata=False)  # fmt: skip
    return str(convert(html, options).content).strip()


def _title(document: Document | None, said: Said, tree: Any) -> str:
    found = (document.title if document else "") or said.title
    if found:
        return str(found)
    title = tree.find(".//title")
    return " ".join((title.text_content() or "").split()) if title is not None else ""


def _needs_scripts(tree: Any) -> bool:
    """Say whether a page is a frame that its scripts fill."""
    if tree.find(".//script") is None:
        return False
    body = tree.find(".//body")
    body = tree if body is None else body
    seen = " ".join(
        text.strip()
        for text in body.xpath(
            ".//text()[not(ancestor::script|ancestor::style|ancestor::noscript)]"
        )
    ).strip()
    return len(seen) < _EMPTY


def _links(anchors: list[tuple[str, str]], root: str, text: str) -> Iterator[Link]:
    """Yield the links whose words stand in the text, each page once."""
    plain = " ".join(text.replace("*", "").replace("`", "").split())
    seen: set[str] = set()
    for words, href in anchors:
        if not words or href.startswith("#") or words not in plain:
            continue
        try:
            there = urljoin(root, href.strip())
            is_web = urlsplit(there).scheme in ("http", "https")
        except ValueError:
            continue
        if is_web and there not in seen:
            seen.add(there)
            yield Link(words[:200], there)
            if len(seen) >= _MOST_LINKS:
                return
