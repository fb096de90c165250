"""The files of a patch as they will be, before any of them is written."""

from __future__ import annotations

import errno
import os
import posixpath
from dataclasses import dataclass

from hermes.services.files import Work
from hermes.services.files.disk import Version
from hermes.services.files.patching.reading import as_text, staleness
from hermes.services.files.text import Text


@dataclass(slots=True)
class Draft:
    """One file: what it holds, and what it will hold."""

    path: str
    """As the patch names it."""
    real: str
    before: bytes | None = None
    after: bytes | None = None
    version: Version | None = None
    mode: int | None = None
    new_mode: int | None = None
    """The mode of a file that is made by moving another."""
    is_link: bool = False
    note: str = ""

    def text(self) -> Text:
        """Return what it will hold so far.

        Raises:
            ToolError: that is no text.
        """
        return as_text(self.path, self.after or b"")


class Drafts:
    """The drafts of all files that a patch names; two names of one file are one draft."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._drafts: dict[str, Draft] = {}

    def at(self, path: str) -> Draft:
        """Return the draft of a file, whether it is there or not.

        Raises:
            OSError: it cannot be read.
        """
        try:
            found, data = self._work.disk.read(path)
        except FileNotFoundError:
            real = posixpath.normpath(self._work.disk.absolute(path))
            return self._drafts.setdefault(real, Draft(path, real))
        if found.path not in self._drafts:
            itself = self._work.disk.find(path, follow=False)
            self._drafts[found.path] = Draft(
                path,
                found.path,
                data,
                data,
                found.version,
                found.mode,
                is_link=itself.kind == "link",
                note=staleness(self._work, found),
            )
        return self._drafts[found.path]

    def existing(self, path: str) -> Draft:
        """Return the draft of a file that is there by now.

        Raises:
            OSError: it is not, or cannot be read.
        """
        draft = self.at(path)
        if draft.after is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return draft

    def is_there(self, path: str) -> bool:
        """Say whether a file is there by now."""
        return self.at(path).after is not None

    def changed(self) -> list[Draft]:
        """Return the files that will hold something else; those that go come last."""
        changed = [draft for draft in self._drafts.values() if draft.before != draft.after]
        return sorted(changed, key=lambda draft: draft.after is None)
