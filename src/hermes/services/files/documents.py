"""Documents as text: notebooks, Word, PowerPoint, Excel, PDF."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from hermes.base.errors import ToolError
from hermes.base.optional import load

LARGEST = 64 << 20
_LARGEST_PART = 128 << 20
_LONGEST_OUTPUT = 4_000


def text_of(kind: str, data: bytes, name: str) -> str:
    """Return a document as text.

    Raises:
        ToolError: it is damaged, protected, or a library for it is missing.
    """
    try:
        return _READERS[kind](data)
    except (
        zipfile.BadZipFile,
        ParseError,
        KeyError,
        ValueError,
        TypeError,
        RecursionError,
    ) as error:
        raise ToolError(
            f"{name} cannot be read as {kind}: {error or type(error).__name__}",
            code="damaged_document",
            hint="It may be damaged, protected by a password, or something else by its content.",
        ) from error


def _notebook(data: bytes) -> str:
    cells = json.loads(data).get("cells", [])
    return "\n\n".join(_cell(number, cell) for number, cell in enumerate(cells, 1))


def _cell(number: int, cell: dict[str, Any]) -> str:
    kind = cell.get("cell_type", "raw")
    shown = [f"# --- cell {number} ({kind}) ---", _joined(cell.get("source", ""))]
    for output in cell.get("outputs", []):
        content = output.get("text") or output.get("data", {}).get("text/plain")
        if content is None and "ename" in output:
            content = f"{output['ename']}: {output.get('evalue', '')}"
        if content:
            shown.append(f"# output:\n{_joined(content)[:_LONGEST_OUTPUT]}")
        pictures = [kind for kind in output.get("data", {}) if kind.startswith("image/")]
        shown += [f"# output: [{kind}]" for kind in pictures]
    return "\n".join(shown)


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _opened(data: bytes, name: str) -> Element:
    """Return a part of a packed document."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if packed.getinfo(name).file_size > _LARGEST_PART:
            raise ValueError("it unpacks to more than can be read")
        return fromstring(packed.read(name))


def _word(data: bytes) -> str:
    body = _opened(data, "word/document.xml")
    return "\n".join(_blocks(body))


def _blocks(body: Element) -> Iterator[str]:
    """Yield the paragraphs and the rows of tables, in order."""
    for part in body:
        kind = _plain(part.tag)
        if kind == "p":
            yield _runs(part)
        elif kind == "tbl":
            for row in _all(part, "tr"):
                yield " | ".join(_cell_text(cell) for cell in _all(row, "tc"))
        elif kind in ("body", "sdt", "sdtContent"):
            yield from _blocks(part)


def _cell_text(cell: Element) -> str:
    return " ".join(_runs(paragraph) for paragraph in _all(cell, "p"))


def _runs(paragraph: Element) -> str:
    parts = []
    for each in paragraph.iter():
        kind = _plain(each.tag)
        if kind == "t":
            parts.append(each.text or "")
        elif kind in ("tab", "br", "cr"):
            parts.append("\t" if kind == "tab" else "\n")
    return "".join(parts)


def _slides(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        names = [name for name in packed.namelist() if name.startswith("ppt/slides/slide")]
    shown = []
    for number, name in enumerate(sorted(names, key=_number), 1):
        paragraphs = [_runs(each) for each in _all(_opened(data, name), "p")]
        shown.append("\n".join([f"--- slide {number} ---", *filter(None, paragraphs)]))
    return "\n\n".join(shown)


def _number(name: str) -> int:
    digits = "".join(filter(str.isdigit, name.rpartition("/")[2]))
    return int(digits or 0)


def _sheets(data: bytes) -> str:
    book = load("python_calamine", extra="documents").CalamineWorkbook.from_filelike(
        io.BytesIO(data)
    )
    shown = []
    for name in book.sheet_names:
        rows = book.get_sheet_by_name(name).to_python()
        lines = ["\t".join("" if cell is None else _value(cell) for cell in row) for row in rows]
        shown.append("\n".join([f"--- sheet {name} ---", *lines]))
    return "\n\n".join(shown)


def _value(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _pdf(data: bytes) -> str:
    library = load("pypdfium2", extra="documents")
    try:
        book = library.PdfDocument(data)
    except library.PdfiumError as error:
        raise ValueError(str(error)) from error
    with book:
        pages = []
        for number in range(len(book)):
            text = book[number].get_textpage().get_text_bounded().replace("\r\n", "\n")
            pages.append(f"--- page {number + 1} ---\n{text}")
    return "\n\n".join(pages)


def _plain(tag: str) -> str:
    return tag.rpartition("}")[2]


def _all(element: Element, name: str) -> list[Element]:
    return [each for each in element.iter() if _plain(each.tag) == name]


_READERS: dict[str, Callable[[bytes], str]] = {
    "ipynb": _notebook,
    "docx": _word,
    "pptx": _slides,
    "xlsx": _sheets,
    "pdf": _pdf,
}
