"""The files of another machine, by its agent."""

from __future__ import annotations

import asyncio
import contextlib
import errno
from builtins import list as list_  # the class has a method of that name
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from hermes.environments.contract import Stat
from hermes.environments.inside.excerpts import Shown
from hermes.environments.inside.frames import Head
from hermes.environments.inside.listing import Order, Row, Tree
from hermes.environments.inside.patterns import BadPattern
from hermes.environments.inside.searching import Hit, Pick, Question, Tally
from hermes.environments.inside.walking import Scope
from hermes.environments.link import Asked, Link, Lost, settled

Report = Callable[[str, str], None]
_LONGEST_SECONDS = 600.0


def gone(where: str) -> ConnectionResetError:
    """Return the error for work on files that the connection was lost at."""
    text = f"the connection to {where} was lost; whether it was done is not known"
    return ConnectionResetError(errno.ECONNRESET, text)


async def answer(asked: Asked, where: str) -> tuple[Head, bytes]:
    """Wait for an answer; what went wrong there goes wrong here.

    Raises:
        OSError: with the number that it had there.
    """
    try:
        async with asyncio.timeout(_LONGEST_SECONDS):
            head, data = await settled(asked.done)
    except Lost:
        raise gone(where) from None
    except TimeoutError:
        raise TimeoutError(errno.ETIMEDOUT, f"{where} does not answer") from None
    if head["ev"] == "error":
        raise OSError(head["errno"], head["text"], head["path"] or None)
    return head, data


def _sound(value: Any) -> Any:
    """Return an answer, unless it says that the pattern cannot be read."""
    if isinstance(value, dict):
        raise BadPattern(value["reason"], value["position"])
    return value


class _Watched(NamedTuple):
    path: str
    recursive: bool
    report: Report


class RemoteFiles:
    """Work on files there, by whatever link there is now."""

    def __init__(self, link: Callable[[], Awaitable[Link]], where: str) -> None:
        self._link, self._where = link, where
        self._watched: dict[int, _Watched] = {}
        self._heard: dict[int, tuple[Link, Asked]] = {}
        self._count = 0

    async def _ask(self, head: Head, data: bytes) -> tuple[Head, bytes]:
        link = await self._link()
        try:
            asked = link.ask(head, data)
        except Lost:
            raise gone(self._where) from None
        return await answer(asked, self._where)

    async def _value(self, op: str, data: bytes = b"", **words: Any) -> Any:
        head, _ = await self._ask({"op": op, **words}, data)
        return head["value"]

    async def read(self, path: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return bytes of a regular file."""
        words = {"op": "read", "path": path, "offset": offset, "size": size}
        return (await self._ask(words, b""))[1]

    async def write(self, path: str, data: bytes, *, append: bool = False, mode: int = 0) -> Stat:
        """Replace a file in one step, or add to its end."""
        return Stat(*await self._value("write", data, path=path, append=append, mode=mode))

    async def stat(self, path: str, *, follow: bool = True) -> Stat:
        """Return what is known of a path."""
        return Stat(*await self._value("stat", path=path, follow=follow))

    async def list(self, path: str) -> list[Stat]:
        """Return what is in a folder."""
        return [Stat(*one) for one in await self._value("list", path=path)]

    async def make_folder(self, path: str) -> None:
        """Make a folder and those above it."""
        await self._value("make_folder", path=path)

    async def rename(self, source: str, target: str) -> None:
        """Move a file or folder."""
        await self._value("rename", path=source, target=target)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, a link or a folder."""
        await self._value("remove", path=path, recursive=recursive)

    async def tally(self, question: Question) -> Tally:
        """Count by file what is searched for; being cancelled stops it there."""
        link = await self._link()
        try:
            asked = link.ask({"op": "tally", **question._asdict()})
        except Lost:
            raise gone(self._where) from None
        try:
            head, _ = await answer(asked, self._where)
        except asyncio.CancelledError:
            with contextlib.suppress(Lost):
                link.ask({"op": "stop", "target": asked.number})
            raise
        return Tally(*_sound(head["value"]))

    async def hits(self, question: Question, picks: Sequence[Pick], context: int) -> list_[Hit]:
        """Return some of the hits."""
        words = {**question._asdict(), "picks": picks, "context": context}
        found = _sound(await self._value("hits", **words))
        return [Hit(path, Shown(*shown)) for path, shown in found]

    async def names(self, root: str, scope: Scope) -> list_[str]:
        """Return the files in scope."""
        found: list_[str] = await self._value("names", root=root, scope=scope)
        return found

    async def tree(self, order: Order) -> Tree:
        """Return what is in a folder and below it."""
        rows, *rest = await self._value("tree", order=order)
        return Tree([Row(*row) for row in rows], *rest)

    async def watch(
        self, path: str, report: Report, *, recursive: bool = True
    ) -> Callable[[], None]:
        """Report every change below a path; after a lost connection, ``overflow`` comes first."""
        self._count += 1
        number, watched = self._count, _Watched(path, recursive, report)
        link = await self._link()
        try:
            asked = self._hear(link, number, watched)
        except Lost:
            raise gone(self._where) from None
        await answer(asked, self._where)
        self._watched[number] = watched
        return lambda: self._unwatch(number)

    def _hear(self, link: Link, number: int, watched: _Watched) -> Asked:
        def news(head: Head, _: bytes) -> None:
            watched.report(head["kind"], head["path"])

        words = {"op": "watch", "path": watched.path, "recursive": watched.recursive}
        asked = link.ask(words, news=news)
        self._heard[number] = (link, asked)
        return asked

    def again(self, link: Link) -> None:
        """Watch on by a new agent: what happened meanwhile is not known."""
        for number, watched in tuple(self._watched.items()):
            self._hear(link, number, watched)
            watched.report("overflow", "")

    def _unwatch(self, number: int) -> None:
        self._watched.pop(number, None)
        link, asked = self._heard.pop(number, (None, None))
        if link is None or asked is None:
            return
        link.forget(asked)
        try:
            link.ask({"op": "unwatch", "target": asked.number})
        except Lost:  # so is the watch
            return
