"""Show a turn on a terminal: what is said as it comes, calls, children, and the status bar."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from io import StringIO
from typing import TextIO

from rich.console import Console, RenderableType
from rich.text import Text

from hermes.agent.events import (
    CallDone,
    CallProgress,
    CallStarted,
    ChildSaid,
    Done,
    Event,
    Noted,
    Said,
    Taken,
    Thought,
)
from hermes.cli.chat import drawing
from hermes.cli.chat.live import Live, Row, Size
from hermes.cli.chat.markdown import THEME, Blocks, Rendered
from hermes.cli.chat.safe import one_line, safe
from hermes.cli.chat.work import Work

_END = re.compile(r"(?:\x1b\[[0-9;]*m| )+$")
_FRAME_SECONDS = 0.08
_MOST_CHILDREN = 8
_READING_WIDTH = 100
_ENDINGS = {
    "interrupted": "stopped",
    "budget": "the budget of this turn is used up",
    "stuck": "stopped: it went in circles",
    "failed": "the model could not be asked",
}


class Screen:
    """Draw events; what is whole goes up for good, the rest is drawn over until it is."""

    def __init__(
        self,
        stream: TextIO,
        work: Work,
        bar: Callable[[int], list[Text]],
        *,
        size: Callable[[], Size] | None = None,
    ) -> None:
        self.work = work
        self._live = Live(stream, size)
        self._bar = bar
        self._blocks = Blocks()
        self._console = Console(
            file=StringIO(), force_terminal=True, highlight=False, width=80, theme=THEME
        )
        self._last = ""
        """What was put up last: text or calls, which a blank line separates."""
        self._thought = ""
        self._since: float | None = None
        """Since when nothing has come of the model; None while no turn runs."""
        self._frame = 0
        self._is_aside = False

    def show(self, event: Event) -> None:
        """Take in what happened."""
        if isinstance(event, Said):
            self._say(event.text)
        elif isinstance(event, Thought):
            self._thought += event.text
        elif isinstance(event, CallStarted):
            self._finish_text()
            self.work.start(event)
        elif isinstance(event, CallProgress):
            self.work.advance(event)
        elif isinstance(event, CallDone):
            self._finish_text()
            call = self.work.finish(event)
            children = [drawing.child_line(one, 0, 0) for one in self.work.take_children()]
            self.put([*drawing.call_lines(call, self._width), *children], "calls")
            self._waits()
        elif isinstance(event, ChildSaid):
            self.work.hear(event)
        elif isinstance(event, Taken):
            self._blocks.finish()
            self.note(f"asked again: {event.why}")
        elif isinstance(event, Noted):
            self._finish_text()
            self.note(event.text)
        elif isinstance(event, Done):
            self._end(event)

    def _say(self, text: str) -> None:
        self._thought = ""
        whole = self._blocks.feed(safe(text))
        if whole.strip():
            self.put([Rendered(whole)], "text")

    def _finish_text(self) -> None:
        left = self._blocks.finish()
        if left.strip():
            self.put([Rendered(left)], "text")
        self._thought = ""

    def _end(self, event: Done) -> None:
        self._finish_text()
        children = [drawing.child_line(one, 0, 0) for one in self.work.take_children()]
        self.put(children, "calls")
        self.work.settle()
        if event.ending != "answered":
            told = _ENDINGS[event.ending]
            why = one_line(event.error, 600)
            text = f"✗ {told}: {why}" if why and why != told else f"✗ {told}"
            self.put([Text(f"  {text}", style="red")], "note")
        self._since = None

    def note(self, text: str) -> None:
        """Tell the person something small."""
        self.put([Text(f"  · {one_line(text, 600)}", style="dim")], "note")

    def put(self, parts: Iterable[RenderableType], kind: str = "note") -> None:
        """Put parts up for good; what is of another kind than before stands apart."""
        self._console.width = self._width
        drawn = "".join(self._drawn(part) for part in parts)
        if not drawn.strip():
            return
        is_apart = kind == "text" or kind != self._last
        if kind == "note" and self._last in ("prompt", "question"):
            is_apart = False
        apart = "\n" if is_apart else ""
        self._last = kind
        self._live.commit(apart + drawn)

    def space(self) -> None:
        """Leave a line free before the next prompt."""
        self._live.commit("\n")
        self._last = "prompt"

    def _drawn(self, part: RenderableType) -> str:
        with self._console.capture() as drawn:
            self._console.print(part)
        lines = drawn.get().strip("\n").split("\n")
        return "".join(f"{_END.sub(_without_spaces, line)}\n" for line in lines)

    @property
    def _width(self) -> int:
        return min(self._live.size.columns, _READING_WIDTH)

    def _waits(self) -> None:
        self._since = self.work.clock()

    def refresh(self) -> None:
        """Draw what is not whole yet, what runs, and the bar."""
        if self._is_aside:
            return
        self._frame += 1
        self._live.draw(self._rows())

    def _rows(self) -> list[Row]:
        columns, lines = self._live.size
        bar = self._bar(columns)
        now = self.work.clock()
        below = [drawing.running_line(one, now, self._frame) for one in self.work.running.values()]
        children = list(self.work.children.values())
        below += [drawing.child_line(one, now, self._frame) for one in children[-_MOST_CHILDREN:]]
        if len(children) > _MOST_CHILDREN:
            more = len(children) - _MOST_CHILDREN
            below.append(Text(f"     … and {more} more", style="dim"))
        tail = self._tail(max(lines - len(below) - len(bar) - 3, 1))
        if not below and not tail and self._since is not None:
            below = [drawing.thinking_line(safe(self._thought), now - self._since, self._frame)]
        flat = [self._row(line, columns) for line in below]
        gap = [Row("", 0)]
        above = gap if self._last and (tail or self._last != "calls") else []
        return [*above, *tail, *(gap if tail and flat else []), *flat, *gap,
                *(self._row(line, columns) for line in bar)]  # fmt: skip

    def _tail(self, most: int) -> list[Row]:
        """Return the last lines of the text that is still being written."""
        if not self._blocks.tail.strip():
            return []
        self._console.width = self._width
        drawn = self._drawn(Rendered(self._blocks.tail)).splitlines()
        return [Row(line, self._width) for line in drawn[-most:]]

    def _row(self, line: Text, columns: int) -> Row:
        cut = line.copy()
        # some terminals draw a sign two columns wide that others draw in one
        cut.truncate(max(columns - 2, 1), overflow="ellipsis")
        cut.no_wrap = True
        self._console.width = columns
        return Row(self._drawn(cut).rstrip("\n"), cut.cell_len)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Keep the screen moving while a turn runs."""
        self._last, self._thought = "prompt", ""
        self._waits()
        moving = asyncio.create_task(self._move())
        try:
            yield
        finally:
            moving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await moving
            self._since = None
            self._finish_text()
            self.work.settle()
            self._live.clear()

    async def _move(self) -> None:
        while True:
            self.refresh()
            await asyncio.sleep(_FRAME_SECONDS)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the terminal to a question."""
        self._is_aside = True
        self._live.clear()
        try:
            yield
        finally:
            self._is_aside = False
            self._last = "question"


def _without_spaces(found: re.Match[str]) -> str:
    """Return the colours at the end of a line: its spaces would break when the window narrows."""
    return found[0].replace(" ", "")
