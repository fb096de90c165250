"""Code and tables of an article: kept through the extraction, and written as Markdown has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import lxml.html

_MARK = "\u2e3b"
"""Begins the first line of code on its way through the extraction, before the language."""
_BLANK = "\u2424"
"""Has the extraction keep a line that is empty."""
_CLASS = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|brush: ?)([\w+#.-]+)"
)
_NO_LANGUAGE = frozenset({"default", "none", "notranslate", "nohighlight", "plaintext", "text",
                          "source", "block", "wrapper", "plain"})  # fmt: skip
_CODE = re.compile(
    rf"^(?P<before>[^\n]*?)(?P<fence>`{{3,}})\n{_MARK}(?P<language>[^\n]*)\n"
    r"(?P<body>.*?)\n(?P=fence)\n?",
    re.MULTILINE | re.DOTALL,
)
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
_MARKED_LINE = re.compile(rf"^ *{_MARK}[^\n]*\n?", re.MULTILINE)
_RULE = re.compile(r"\|(?:-{3,}\|)+")
_BAR = re.compile(r"(?<!\\)\|")


def prepare(tree: Any) -> None:
    """Write the code and the tables of a page in a way that its extraction does not spoil."""
    for table in [each for each in tree.iter("table") if _is_frame(each)]:
        _unframe(table, [each for each in table.iter("pre") if not _is_numbers(each)])
    for each in [*tree.iter("pre")]:
        if not any(above.tag == "pre" for above in each.iterancestors()):
            _flatten(each)
    for each in [*tree.iter("caption")]:
        _put_before(each)


def finish(text: str, format: str) -> str:
    """Return an extracted text with its code and tables in order."""
    if format != "markdown":
        return _MARKED_LINE.sub("", text)
    written = _CODE.sub(_fenced, text) if _MARK in text else text
    written = _MARKED_LINE.sub("", written) if _MARK in written else written
    return "\n".join(_with_tables(written.split("\n"))) if "\n|" in f"\n{written}" else written


def marked(text: str) -> tuple[str, str] | None:
    """Return the language and the text of marked code, or None if it is not marked."""
    first, _, body = text.partition("\n")
    return (first[1:], body.replace(_BLANK, "")) if first.startswith(_MARK) else None


def _is_frame(table: Any) -> bool:
    """Say whether a table is only there to set code beside the numbers of its lines."""
    if table.find(".//pre") is None:
        return False
    beside = table.xpath(".//text()[not(ancestor::pre)]")
    return not any(each.strip() for each in beside)


def _is_numbers(pre: Any) -> bool:
    return not (pre.text_content() or "").strip(" \t\r\n0123456789")


def _unframe(table: Any, blocks: list[Any]) -> None:
    """Put what a table holds into its place."""
    if not blocks or table.getparent() is None:
        return
    for each in blocks:
        each.getparent().remove(each)
        each.tail = "\n"
        table.addprevious(each)
    table.drop_tree()


def _flatten(pre: Any) -> None:
    """Make a block of code one text, with its language and its blank lines marked."""
    language = _language(pre)
    for each in [*pre.iter("br")]:
        each.tail = f"\n{each.tail or ''}"
    text = (pre.text_content() or "").replace("\r\n", "\n").strip("\n").rstrip()
    if not text:
        return
    tail = pre.tail
    pre.clear()
    pre.tail = tail
    code = lxml.html.Element("code")
    code.text = f"{_MARK}{language}\n" + re.sub(r"\n(?=[ \t]*\n)", f"\n{_BLANK}", text)
    pre.append(code)


def _language(pre: Any) -> str:
    """Return the language of a block of code, as its class or that of its frame says."""
    around = list(pre.iterancestors("div", "figure", "td"))[:2]
    for each in (*pre.iter("code"), pre, *around):
        for found in _CLASS.finditer(each.get("class") or ""):
            name = found[1].lower()
            if name not in _NO_LANGUAGE:
                return name
    return ""


def _put_before(caption: Any) -> None:
    """Put the caption of a table before it; the extraction takes it for its first row."""
    table = next(caption.iterancestors("table"), None)
    if table is None or table.getparent() is None:
        return
    caption.drop_tree()
    caption.tag, caption.tail = "p", None
    table.addprevious(caption)


def _fenced(match: re.Match[str]) -> str:
    before, fence, language, body = match.group("before", "fence", "language", "body")
    item = _ITEM.match(before)
    margin = " " * len(item[0]) if item else ""
    lines = [f"{fence}{language.strip()}", *body.split("\n"), fence]
    block = "\n".join(f"{margin}{line}".rstrip() for line in lines)
    return f"{before.rstrip()}\n{block}\n" if before.strip() else f"{block}\n\n"


def _with_tables(lines: list[str]) -> Iterator[str]:
    """Yield lines, each table with one head and the rule under it."""
    table: list[str] = []
    fence = ""
    for line in lines:
        opening = re.match(r" *(`{3,})", line)
        if opening and not fence:
            fence = opening[1]
        elif fence and line.strip() == fence:
            fence = ""
        row = line.rstrip()
        if not fence and row.startswith("|") and row.endswith("|") and len(row) > 1:
            table.append(row)
            continue
        yield from _ruled(table)
        table = []
        yield line
    yield from _ruled(table)


def _ruled(table: list[str]) -> list[str]:
    rows = [row for row in table if not _RULE.fullmatch(row)]
    if not rows:
        return []
    columns = len(_BAR.findall(rows[0])) - 1
    return [rows[0], f"|{'---|' * columns}", *rows[1:]]
