"""Open what the chat needs: the runtime, the seat, the screen; and close it all again."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine, Iterable
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import output
from hermes.cli.call import in_environment
from hermes.cli.chat import greeting
from hermes.cli.chat.asking import Asking
from hermes.cli.chat.seat import Seat, take_seat
from hermes.cli.command import Usage
from hermes.runtime.toolsets import UnknownToolset

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.app import Runtime
    from hermes.cli.chat.greeting import Painted
    from hermes.cli.chat.screen import Screen

_SIGNALLED = 128


def converse(options: Namespace, painted: Painted) -> int:
    """Let a person talk with an agent, in place of what was painted; returns the exit code."""
    return run(_converse(options, painted))


def run(work: Coroutine[Any, Any, int]) -> int:
    """Run a chat on a loop of its own and return its exit code.

    Who ends the process with a signal gets the terminal back as it was.
    """
    ended_by: list[int] = []

    async def watched() -> int:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, _end, task, ended_by, number)
        return await work

    with asyncio.Runner() as runner:
        try:
            return runner.run(watched())
        except asyncio.CancelledError:
            return _SIGNALLED + (ended_by or [signal.SIGINT])[0]


def _end(task: asyncio.Task[int], ended_by: list[int], number: int) -> None:
    ended_by.append(number)
    task.cancel()


async def _converse(options: Namespace, painted: Painted) -> int:
    asking = asking_here()
    async with runtime_of(options, asking) as runtime:
        seat, is_found = take_seat(runtime, options.model, options.resume)
        try:
            chat = _chat(seat, asking)
            lines = _lines(seat, is_found=is_found)
            typed = painted.end()
            _print_dim(lines)
            if options.resume:
                chat.recall()
            code: int = await chat.run(typed)
            if seat.agent.session_id:
                output.print_note(f"'hermes chat --resume {seat.agent.session_id}' goes on")
        finally:
            await seat.close()
        return code


def runtime_of(options: Namespace, asking: Asking | None) -> Runtime:
    """Return the runtime that the options want.

    Raises:
        Usage: a toolset is not known.
    """
    toolsets = [name.strip() for name in (options.toolsets or "").split(",") if name.strip()]
    try:
        runtime: Runtime = load("hermes.app").Runtime(
            profile=options.profile,
            toolsets=toolsets or None,
            approver=asking,
            config=in_environment(options.env),
        )
    except UnknownToolset as error:
        raise Usage(error.message, hint=error.hint) from error
    return runtime


def asking_here() -> Asking | None:
    """Return who is asked: the person at this terminal, or nobody where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    console = load("hermes.cli.approver").on_terminal()
    return None if console is None else Asking(console)


def _chat(seat: Seat, asking: Asking | None) -> Any:
    """Return the chat for this terminal; loads all that is heavy."""
    if greeting.can_draw():
        return load("hermes.cli.chat.chatting").Chat(seat, asking)
    return load("hermes.cli.chat.plain_chat").PlainChat(seat, asking)


def _lines(seat: Seat, *, is_found: bool) -> list[str]:
    """Return who answers and with what."""
    runtime = seat.runtime
    tools = len(runtime.definitions())
    broken = len({where for where, _ in runtime.problems() if "/" in where})
    lines = [greeting.state(seat.model, tools, seat.profile)]
    if not is_found:
        lines = list(greeting.without_model(tools))
    if broken:
        lines.append(f"{plural(broken, 'tool file')} cannot be used: hermes tool doctor")
    return lines


def _print_dim(lines: Iterable[str]) -> None:
    wrapped = load("hermes.cli.layout").wrapped
    for line in lines:
        for row in wrapped(line, output.reading_width(), indent="  "):
            output.write(f"\033[2m{row}\033[0m" if greeting.has_colour() else row)
    output.write("")


def one_screen(seat: Seat) -> Screen:
    """Return a screen for a single turn, which has no status bar."""
    screen: Screen = load("hermes.cli.chat.screen").Screen(sys.stdout, seat.work, _no_bar)
    return screen


def _no_bar(width: int) -> list[Any]:
    del width
    return []
