"""Answer one question and end: for pipes, scripts and programs."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from typing import TYPE_CHECKING, Any, Protocol

from hermes.agent.events import Done, Event, Spent
from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.chat import greeting, mentions
from hermes.cli.chat.interactive import run, runtime_of
from hermes.cli.chat.json_lines import JsonLines
from hermes.cli.chat.seat import Seat, take_seat
from hermes.cli.commands import exit_code

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from hermes.base.messages import Media
    from hermes.cli.chat.asking import Asking

_CODES = {"answered": 0, "interrupted": 130}
_FAILED = 1


class Shows(Protocol):
    """Whatever shows events."""

    def show(self, event: Event) -> None:
        """Take in what happened."""


def answer(options: Namespace, question: str) -> int:
    """Print the answer to a question and return the exit code.

    The answer alone goes to standard output; what happens meanwhile goes to standard error, where
    a person watches.
    """
    try:
        return run(_answer(options, question))
    except HermesError as error:
        if not options.json:
            raise
        JsonLines().fail(error)
        return exit_code(error)


async def _answer(options: Namespace, question: str) -> int:
    asking = load("hermes.cli.chat.interactive").asking_here()
    async with runtime_of(options, asking) as runtime:
        seat, is_found = take_seat(runtime, options.model, options.resume)
        try:
            if not is_found and not options.json and sys.stderr.isatty():
                output.print_note(f"{seat.model} answers, an offline demo: no model was found")
            attached = await mentions.attached(question, seat.folder, _Attaching(seat))
            for told in attached.notes:
                if not options.json:
                    output.print_note(told)
            return await _run(seat, attached, asking, as_json=options.json)
        finally:
            await seat.close()


class _Attaching:
    """Attach files, and standard input where a message names ``@-``."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    async def __call__(self, name: str) -> str | Media:
        if name != mentions.STDIN:
            return await self._seat.attach(name)
        return await asyncio.to_thread(sys.stdin.read)


async def _run(
    seat: Seat, attached: mentions.Attached, asking: Asking | None, *, as_json: bool
) -> int:
    press = _interrupting(seat)
    if asking is not None:
        asking.put, asking.reply = _ask_aside, load("hermes.cli.chat.plain_chat").reply
        seat.answer_with(asking.clarify)
    if greeting.can_draw() and asking is not None and not as_json:
        return await _drawn(seat, attached, asking, press)
    with contextlib.suppress(NotImplementedError, ValueError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, press)
    if as_json:
        return await _shown(seat, attached, JsonLines())
    lines = load("hermes.cli.chat.plain").Lines(None, _watched(), seat.work)
    keep = _Keep()
    code = await _shown(seat, attached, lines, keep)
    if keep.done is not None and keep.done.text:
        text = keep.done.text
        if sys.stdout.isatty():
            text = load("hermes.cli.chat.safe").safe(text)
        output.write(text.rstrip("\n"))
    if keep.done is not None and keep.done.ending != "answered" and _watched() is None:
        output.print_note(keep.done.error or keep.done.ending)
    return code


class _Keep:
    """Keep how the turn ended."""

    done: Done | None = None

    def show(self, event: Event) -> None:
        """Take in what happened."""
        if isinstance(event, Done):
            self.done = event


def _watched() -> Any:
    return sys.stderr if sys.stderr.isatty() else None


async def _shown(seat: Seat, attached: mentions.Attached, *shows: Shows) -> int:
    code = _FAILED
    async for event in seat.run(attached.text, attached.media):
        if isinstance(event, Spent):
            seat.note(event)
        if isinstance(event, Done):
            code = _CODES.get(event.ending, _FAILED)
        for each in shows:
            each.show(event)
    return code


async def _drawn(
    seat: Seat, attached: mentions.Attached, asking: Asking, press: Callable[[], None]
) -> int:
    """Draw the turn as the chat does, for a person at the terminal."""
    one = load("hermes.cli.chat.interactive").one_screen(seat)
    keys = load("hermes.cli.chat.keys").Keys(sys.stdin, press, lambda: None)

    @contextlib.contextmanager
    def room() -> Iterator[None]:
        with one.aside(), keys.aside(), keys.spoken():
            yield

    asking.room = room
    with keys.listening():
        async with one.turn():
            return await _shown(seat, attached, one)


def _ask_aside(lines: Sequence[str]) -> None:
    """Print a question where it is no part of the answer."""
    for line in lines:
        print(output.showable(line, sys.stderr), file=sys.stderr)


def _interrupting(seat: Seat) -> Callable[[], None]:
    """Return what Ctrl-C does: stop the tool, stop the turn, and then everything."""
    presses = 0
    task = asyncio.current_task()

    def press() -> None:
        nonlocal presses
        presses += 1
        if presses < 3:
            seat.agent.interrupt()
        elif task is not None:
            task.cancel()

    return press
