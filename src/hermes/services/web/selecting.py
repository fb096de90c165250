"""Pick values out of HTML with CSS or XPath: texts, attributes, rows of fields, tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin

import lxml.etree
import lxml.html
from cssselect import SelectorError
from lxml.cssselect import CSSSelector

from hermes.base.errors import InvalidArguments

_ADDRESSES = frozenset({"href", "src", "action", "poster", "data-src"})
_XPATH = re.compile(
    r"/|\./|\(|\.\.|(?:string|count|normalize-space|concat|boolean|not|sum|number|name|local-name"
    r"|string-length|substring|substring-before|substring-after|translate|contains|starts-with"
    r"|floor|ceiling|round)\("
)
# the attribute behind a selector; an @ within brackets or quotes is none
_ATTRIBUTE = re.compile(r"(.*)@\s*([\w:.-]+)\s*", re.DOTALL)
_AS_WRITTEN = frozenset({"script", "style", "pre", "textarea", "template", "noscript"})
_HINT = 'Write CSS like "div.price" or XPath like "//div[@id]"; "a@href" means an attribute.'
_UNSEEN = frozenset({"script", "style", "noscript", "template"})
_APART = frozenset({"br", "p", "div", "li", "tr", "td", "th", "h1", "h2", "h3", "h4", "dt", "dd"})
_MOST_SPAN = 100


def parse(text: str, base_url: str = "") -> Any:
    """Return the tree of an HTML text; whatever it is, there is one."""
    source = text.replace("\0", "").encode("utf-8", "replace")
    parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    tree = lxml.html.document_fromstring(source.strip() or b"<html></html>", parser=parser)
    if base_url:
        base = tree.find(".//base[@href]")
        tree.set("data-hermes-base", urljoin(base_url, base.get("href")) if base is not None
                 else base_url)  # fmt: skip
    return tree


def pick(tree: Any, selector: str, fields: Mapping[str, str] | None = None) -> Iterator[Any]:
    """Yield what a selector finds: with fields a row each, of a table its rows, else texts.

    Raises:
        InvalidArguments: a selector cannot be read.
    """
    base = tree.get("data-hermes-base", "")
    for found in select(tree, selector):
        if fields:
            yield {name: field(found, wanted, base) for name, wanted in fields.items()}
        elif isinstance(found, str) or not hasattr(found, "tag"):
            yield _plain(found)
        elif found.tag == "table":
            yield {"table": table(found)}
        else:
            yield _said(found)


def rows_of(
    text: str, base: str, selector: str, fields: Mapping[str, str] | None, limit: int
) -> dict[str, Any]:
    """Return the rows that a selector finds on a page; the whole number is told."""
    found = list(pick(parse(text, base), selector, fields))
    tables = [row["table"] for row in found if isinstance(row, dict) and set(row) == {"table"}]
    if tables and len(tables) == len(found) and not fields:
        found = tables[0] if len(tables) == 1 else [{"rows": rows} for rows in tables]
    answer: dict[str, Any] = {"rows": found[:limit], "count": len(found)}
    if len(found) > limit:
        answer["truncated"] = True
    if not found:
        answer["note"] = "Nothing on the page fits the selector."
    if base:
        answer["url"] = base
    return answer


def select(node: Any, selector: str) -> list[Any]:
    """Return what a selector finds beneath a node: elements, or strings of attributes."""
    is_xpath = _XPATH.match(selector)
    css, attribute = (selector, "") if is_xpath else _split(selector)
    try:
        if is_xpath:
            found = node.xpath(selector)
            return found if isinstance(found, list) else [found]
        found = CSSSelector(css.strip(), translator="html")(node) if css.strip() else [node]
    except (SelectorError, lxml.etree.XPathError) as error:
        raise InvalidArguments(f"{selector!r} cannot be read: {error}", hint=_HINT) from None
    if attribute:  # a parser of HTML writes all of them small
        values = (each.get(attribute) or each.get(attribute.lower()) for each in found)
        return [value for value in values if value]
    return list(found)


def _split(selector: str) -> tuple[str, str]:
    """Return a selector and the attribute that is wanted of what it finds, if one is."""
    named = _ATTRIBUTE.fullmatch(selector)
    if named and named[1].count("[") == named[1].count("]"):
        return named[1], named[2]
    return selector.rstrip().removesuffix("@"), ""


def field(node: Any, wanted: str, base: str) -> Any:
    """Return one field of a row: its text, an attribute, or None; several when it ends in []."""
    many = wanted.endswith("[]")
    selector = wanted.removesuffix("[]")
    values = [_value(each, selector, base) for each in select(node, selector)]
    return values if many else (values[0] if values else None)


def _value(found: Any, selector: str, base: str) -> Any:
    if not hasattr(found, "tag"):
        name = selector.rpartition("@")[2].strip()
        return urljoin(base, str(found)) if base and name in _ADDRESSES else found
    return table(found) if found.tag == "table" else _said(found)


def _plain(found: Any) -> Any:
    """Return what an XPath works out: a text, a truth, a number, or None for no number."""
    if isinstance(found, float):
        return (int(found) if found.is_integer() else found) if math.isfinite(found) else None
    return found if isinstance(found, (str, bool)) else str(found)


def _said(node: Any) -> str:
    """Return the words of what was asked for itself: code and scripts as they were written."""
    if node.tag in _AS_WRITTEN:
        return str(node.text_content() or "").strip("\r\n")
    return text_of(node)


def text_of(node: Any) -> str:
    """Return the words of an element as they are seen: spaces joined, unseen parts left out."""
    parts: list[str] = []
    waiting: list[Any] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            parts.append(each)
            continue
        if isinstance(each.tag, str) and each.tag not in _UNSEEN:
            if each.tag in _APART:
                parts.append(" ")
            parts.append(each.text or "")
            for child in reversed(each):
                waiting += (child.tail or "", child)
    return " ".join("".join(parts).split())


def table(node: Any) -> list[Any]:
    """Return a table's rows: by the words of its head when it has one, else as lists."""
    found = [(_cells(row), _is_head(row)) for row in node.iter("tr") if _owner(row) is node]
    rows = [row for row in _spread(found) if row[0]]
    if not rows:
        return []
    (first, is_head), *others = rows
    if not is_head or not others:
        return [cells for cells, _ in rows]
    names = _unique(first)
    return [
        dict(zip(names, [*cells, *[""] * (len(names) - len(cells))], strict=False))
        for cells, _ in others
    ]


def _owner(row: Any) -> Any:
    return next(row.iterancestors("table"), None)


def _is_head(row: Any) -> bool:
    cells = [each for each in row if each.tag in ("td", "th")]
    return bool(cells) and (
        all(each.tag == "th" for each in cells) or row.getparent().tag == "thead"
    )


Cell = tuple[str, int, int]


def _cells(row: Any) -> list[Cell]:
    return [
        (text_of(each), _span(each, "colspan"), _span(each, "rowspan"))
        for each in row
        if each.tag in ("td", "th")
    ]


def _span(cell: Any, name: str) -> int:
    text = (cell.get(name) or "1").strip()
    return min(max(int(text), 1), _MOST_SPAN) if text.isdecimal() else 1


def _spread(rows: list[tuple[list[Cell], bool]]) -> Iterator[tuple[list[str], bool]]:
    """Yield rows with cells that span several columns or rows written into each."""
    hanging: dict[int, tuple[str, int]] = {}
    for cells, is_head in rows:
        line: list[str] = []
        waiting = list(cells)
        while waiting or any(place >= len(line) for place in hanging):
            place = len(line)
            if place in hanging:
                text, left = hanging.pop(place)
                line.append(text)
                if left > 1:
                    hanging[place] = (text, left - 1)
            elif waiting:
                text, wide, high = waiting.pop(0)
                for offset in range(wide):
                    if high > 1:
                        hanging[place + offset] = (text, high - 1)
                    line.append(text)
            else:
                line.append("")
        hanging = {place: left for place, left in hanging.items() if left[1] > 0}
        yield line, is_head


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    found = []
    for number, name in enumerate(names, 1):
        key = name or f"column {number}"
        seen[key] = seen.get(key, 0) + 1
        found.append(key if seen[key] == 1 else f"{key} {seen[key]}")
    return found
