"""Show a turn line by line, without moving the cursor: for plain terminals and for logs."""

from __future__ import annotations

from typing import TextIO

from hermes.agent.events import (
    CallDone,
    CallStarted,
    ChildSaid,
    Done,
    Event,
    Noted,
    Said,
    Taken,
)
from hermes.cli import output
from hermes.cli.chat import drawing
from hermes.cli.chat.safe import one_line, safe
from hermes.cli.chat.work import Work


class Lines:
    """Print what happens as it happens; what is said goes to one stream, the rest to another."""

    def __init__(self, said: TextIO | None, told: TextIO | None, work: Work) -> None:
        self.work = work
        self._said, self._told = said, told
        self._is_open = False
        """Whether a line of what is said is not ended yet."""

    def show(self, event: Event) -> None:
        """Take in what happened."""
        if isinstance(event, Said):
            self._say(safe(event.text))
            return
        self._end_line()
        if isinstance(event, CallStarted):
            self.work.start(event)
        elif isinstance(event, CallDone):
            call = self.work.finish(event)
            self.tell(*drawing.plainly(drawing.call_lines(call)))
        elif isinstance(event, ChildSaid):
            self.work.hear(event)
            ended = [drawing.child_line(one, 0, 0) for one in self.work.take_children()]
            self.tell(*drawing.plainly(ended))
        elif isinstance(event, Taken):
            self.tell(f"  · asked again: {one_line(event.why, 600)}")
        elif isinstance(event, Noted):
            self.tell(f"  · {one_line(event.text, 600)}")
        elif isinstance(event, Done):
            self.work.settle()
            if event.ending != "answered":
                self.tell(f"  ✗ {one_line(event.error or event.ending, 600)}")

    def _say(self, text: str) -> None:
        if self._said is None or not text:
            return
        self._said.write(output.showable(text, self._said))
        self._said.flush()
        self._is_open = not text.endswith("\n")

    def _end_line(self) -> None:
        if self._is_open and self._said is not None:
            self._said.write("\n")
            self._said.flush()
        self._is_open = False

    def tell(self, *lines: str) -> None:
        """Print lines that are no part of the answer."""
        if self._told is None:
            return
        for line in lines:
            print(output.showable(line, self._told), file=self._told, flush=True)
