"""The chat on a terminal: prompt, turn, prompt, until the person leaves."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from rich.text import Text

from hermes.agent.events import CallDone, CallProgress, CallStarted, Spent
from hermes.base.errors import HermesError
from hermes.base.text import plural
from hermes.cli import output
from hermes.cli.chat import completing, drawing, mentions, past, slash, status
from hermes.cli.chat.keys import Keys
from hermes.cli.chat.markdown import Rendered
from hermes.cli.chat.prompt import Prompt, history_in
from hermes.cli.chat.safe import one_line, safe
from hermes.cli.chat.screen import Screen
from hermes.cli.chat.slash_table import COMMANDS, words_after

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hermes.cli.chat.asking import Asking
    from hermes.cli.chat.seat import Seat
    from hermes.runtime.context import ToolContext

T = TypeVar("T")

_LEFT = 130
_STYLES = {"bar": "dim", "full": "red", "todo": ""}
_BY_HAND = "by hand"


class Chat:
    """Talk with an agent on this process's terminal."""

    commands = COMMANDS

    def __init__(self, seat: Seat, asking: Asking | None) -> None:
        self.seat = seat
        self.screen = Screen(sys.stdout, seat.work, self._bar)
        self._keys = Keys(sys.stdin, self._interrupt, self.expand)
        folder = lambda: seat.folder  # noqa: E731 - the seat's task may move
        about = {name: each.help for name, each in COMMANDS.items()}
        self._prompt = Prompt(
            completing.Sources(about, words_after(self), folder),
            self._toolbar,
            self.expand,
            history=history_in(seat.runtime.settings.home / "chat_history"),
        )
        self._presses = 0
        self._todos = tuple(seat.todos())
        self._turn: asyncio.Task[Any] | None = None
        self._stop: Callable[[], object] = lambda: None
        if asking is not None:
            self._ask_here(asking)

    def _ask_here(self, asking: Asking) -> None:
        asking.room, asking.reply = self._room, self._prompt.answer
        asking.put = output.print_lines
        self.seat.answer_with(asking.clarify)

    @contextmanager
    def _room(self) -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(self.screen.aside())
            stack.enter_context(self._keys.aside())
            yield

    async def run(self, typed: str = "") -> int:
        """Talk until the person leaves, who may have typed something already."""
        self._keys.type(typed)
        self.seat.runtime.services.on_progress = self._progress()
        while True:
            try:
                text = await self._prompt.ask(self._keys.take())
            except EOFError:
                return 0
            except KeyboardInterrupt:
                self._presses = max(self._presses, 1) + 1
                if self._presses > 2:
                    return _LEFT
                self.note("Ctrl-C again, or Ctrl-D, leaves")
                continue
            if not text.strip():
                continue
            self._presses = 0
            try:
                await self._answer(text)
            except slash.Leave:
                return 0 if self._presses < 3 else _LEFT

    async def _answer(self, text: str) -> None:
        try:
            command = slash.read(text)
            if command is None:
                await self.say(text)
            else:
                await slash.find(command[0], COMMANDS).act(self, command[1])
        except HermesError as error:
            output.print_error(error)
        self.screen.space()

    async def say(self, text: str) -> None:
        """Send a message, with the files that it names, and show the answer."""
        attached = await mentions.attached(text, self.seat.folder, self.seat.attach)
        for note in attached.notes:
            self.note(note)
        self._stop = self.seat.agent.interrupt
        await self._watched(self._show(attached))

    async def _show(self, attached: mentions.Attached) -> None:
        async for event in self.seat.run(attached.text, attached.media):
            if isinstance(event, Spent):
                self.seat.note(event)
            self.screen.show(event)
            if isinstance(event, CallDone):
                self._show_todos()

    def _show_todos(self) -> None:
        """Show the agent's list beneath the call that changed it."""
        todos = tuple(self.seat.todos())
        if todos != self._todos and todos:
            lines = [Text(f"     {line}") for line in status.todo_lines(todos)]
            self.screen.put(lines, "calls")
        self._todos = todos

    async def by_hand(self, name: str, args: dict[str, Any]) -> None:
        """Call a tool for the person, and show all of its answer."""
        self.seat.work.start(CallStarted(_BY_HAND, name, args))
        done = await self.patiently(self.seat.call(name, args))
        if done is not None:
            self.put(drawing.whole_call(self.seat.work.finish(done)))

    async def patiently(self, work: Awaitable[T]) -> T | None:
        """Wait for something that takes long; None when the person stopped it."""
        task = asyncio.ensure_future(work)
        self._stop = task.cancel
        await self._watched(asyncio.wait({task}))
        if task.cancelled():
            self.note("stopped")
            return None
        return task.result()

    async def _watched(self, work: Any) -> None:
        """Do something that Ctrl-C can stop, with the screen moving."""
        with self._keys.listening():
            async with self.screen.turn():
                self._turn = asyncio.ensure_future(work)
                await asyncio.wait({self._turn})
        if self._turn.cancelled():
            raise slash.Leave
        self._turn.result()

    def _interrupt(self) -> None:
        """Stop what runs; the third time, leave."""
        self._presses += 1
        if self._presses < 3:
            self._stop()
        elif self._turn is not None:
            self._turn.cancel()

    def _progress(self) -> Callable[[ToolContext, str], None]:
        """Return what shows how far a call by hand has come, whichever thread tells."""
        loop, work = asyncio.get_running_loop(), self.seat.work

        def tell(ctx: ToolContext, text: str) -> None:
            if _BY_HAND in work.running:
                event = CallProgress(_BY_HAND, ctx.tool, text)
                loop.call_soon_threadsafe(work.advance, event)

        return tell

    def expand(self) -> None:
        """Show all of the last call."""
        if self.seat.work.calls:
            self.put(drawing.whole_call(self.seat.work.calls[-1]))

    def put(self, parts: Iterable[RenderableType]) -> None:
        """Put something on the screen for good."""
        self.screen.put(parts)

    def note(self, text: str) -> None:
        """Tell the person something small."""
        self.screen.note(text)

    def recall(self) -> None:
        """Show how the conversation ended that goes on."""
        messages = self.seat.agent.messages
        person, model = past.ending(messages)
        self.note(f"{plural(len(messages), 'message')}; it ended so:")
        if person:
            self.screen.put([Text(f"  {one_line(person, 300)}", style="dim")], "calls")
        if model:
            self.screen.put([Rendered(safe(model))], "text")

    def _status(self, width: int) -> list[status.Segment]:
        seat = self.seat
        return status.lines(seat.model, seat.budget, seat.todos(), width, seat.profile)

    def _bar(self, width: int) -> list[Text]:
        return [Text(text, style=_STYLES[kind]) for kind, text in self._status(width)]

    def _toolbar(self) -> list[tuple[str, str]]:
        lines = self._status(output.width())
        ends = ["\n"] * (len(lines) - 1) + [""]
        return [
            (f"class:{kind}", text + end) for (kind, text), end in zip(lines, ends, strict=True)
        ]
