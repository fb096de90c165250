"""The slash commands about the conversation: model, profile, sessions, cost, and leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.chat.slash import Leave
from hermes.cli.chat.status import cost as paid
from hermes.cli.chat.status import todo_lines
from hermes.cli.layout import pairs

if TYPE_CHECKING:
    from hermes.cli.chat.slash import Chat

_KEYS = (
    ("Enter", "send; a backslash before it, Alt-Enter or Ctrl-J begin a new line"),
    ("@file", "attach a file or a picture; Tab completes"),
    ("Ctrl-C", "stop the tool; again: stop the turn; a third time: leave"),
    ("Ctrl-O", "expand the last call, as /show does"),
    ("Ctrl-R", "search what you wrote before; a line that begins with a space is not kept"),
    ("Ctrl-D", "leave"),
)


async def help(chat: Chat, rest: str) -> None:
    """Show the commands and the keys."""
    del chat, rest
    known = load("hermes.cli.chat.slash_table").COMMANDS
    rows = [(f"/{name} {each.usage}".rstrip(), each.help) for name, each in known.items()]
    left = max(len(name) for name, _ in (*rows, *_KEYS))
    width = output.reading_width()
    output.print_lines([*pairs(rows, width, left=left), "", *pairs(_KEYS, width, left=left)])


async def model(chat: Chat, rest: str) -> None:
    """Show which model answers and which others there are, or change it."""
    if rest:
        await chat.seat.change_model(rest)
        chat.note(f"{chat.seat.model} answers from now on")
        return
    chat.note(f"{chat.seat.model} answers")


async def profile(chat: Chat, rest: str) -> None:
    """Show the permission profiles, or have another one in force."""
    if rest:
        chat.seat.change_profile(rest)
        chat.note(f"calls are judged by the profile {chat.seat.profile!r} from now on")
        return
    runtime = chat.seat.runtime
    known = load("hermes.app.profiles").known_profiles(runtime.settings)
    rows = [
        (name, "in force" if name == chat.seat.profile else "", found.description)
        for name, found in sorted(known.by_name.items())
    ]
    output.print_table(("profile", "", "about"), rows)


async def cost(chat: Chat, rest: str) -> None:
    """Show what the conversation cost."""
    del rest
    usage, budget = chat.seat.agent.usage, chat.seat.budget
    facts = [
        ("model", chat.seat.model),
        ("read", f"{usage.input:,} tokens" + _of(usage.cached, "from the provider's cache")),
        ("written", f"{usage.output:,} tokens" + _of(usage.reasoning, "thought, not said")),
    ]
    if budget.context:
        share = f", {budget.percent}% of {budget.window:,}" if budget.window else ""
        facts.append(("context", f"{budget.context:,} tokens{share}"))
    facts.append(("paid", paid(usage) or "the price is not known"))
    output.print_facts(facts)


def _of(count: int, what: str) -> str:
    return f", {count:,} of them {what}" if count else ""


async def todo(chat: Chat, rest: str) -> None:
    """Show what the agent has to do."""
    del rest
    lines = todo_lines(chat.seat.todos())
    output.print_lines([f"  {line}" for line in lines] or ["  nothing is on the list"])


async def leave(chat: Chat, rest: str) -> None:
    """Leave."""
    del chat, rest
    raise Leave
