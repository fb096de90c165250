"""The chat where nothing can be drawn over: one line in, plain lines out."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

from hermes.agent.events import CallDone, Spent
from hermes.base.errors import HermesError
from hermes.cli import output
from hermes.cli.chat import drawing, greeting, mentions, past, slash
from hermes.cli.chat.plain import Lines
from hermes.cli.chat.safe import one_line, safe
from hermes.cli.chat.slash_table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Sequence

    from hermes.cli.chat.asking import Asking
    from hermes.cli.chat.seat import Seat


class PlainChat:
    """Talk with an agent line by line; the same commands work."""

    commands = COMMANDS

    def __init__(self, seat: Seat, asking: Asking | None) -> None:
        self.seat = seat
        self._lines = Lines(sys.stdout, sys.stdout, seat.work)
        if asking is not None:
            asking.put, asking.reply = output.print_lines, reply
            seat.answer_with(asking.clarify)

    async def run(self, typed: str = "") -> int:
        """Talk until the input ends; returns the exit code."""
        del typed  # a plain terminal keeps it for the next line
        while True:
            line = await _line(greeting.mark())
            if not line:
                return 0
            try:
                await self._answer(line)
            except slash.Leave:
                return 0
            except HermesError as error:
                output.print_error(error)

    async def _answer(self, line: str) -> None:
        command = slash.read(line)
        if command is not None:
            await slash.find(command[0], COMMANDS).act(self, command[1])
        elif line.strip():
            await self.say(line.strip())

    async def say(self, text: str) -> None:
        """Send a message and print what comes."""
        attached = await mentions.attached(text, self.seat.folder, self.seat.attach)
        for note in attached.notes:
            self.note(note)
        async for event in self.seat.run(attached.text, attached.media):
            if isinstance(event, Spent):
                self.seat.note(event)
            self._lines.show(event)

    async def by_hand(self, name: str, args: dict[str, Any]) -> None:
        """Call a tool for the person, and show all of its answer."""
        done: CallDone = await self.seat.call(name, args)
        self.put(drawing.whole_call(self.seat.work.finish(done)))

    async def patiently(self, work: Awaitable[str]) -> str | None:
        """Wait for something that takes long."""
        return await work

    def put(self, parts: Iterable[Any]) -> None:
        """Print drawn lines without colours."""
        self._lines.tell(*drawing.plainly(parts))

    def note(self, text: str) -> None:
        """Tell the person something small."""
        self._lines.tell(f"  · {one_line(text, 600)}")

    def recall(self) -> None:
        """Show how the conversation ended that goes on."""
        for text in past.ending(self.seat.agent.messages):
            self._lines.tell(*safe(text).splitlines())


async def _line(mark: str) -> str:
    sys.stdout.flush()
    print(mark, end="", file=sys.stderr, flush=True)
    return await asyncio.to_thread(sys.stdin.readline)


async def reply(words: Sequence[str]) -> str:
    """Return the line that answers a question."""
    del words
    return await _line("  > ")
