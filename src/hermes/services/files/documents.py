"""Documents as text: notebooks, Word, PowerPoint, Excel, PDF."""

from __future__ import annotations

import io
import json
import posixpath
import zipfile
from collections.abc import Callable, Container, Iterator
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
    book = _record(json.loads(data))
    sheets = [_record(sheet) for sheet in book.get("worksheets", [])]  # before version 4
    cells = [cell for part in (book, *sheets) for cell in part.get("cells", [])]
    return "\n\n".join(_cell(number, _record(cell)) for number, cell in enumerate(cells, 1))


def _record(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("it is not built as a notebook")
    return value


def _cell(number: int, cell: dict[str, Any]) -> str:
    kind = cell.get("cell_type", "raw")
    source = cell.get("source", cell.get("input", ""))
    shown = [f"# --- cell {number} ({kind}) ---", _joined(source)]
    for output in map(_record, cell.get("outputs", [])):
        held = _record(output.get("data", {}))
        content = output.get("text") or held.get("text/plain")
        if content is None and "ename" in output:
            content = f"{output['ename']}: {output.get('evalue', '')}"
        if content:
            shown.append(f"# output:\n{_joined(content)[:_LONGEST_OUTPUT]}")
        others = [kind for kind in held if kind.startswith("image/") or not content]
        shown += [f"# output: [{kind}]" for kind in others]
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
        parts = set(packed.namelist())
    shown = []
    names = sorted((name for name in parts if name.startswith("ppt/slides/slide")), key=_number)
    for number, name in enumerate(names, 1):
        paragraphs = [_runs(each) for each in _all(_opened(data, name), "p")]
        lines = [f"--- slide {number} ---", *filter(None, paragraphs)]
        notes = _notes(data, name, parts)
        shown.append("\n".join([*lines, *(["--- notes ---", *notes] if notes else [])]))
    return "\n\n".join(shown)


def _notes(data: bytes, slide: str, parts: Container[str]) -> list[str]:
    """Return what the speaker has noted for a slide, without the number that is on its page."""
    folder, _, name = slide.rpartition("/")
    links = f"{folder}/_rels/{name}.rels"
    if links not in parts:
        return []
    targets = [str(each.get("Target")) for each in _opened(data, links)]
    found = [posixpath.normpath(f"{folder}/{one}") for one in targets if "notesSlide" in one]
    shapes = [shape for one in found if one in parts for shape in _all(_opened(data, one), "sp")]
    texts = [each for each in shapes if "sldNum" not in {one.get("type") for one in each.iter()}]
    return list(filter(None, (_runs(part) for shape in texts for part in _all(shape, "p"))))


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
