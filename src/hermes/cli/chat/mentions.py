"""Files that a message names with ``@``: their text or picture goes along with it."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from hermes.base.errors import HermesError
from hermes.base.messages import Media

_MENTION = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|(\S+))')
_ENDS = ".,;:!?)]}'\""
STDIN = "-"

Attach = Callable[[str], Awaitable[str | Media]]
"""Returns the text or the picture of a file; raises HermesError where it may not be had."""


class Attached(NamedTuple):
    """A message with what it names."""

    text: str
    media: tuple[Media, ...] = ()
    notes: tuple[str, ...] = ()
    """What the person should know of it."""


def mentioned(text: str, folder: str) -> Iterator[str]:
    """Yield the files that a text names, each once, as they are written."""
    seen: set[str] = set()
    for found in _MENTION.finditer(text):
        name = found[1] or _existing(found[2], folder)
        if name and name not in seen:
            seen.add(name)
            yield name


def _existing(word: str, folder: str) -> str:
    """Return a word, without the punctuation behind it, if it names a file or looks like one."""
    candidates = [word]
    while word and word[-1] in _ENDS:
        word = word[:-1]
        candidates.append(word)
    for each in candidates:
        if each == STDIN or os.path.isfile(place(each, folder)):  # noqa: PTH113 - a text is wanted
            return each
    return word if "/" in word and not word.endswith("/") else ""


def place(name: str, folder: str) -> str:
    """Return where a mentioned file is."""
    return os.path.join(folder, os.path.expanduser(name))  # noqa: PTH111, PTH118 - texts are wanted


async def attached(text: str, folder: str, attach: Attach) -> Attached:
    """Return a message with the files that it names; what cannot be had is told."""
    parts: list[str] = []
    media: list[Media] = []
    notes: list[str] = []
    for name in mentioned(text, folder):
        try:
            found = await attach(name)
        except HermesError as error:
            notes.append(f"@{name} is not attached: {error.message}")
            continue
        if isinstance(found, Media):
            media.append(found)
            notes.append(f"@{name} goes along as {found.type}")
        else:
            parts.append(f'<file path="{name}">\n{found.rstrip()}\n</file>')
            notes.append(f"@{name} goes along, {_lines(found)}")
    return Attached("\n\n".join([text, *parts]), tuple(media), tuple(notes))


def _lines(text: str) -> str:
    count = len(text.splitlines())
    return f"{count:,} line{'' if count == 1 else 's'}"
