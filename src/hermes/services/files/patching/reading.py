"""Read files that are to be changed, and write what they become in their own encoding."""

from __future__ import annotations

from hermes.base.errors import ToolError
from hermes.services.files import Work
from hermes.services.files.disk import Found
from hermes.services.files.text import Text, decode


def read_text(work: Work, path: str) -> tuple[Found, bytes, Text]:
    """Return a file as a text.

    Raises:
        OSError: it cannot be read.
        ToolError: it is no text.
    """
    found, data = work.disk.read(path)
    return found, data, as_text(path, data)


def as_text(path: str, data: bytes) -> Text:
    """Return bytes as the text that they are.

    Raises:
        ToolError: they are none.
    """
    text = decode(data)
    if text is None:
        raise ToolError(f"{path} is no text, so it cannot be patched", code="binary_file")
    return text


def encoded(path: str, text: Text, new: str) -> bytes:
    """Return a new text in the bytes of the old one.

    Raises:
        ToolError: the file's encoding has no such character.
    """
    try:
        return text.encoded(new)
    except UnicodeEncodeError as error:
        char = new[error.start]
        raise ToolError(
            f"{path} is {text.encoding.shown}, which has no {char!r} (U+{ord(char):04X}); "
            "nothing was changed",
            code="encoding",
            hint="Use characters that it has, or write the whole file with write_file.",
        ) from error


def staleness(work: Work, found: Found) -> str:
    """Say what a task that changes a part of a file should know of others."""
    seen = work.log.seen(work.task_id, found.path)
    if seen is None or seen.version == found.version:
        return ""
    who = work.log.writer(work.task_id, found.path, found.version)
    return (
        f"The file was changed by {who} since this task read it; "
        "the place of this change was still clear, and their change was kept."
    )
