"""Run the tests of a project with its own runner, and tell what matters of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from hermes.environments.programs import Caller, OpenSite, Ran, run
from hermes.services.testing.choosing import pick
from hermes.services.testing.contract import MARK, Report, Runner, Work
from hermes.services.testing.telling import answer

_TELL_SECONDS = 0.25
_LONGEST_LINE = 1 << 20


class Finder(Protocol):
    """Finds the files of one call; every path is judged when it is used."""

    async def find(self, path: str) -> str:
        """Return where a path leads.

        Raises:
            ToolError: it leads nowhere, or may not be read.
        """


class Wanted(NamedTuple):
    """What a tool was asked to run."""

    path: str = "."
    """A file or folder; ``file::name`` for a test in it."""
    runner: str = "auto"
    filter: str = ""
    seconds: float = 300.0
    coverage: bool = False


class Tests:
    """Run the tests of projects where their tasks run."""

    __test__ = False

    def __init__(self, open_site: OpenSite, finder: Callable[[Caller], Finder]) -> None:
        self._open_site, self._finder = open_site, finder

    async def run(self, caller: Caller, wanted: Wanted) -> dict[str, Any]:
        """Run tests and return what came of them; when time is up, what is known by then.

        Raises:
            ToolError: the path is not there, or there is nothing to run it with.
        """
        path, *names = wanted.path.split("::")
        target = await self._finder(caller).find(path or ".")
        async with self._open_site(caller) as site:
            for runner, work in [each async for each in pick(site, target, names, wanted)]:
                report = Report()
                ran = await _run(runner, work, report, caller)
                if not report.missing:
                    return answer(runner, work, report, ran)
        raise AssertionError("the last runner needs nothing that could be missing")


async def _run(runner: Runner, work: Work, report: Report, caller: Caller) -> Ran:
    hearing = _Lines(runner, work, report, caller.progress)
    program = runner.start(work)
    caller.progress(f"running {runner.name}")
    ran = await run(work.site.environment, program, hearing.take)
    hearing.end()
    runner.finish(work, report, ran)
    return ran


class _Lines:
    """Give a runner what its program prints, line by line, and tell how far it has come."""

    def __init__(
        self, runner: Runner, work: Work, report: Report, progress: Callable[[str], None]
    ) -> None:
        self._runner, self._work, self._report = runner, work, report
        self._progress = progress
        self._rest = [b"", b""]
        self._told = 0.0

    def take(self, stream: int, data: bytes) -> None:
        """Take a part of what it prints."""
        *lines, rest = (self._rest[stream] + data).split(b"\n")
        self._rest[stream] = rest if len(rest) < _LONGEST_LINE else b""
        for line in lines:
            self._hear(stream, line)
        now = time.monotonic()
        if self._report.cases and now - self._told > _TELL_SECONDS:
            self._told = now
            self._progress(_so_far(self._report))

    def end(self) -> None:
        """Take the last lines, which may have no end."""
        for stream, rest in enumerate(self._rest):
            if rest:
                self._hear(stream, rest)

    def _hear(self, stream: int, line: bytes) -> None:
        self._runner.hear(self._work, self._report, stream, line.decode("utf-8", "replace"))


def _so_far(report: Report) -> str:
    broken = report.count("failed") + report.count("error")
    total = f" of {report.expected}" if report.expected else ""
    last = next(reversed(report.cases))
    return f"{len(report.cases)}{total} tests, {broken} failed; {last}"[:200].replace(MARK, "")
