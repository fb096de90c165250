"""The slash commands about tools: ``/tools``, ``/toolsets``, ``/call`` and ``/show``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from hermes.base.errors import UnknownTool
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.cli import output
from hermes.cli.arguments import read_pairs
from hermes.cli.chat import drawing
from hermes.cli.command import Usage
from hermes.cli.describe import first_line

if TYPE_CHECKING:
    from hermes.cli.chat.slash import Chat


async def tools(chat: Chat, rest: str) -> None:
    """List the tools that the model is offered, or those that a word finds."""
    runtime = chat.seat.runtime
    offered = {each["function"]["name"] for each in runtime.definitions()}
    if rest:
        offered &= {hit.entry.name for hit in runtime.search(rest, limit=20)}
    entries = [each for each in runtime.registry.entries() if each.name in offered]
    entries.sort(key=lambda each: (each.toolset, each.name))
    if not entries:
        raise Usage(f"no tool on offer is about {rest!r}", hint="/tools shows them all.")
    rows = [(each.name, each.toolset, first_line(each.description)) for each in entries]
    output.print_table(("tool", "toolset", "about"), rows, group_by=1)


async def toolsets(chat: Chat, rest: str) -> None:
    """List the toolsets, or the tools of one."""
    runtime = chat.seat.runtime
    if rest:
        output.print_lines(runtime.toolsets.resolve(rest))
        return
    about = load("hermes.cli.toolset").about
    rows = [
        (name, str(len(runtime.toolsets.resolve(name))), about(each))
        for name, each in runtime.toolsets.get_all().items()
    ]
    rows.sort(key=lambda row: row[1] == "0")
    columns = ("toolset", "tools", "about")
    output.print_table(columns, rows, is_faint=lambda row: row[1] == "0")


async def call(chat: Chat, rest: str) -> None:
    """Call a tool by hand: the same fitting, judging and asking as for a model."""
    name, args = read_call(rest)
    runtime = chat.seat.runtime
    try:
        runtime.registry.find(name)
    except UnknownTool:
        near = did_you_mean(name, runtime.registry.names())
        raise Usage(f"there is no tool {name!r}", hint=near or "/tools shows them.") from None
    await chat.by_hand(name, args)


def read_call(rest: str) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments that a line means.

    Raises:
        Usage: it cannot be read.
    """
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise Usage(f"the line cannot be read: {error}", hint="Quotes come in pairs.") from error
    if not words:
        raise Usage("/call needs the name of a tool", hint="As in: /call read_file path=README.md")
    return words[0], read_pairs(words[1:])


async def show(chat: Chat, rest: str) -> None:
    """Show everything about a call: the last one, or the one with a number."""
    calls = chat.seat.work.calls
    if not calls:
        raise Usage("no tool was called yet")
    word = rest.removeprefix("#") or str(len(calls))
    if not word.isdecimal() or not 1 <= int(word) <= len(calls):
        raise Usage(f"/show takes the number of a call, from 1 to {len(calls)}")
    chat.put(drawing.whole_call(calls[int(word) - 1]))
