"""Tell what a file is by its first bytes, not by its name."""

from __future__ import annotations

import functools
from typing import NamedTuple

HEAD = 4_096
_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"\0\0\1\0", "image/x-icon"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\3\4", "application/zip"),
    (0, b"PK\5\6", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\x7fELF", "an ELF program"),
    (0, b"MZ", "a Windows program"),
    (0, b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (0, b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    (0, b"\0asm", "a WebAssembly module"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"\x80\x04\x95", "a Python pickle"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"\x93NUMPY", "a NumPy array"),
    (0, b"\x89HDF", "an HDF5 file"),
    (0, b"GGUF", "a GGUF model"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/avi"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"\xd0\xcf\x11\xe0", "an old Office document"),
    (0, b"wOF2", "font/woff2"),
    (0, b"\0\1\0\0\0", "a font"),
    (0, b"OTTO", "a font"),
)
_SHOWN_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PACKED = {
    b"word/": "docx",
    b"xl/": "xlsx",
    b"ppt/": "pptx",
}


class Nature(NamedTuple):
    """What a file is."""

    name: str
    """A media type, or a few words."""

    @property
    def is_image(self) -> bool:
        """Whether a model can be shown it."""
        return self.name in _SHOWN_IMAGES


def nature(head: bytes) -> Nature | None:
    """Return what a file is by its head; None when that tells nothing."""
    for at, magic, name in _beginning(head[:1]):
        if head.startswith(magic, at):
            return Nature(name)
    return None


@functools.cache
def _beginning(first: bytes) -> tuple[tuple[int, bytes, str], ...]:
    """Return what can still be the case when the first byte is known."""
    return tuple(each for each in _MAGIC if each[0] or each[1][:1] == first)


def document(head: bytes, names: str) -> str | None:
    """Return the kind of a document that can be read as text; ``names`` is the file's own name."""
    ending = names.rpartition(".")[2].lower()
    if head.startswith(b"%PDF-"):
        return "pdf"
    if head.startswith(b"PK\3\4"):
        if ending in ("docx", "xlsx", "pptx"):
            return ending
        is_office = b"[Content_Types].xml" in head or b"docProps/" in head
        return next((kind for part, kind in _PACKED.items() if is_office and part in head), None)
    return "ipynb" if ending == "ipynb" and head.lstrip()[:1] == b"{" else None


def hexdump(data: bytes, start: int = 0) -> str:
    """Return bytes as people look at them: offset, hexadecimal, characters."""
    rows = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        words = " ".join(part[half : half + 8].hex(" ") for half in (0, 8)).ljust(48)
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        rows.append(f"{start + at:08x}  {words}  {text}")
    return "\n".join(rows)
