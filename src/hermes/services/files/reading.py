"""Read a file for a model: numbered lines, as many as fit, and what is true of the rest."""

from __future__ import annotations

import difflib
import os
import time
from typing import Any, NamedTuple

from hermes.base.errors import ToolError, WouldWait
from hermes.base.optional import load
from hermes.services.files import Work
from hermes.services.files.changing import named, said
from hermes.services.files.disk import Found, Opened
from hermes.services.files.kinds import HEAD, document, hexdump, nature
from hermes.services.files.text import UTF8, Encoding, detect
from hermes.services.files.windows import (
    COUNTED_BYTES,
    Bounded,
    Index,
    Line,
    Window,
    count,
    last_lines,
    window,
)

LONGEST_LINE = 2_000
MOST_CHARACTERS = 100_000
_SAMPLE = 64 << 10
_SMALL = 16 << 10
_LARGEST_WIDE = 64 << 20
_MOST_SUGGESTED = 3
_LONGEST_SECONDS = 30


class Wanted(NamedTuple):
    """Which lines are wanted: from a number on, from 1; below 0 counts from the end."""

    offset: int = 1
    limit: int = 500
    hex: bool = False


def read(work: Work, index: Index, path: str, wanted: Wanted) -> dict[str, Any] | Picture:
    """Return a part of a file.

    Raises:
        ToolError: it cannot be read as text; says why and what to do.
    """
    if not work.caller.may_wait:
        return _at_once(work, index, path, wanted)
    try:
        with work.disk.open(path) as file:
            answer, is_whole = _read(_bounded(work, file, path), index, path, wanted)
            version, real = file.found.version, file.found.path
    except FileNotFoundError as error:
        raise missing(work, path) from error
    except IsADirectoryError as error:
        failure = said(error, path)
        failure.hint = "Use directory_list to see what is in it."
        raise failure from error
    except OSError as error:
        raise said(error, path) from error
    work.log.saw(work.task_id, real, version, is_whole=is_whole)
    return answer


def _at_once(work: Work, index: Index, path: str, wanted: Wanted) -> dict[str, Any] | Picture:
    """Return a part of a small file that is in memory.

    Raises:
        WouldWait: it is another one.
    """
    ready = work.disk.ready(path, _SMALL)
    if ready is None or document(ready[1][:HEAD], path) is not None:
        raise WouldWait(path)
    found, data = ready
    answer, is_whole = _read(_InMemory(found, data), index, path, wanted)
    work.log.saw(work.task_id, found.path, found.version, is_whole=is_whole)
    return answer


def _bounded(work: Work, file: Opened, path: str) -> Opened:
    """Return a file that is given up when that takes too long, or when nobody waits any more."""
    if file.found.size <= COUNTED_BYTES:
        return file
    until = time.monotonic() + _LONGEST_SECONDS

    def check() -> None:
        work.check_wanted()
        if time.monotonic() > until:
            raise ToolError(
                f"{path}: it has {file.found.size:,} bytes, too many to find those lines in time",
                code="too_large",
                hint="Ask for fewer lines or earlier ones; hex=true goes to any byte at once.",
            )

    return Bounded(file, check)


class Picture(NamedTuple):
    """An image, to be shown instead of read."""

    found: Found
    data: bytes
    media_type: str


def _read(
    file: Opened, index: Index, path: str, wanted: Wanted
) -> tuple[dict[str, Any] | Picture, bool]:
    head = file.read(0, _SAMPLE)
    if wanted.hex:
        return _dump(file, wanted), False
    kind = document(head[:HEAD], path)
    if kind is not None:
        try:
            return _document(kind, file, path, wanted)
        except ToolError as error:
            if kind != "ipynb" or error.code != "damaged_document":
                raise
            answer, _ = _text(file, index, detect(head) or UTF8, wanted)
            return answer | {"note": f"{error.message}; this is its text."}, False
    known = nature(head[:HEAD])
    encoding = detect(_whole_lines(head, file.found.size))
    if known is not None and known.is_image and encoding is None:
        return Picture(file.found, file.read(0, file.found.size), known.name), True
    if encoding is None:
        raise _binary(path, file.found, known.name if known else "binary data", head)
    if encoding == UTF8 and wanted.offset in (0, 1):
        plain = _plain(file, head, wanted.limit)
        if plain is not None:
            return plain
    return _text(file, index, encoding, wanted)


def _plain(file: Opened, head: bytes, limit: int) -> tuple[dict[str, Any], bool] | None:
    """Return the first lines of a file, as most calls want, without a look at each one's bytes.

    None when the head does not hold them, or when there is more to be told of them.
    """
    *lines, rest = head.split(b"\n", limit)
    data = head[: len(head) - len(rest) - 1]
    is_all = file.found.size == len(head) and not rest
    if not lines or b"\r" in data or not (is_all or len(lines) == limit):
        return None
    if len(data) > LONGEST_LINE and len(max(lines, key=len)) > LONGEST_LINE:
        return None
    rows = [f"{number}|{row}" for number, row in enumerate(data.decode().split("\n"), 1)]
    if len(data) + 8 * len(rows) > MOST_CHARACTERS:
        return None
    total = count(file, len(data) + 1, len(rows))
    found = Window([], total, len(rows))
    answer = _answered(rows, 0, found) | {"size": file.found.size}
    return answer, total == len(rows)


def _whole_lines(head: bytes, size: int) -> bytes:
    """Return a sample that does not end in the middle of a character."""
    if size <= len(head):
        return head
    cut = head.rfind(b"\n") + 1
    if cut < len(head) // 2:
        cut = len(head) // 4 * 4
        while cut and head[cut - 1] >= 0x80 and len(head) - cut < 8:
            cut -= 1
    return head[:cut]


def _text(
    file: Opened, index: Index, encoding: Encoding, wanted: Wanted
) -> tuple[dict[str, Any], bool]:
    first, told = wanted.offset - 1, encoding
    if encoding.name.startswith(("utf-16", "utf-32")):
        file = _narrowed(file, encoding)
        encoding = Encoding("utf-8")._replace(mark=b"")
    if wanted.offset < 0:
        first, found = last_lines(file, -wanted.offset, wanted.limit, index)
    else:
        first = max(0, first)
        found = window(file, first, wanted.limit, index)
    answer, shown = _shown(found, first, encoding)
    answer |= {"size": file.found.size}
    if told != UTF8:
        answer["encoding"] = told.shown
    ends = {line.has_return for line in found.lines if line.is_ended}
    if True in ends:
        answer["newline"] = "mixed" if False in ends else "crlf"
    if found.lines and found.total is not None and not found.lines[-1].is_ended:
        answer["final_newline"] = False
    is_whole = first == 0 and found.total == shown
    return answer, is_whole


class _InMemory:
    """A file that is whole in memory."""

    def __init__(self, found: Found, data: bytes) -> None:
        self.found, self._data = found, data

    def read(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]


def _narrowed(file: Opened, encoding: Encoding) -> Opened:
    """Return a file of wide characters as one of narrow ones."""
    if file.found.size > _LARGEST_WIDE:
        raise ToolError(
            f"{file.found.path}: it is {encoding.name} and too large to be read so",
            code="too_large",
            hint="Convert a part of it with iconv in the terminal.",
        )
    data = file.read(0, file.found.size)[len(encoding.mark) :]
    narrow = data.decode(encoding.name, "replace").encode()
    return _InMemory(file.found._replace(path=f"{file.found.path}\0{encoding.name}"), narrow)


def _shown(found: Window, first: int, encoding: Encoding) -> tuple[dict[str, Any], int]:
    """Return the lines that fit, with their numbers, and how many they are."""
    rows: list[str] = []
    size = 0
    for number, line in enumerate(found.lines, first + 1):
        text = line.data.decode(encoding.name, "replace")
        is_first = number == 1 and first == 0
        if is_first or len(text) > LONGEST_LINE or line.size > len(line.data):
            text = _line(line, encoding, is_first=is_first)
        row = f"{number}|{text}" if first >= 0 else text
        if rows and size + len(row) + 1 > MOST_CHARACTERS:
            break
        rows.append(row)
        size += len(row) + 1
    return _answered(rows, first, found), len(rows)


def _answered(rows: list[str], first: int, found: Window) -> dict[str, Any]:
    """Return rows with what is to be told of where they stand."""
    answer: dict[str, Any] = {"content": "\n".join(rows)}
    shown = first + len(rows)
    if found.total is not None:
        answer["total_lines"] = found.total
    else:
        answer["at_least"] = found.at_least
    has_more = found.total is None or shown < found.total
    if first < 0:  # counted from the end
        left = found.at_least - len(rows)
        answer["truncated"] = left > 0
        answer["note"] = "The file is too large to number these lines, which are near its end."
        return answer | ({"next_offset": -left} if left > 0 else {})
    answer["truncated"] = has_more and bool(rows)
    if answer["truncated"]:
        answer["next_offset"] = shown + 1
    if not rows:
        total = found.total or 0
        answer["note"] = (
            "The file is empty."
            if total == 0
            else f"The file has {total:,} line{'s' * (total != 1)}; this is past its end."
        )
    return answer


def _line(line: Line, encoding: Encoding, *, is_first: bool) -> str:
    data = line.data.removeprefix(encoding.mark) if is_first else line.data
    text = data.decode(encoding.name, "replace")
    if len(text) <= LONGEST_LINE and line.size <= len(line.data):
        return text
    left = line.size - len(text[:LONGEST_LINE].encode(encoding.name, "replace"))
    return f"{text[:LONGEST_LINE]}… [{left:,} more bytes in this line]"


def _document(kind: str, file: Opened, path: str, wanted: Wanted) -> tuple[dict[str, Any], bool]:
    documents = load("hermes.services.files.documents")
    if file.found.size > documents.LARGEST:
        raise ToolError(f"{path}: it is too large to be read as {kind}", code="too_large")
    text = documents.text_of(kind, file.read(0, file.found.size), path)
    lines = [Line(line.encode(), len(line.encode()), True, False) for line in text.split("\n")]
    first = max(0, wanted.offset - 1) if wanted.offset >= 0 else max(0, len(lines) + wanted.offset)
    found = Window(lines[first : first + wanted.limit], len(lines), len(lines))
    answer, _ = _shown(found, first, UTF8)
    return {**answer, "size": file.found.size, "format": kind}, False


def _dump(file: Opened, wanted: Wanted) -> dict[str, Any]:
    start = wanted.offset - 1 if wanted.offset >= 0 else file.found.size + wanted.offset
    start = max(0, start)
    data = file.read(start, min(max(1, wanted.limit), 4_096))
    known = nature(file.read(0, HEAD))
    answer: dict[str, Any] = {"content": hexdump(data, start), "size": file.found.size}
    if known is not None:
        answer["type"] = known.name
    if start + len(data) < file.found.size:
        answer |= {"truncated": True, "next_offset": start + len(data) + 1}
    return answer


def _binary(path: str, found: Found, name: str, head: bytes) -> ToolError:
    return ToolError(
        f"{path} is not text: {name}, {found.size:,} bytes, beginning with {head[:8].hex(' ')}",
        code="binary_file",
        hint="Use hex=true to look at its bytes (offset and limit then count bytes).",
    )


def missing(work: Work, path: str) -> ToolError:
    """Return the answer for a file that is not there: the names that are most like it."""
    target = _target(work, path)
    if target:
        return ToolError(
            f"{named(path)}: it is a link to {target}, which is not there", code="not_found"
        )
    near = _nearest(work, path)
    hint = f"Did you mean {', '.join(near)}?" if near else "Use search_files to find it."
    return ToolError(f"{named(path)}: there is no such file", code="not_found", hint=hint)


def _target(work: Work, path: str) -> str:
    """Return where a path leads that is a link."""
    try:
        return work.disk.find(path, follow=False).target
    except Exception:  # noqa: BLE001 - a better word is no reason to fail in another way
        return ""


def _nearest(work: Work, path: str) -> list[str]:
    """Return the paths that are most like a missing one: another name, or another folder."""
    folder, _, name = path.rpartition("/")
    try:
        names = [os.path.basename(one.path) for one in work.disk.entries(folder or ".")]  # noqa: PTH119 - a text
    except FileNotFoundError:
        others = _nearest(work, folder) if folder else []
        return [each for other in others for each in _nearest(work, f"{other}/{name}")]
    except Exception:  # noqa: BLE001 - a suggestion is no reason to fail in another way
        return []
    lower = {one.lower(): one for one in names}
    close = difflib.get_close_matches(name.lower(), lower, _MOST_SUGGESTED, 0.6)
    return [f"{folder}/{lower[one]}" if folder else lower[one] for one in close]
