"""Check and format code with the tools that a project uses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from hermes.base.errors import InvalidArguments
from hermes.environments.programs import Caller, OpenSite, Program, Ran, Site, run

MOST_AT_ONCE = 4


class Held(NamedTuple):
    """A file as it was read."""

    path: str
    data: bytes
    version: tuple[int, int, int]


class Rewrite(NamedTuple):
    """A file, and what it is to hold."""

    held: Held
    data: bytes


class Shelf(Protocol):
    """The files of one call: every path is judged when it is used, every change can be undone."""

    async def find(self, path: str) -> str:
        """Return where a path leads.

        Raises:
            ToolError: it leads nowhere, or may not be read.
        """

    async def read(self, path: str) -> Held:
        """Return a whole file."""

    async def replace(self, rewrites: Sequence[Rewrite]) -> None:
        """Change files: all of them, or none.

        Raises:
            ToolError: one may not be written, or was changed by somebody else meanwhile.
        """


class Wanted(NamedTuple):
    """What a tool was asked to look at: files and folders, or code."""

    paths: tuple[str, ...] = ()
    code: str | None = None
    language: str | None = None


class Checks:
    """Run the linters and formatters of projects where their tasks run."""

    def __init__(self, open_site: OpenSite, shelf: Callable[[Caller], Shelf]) -> None:
        self.open_site, self.shelf = open_site, shelf


class Bench:
    """Run programs of one call at its site, a few at a time."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._room = asyncio.Semaphore(MOST_AT_ONCE)

    async def run(self, program: Program) -> Ran:
        """Run a program when there is room for it."""
        async with self._room:
            return await run(self.site.environment, program)


def check_wanted(wanted: Wanted) -> None:
    """Refuse what cannot be meant.

    Raises:
        InvalidArguments: there is code and no language, or both code and paths.
    """
    if wanted.code is not None and wanted.paths:
        raise InvalidArguments("give either paths or code, not both")
    if wanted.code is not None and wanted.language is None:
        raise InvalidArguments("code needs its language", hint="Name it with language.")
