"""The slash commands about the conversation: model, profile, sessions, cost, and leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.cli import conversed, output
from hermes.cli.chat import past
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
    runtime = chat.seat.runtime
    found = load("hermes.app.models").find_models(runtime.settings, runtime.environment)
    rows = [(chat.seat.model, "answers now", "")]
    for each in found:
        names = (f"{each.provider}:{model}" for model in each.models)
        rows += [(name, each.source, each.about) for name in names if name != chat.seat.model]
    output.print_table(("model", "", "about"), rows)


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
    budget = chat.seat.budget
    usage = budget.total
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


async def sessions(chat: Chat, rest: str) -> None:
    """List the conversations of before, or those that some words find."""
    rows, droppable = past.table(past.sessions_of(chat.seat), rest)
    if rows:
        output.print_table(conversed.COLUMNS, rows, droppable=droppable)
    else:
        chat.note("no session fits" if rest else "no session is kept yet")


async def resume(chat: Chat, rest: str) -> None:
    """Go on with a conversation of before."""
    await past.resume(chat.seat, rest or past.LAST)
    chat.recall()


async def new(chat: Chat, rest: str) -> None:
    """Begin a new conversation."""
    del rest
    await past.begin(chat.seat)
    chat.note("a new conversation begins")


async def undo(chat: Chat, rest: str) -> None:
    """Take back the last turn and, if that is asked for, what it changed."""
    if rest not in ("", "files"):
        raise HermesError(f"'/undo {rest}' is not known", hint="It is /undo, or /undo files.")
    files = past.undo_files(chat.seat) if rest else []
    said = past.undo(chat.seat)
    chat.note(f"taken back: {said}")
    for path in files:
        chat.note(f"brought back: {path}")
    if not rest:
        chat.note("files stay as they are; '/undo files' brings them back with the turn")
    elif not files:
        chat.note("it had changed no file that is kept")


async def compact(chat: Chat, rest: str) -> None:
    """Make the conversation shorter now."""
    del rest
    told = await chat.patiently(chat.seat.agent.compact())
    if told is not None:
        chat.note(told or "there is nothing to shorten yet")


async def todo(chat: Chat, rest: str) -> None:
    """Show what the agent has to do."""
    del rest
    lines = todo_lines(chat.seat.todos())
    output.print_lines([f"  {line}" for line in lines] or ["  nothing is on the list"])


async def leave(chat: Chat, rest: str) -> None:
    """Leave."""
    del chat, rest
    raise Leave
