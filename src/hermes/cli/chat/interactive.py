"""Open what the chat needs: the runtime, the seat, the screen; and close it all again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import output
from hermes.cli.call import in_environment
from hermes.cli.chat import greeting
from hermes.cli.chat.asking import Asking
from hermes.cli.chat.seat import Seat, take_seat

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.app import Runtime
    from hermes.cli.chat.screen import Screen


def converse(options: Namespace) -> int:
    """Let a person talk with an agent; returns the exit code."""
    with asyncio.Runner() as runner:
        return runner.run(_converse(options))


async def _converse(options: Namespace) -> int:
    asking = asking_here()
    async with runtime_of(options, asking) as runtime:
        seat, note = take_seat(runtime, options.model, options.resume)
        try:
            _greet(seat, note)
            if not greeting.can_draw():
                code: int = await load("hermes.cli.chat.plain_chat").talk(seat, asking)
                return code
            code = await load("hermes.cli.chat.chatting").Chat(seat, asking).run()
        finally:
            await seat.close()
        return code


def runtime_of(options: Namespace, asking: Asking | None) -> Runtime:
    """Return the runtime that the options want."""
    toolsets = [name.strip() for name in (options.toolsets or "").split(",") if name.strip()]
    runtime: Runtime = load("hermes.app").Runtime(
        profile=options.profile,
        toolsets=toolsets or None,
        approver=asking,
        config=in_environment(options.env),
    )
    return runtime


def asking_here() -> Asking | None:
    """Return who is asked: the person at this terminal, or nobody where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    console = load("hermes.cli.approver").on_terminal()
    return None if console is None else Asking(console)


def _greet(seat: Seat, note: str) -> None:
    """Put who answers in place of the painted prompt."""
    runtime = seat.runtime
    tools = len(runtime.definitions())
    broken = len({where for where, _ in runtime.problems() if "/" in where})
    lines = [greeting.state(seat.model, tools, seat.profile)]
    if note:
        lines = list(greeting.without_model(note, tools))
    if broken:
        lines.append(f"{plural(broken, 'tool file')} cannot be used: hermes tool doctor")
    greeting.unpaint()
    _print_dim(lines)
    output.write("")


def _print_dim(lines: Iterable[str]) -> None:
    wrapped = load("hermes.cli.layout").wrapped
    for line in lines:
        for row in wrapped(line, output.reading_width(), indent="  "):
            output.write(f"\033[2m{row}\033[0m" if greeting.has_colour() else row)


def one_screen(seat: Seat) -> Screen:
    """Return a screen for a single turn, which has no status bar."""
    screen: Screen = load("hermes.cli.chat.screen").Screen(sys.stdout, seat.work, _no_bar)
    return screen


def _no_bar(width: int) -> list[Any]:
    del width
    return []
