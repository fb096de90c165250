"""The files of this machine, by system calls in threads."""

from __future__ import annotations

import asyncio
import threading
from builtins import list as list_  # the class has a method of that name
from collections.abc import Callable, Sequence

from hermes.environments.contract import Stat
from hermes.environments.inside import filework, listing, seeking, walking
from hermes.environments.inside.listing import Order, Tree
from hermes.environments.inside.searching import Hit, Pick, Question, Tally
from hermes.environments.inside.walking import Scope
from hermes.environments.inside.watching import Watch


class LocalFiles:
    """Work on the files of this machine."""

    async def read(self, path: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return bytes of a regular file."""
        return await asyncio.to_thread(filework.read, path, offset, size)

    async def write(self, path: str, data: bytes, *, append: bool = False, mode: int = 0) -> Stat:
        """Replace a file in one step, or add to its end."""
        return Stat(
            *await asyncio.to_thread(filework.write, path, data, append=append, mode=mode)  # type: ignore[arg-type]  # the kinds are the same words
        )

    async def stat(self, path: str, *, follow: bool = True) -> Stat:
        """Return what is known of a path."""
        return Stat(*await asyncio.to_thread(filework.facts, path, follow=follow))  # type: ignore[arg-type]  # as above

    async def list(self, path: str) -> list[Stat]:
        """Return what is in a folder."""
        return [Stat(*one) for one in await asyncio.to_thread(filework.entries, path)]  # type: ignore[arg-type]  # as above

    async def make_folder(self, path: str) -> None:
        """Make a folder and those above it."""
        await asyncio.to_thread(filework.make_folder, path)

    async def rename(self, source: str, target: str) -> None:
        """Move a file or folder."""
        await asyncio.to_thread(filework.rename, source, target)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, a link or a folder."""
        await asyncio.to_thread(filework.remove, path, recursive=recursive)

    async def watch(
        self, path: str, report: Callable[[str, str], None], *, recursive: bool = True
    ) -> Callable[[], None]:
        """Report every change below a path; returns what ends the watching."""
        watch = await asyncio.to_thread(Watch, path, report, recursive=recursive)
        return watch.close

    async def tally(self, question: Question) -> Tally:
        """Count by file what is searched for."""
        stop = threading.Event()
        try:
            return await asyncio.to_thread(seeking.tally, question, stop.is_set)
        finally:
            stop.set()

    async def hits(self, question: Question, picks: Sequence[Pick], context: int) -> list_[Hit]:
        """Return some of the hits."""
        return await asyncio.to_thread(seeking.hits, question, picks, context)

    async def names(self, root: str, scope: Scope) -> list_[str]:
        """Return the files in scope."""
        return await asyncio.to_thread(walking.listed, root, scope)

    async def tree(self, order: Order) -> Tree:
        """Return what is in a folder and below it."""
        return await asyncio.to_thread(listing.tree, order)
