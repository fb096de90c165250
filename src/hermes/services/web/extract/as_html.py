"""An article in plain HTML, from the tags of its extraction."""

from __future__ import annotations

from typing import Any

import lxml.etree

from hermes.services.web.extract.blocks import marked

_NAMES = {"head": "h2", "list": "ul", "item": "li", "quote": "blockquote", "row": "tr",
          "cell": "td", "lb": "br", "graphic": "img", "del": "s"}  # fmt: skip
_LOOKS = {"#b": "b", "#i": "i", "#t": "code", "#sup": "sup", "#sub": "sub", "#u": "u"}


def as_html(extracted: Any) -> str:
    """Return the body of an extraction as HTML."""
    body = lxml.etree.fromstring(lxml.etree.tostring(extracted))
    for each in [*body.iter(lxml.etree.Element)]:
        is_block = each.tag == "code" and (found := marked(each.text or ""))
        each.tag = _name(each)
        for own in ("rend", "role"):
            each.attrib.pop(own, None)
        if is_block and found:
            _write_code(each, *found)
    body.tag = "article"
    return str(lxml.etree.tostring(body, encoding="unicode", method="html"))


def _name(element: Any) -> str:
    """Return the tag that pages have for one of the extraction's."""
    rend, tag = element.get("rend") or "", str(element.tag)
    if tag == "hi":
        return _LOOKS.get(rend, "span")
    if (tag == "head" and rend.startswith("h")) or (tag == "list" and rend == "ol"):
        return rend
    if tag == "cell" and element.get("role") == "head":
        return "th"
    return _NAMES.get(tag, tag)


def _write_code(element: Any, language: str, text: str) -> None:
    """Make an element a block of code, and the one around it nothing more than that."""
    parent = element.getparent()
    if parent is not None and parent.tag == "code" and len(parent) == 1:
        parent.remove(element)
        element = parent
    element.tag, element.text = "pre", None
    code = lxml.etree.SubElement(element, "code")
    code.text = f"{text}\n"
    if language:
        code.set("class", f"language-{language}")
