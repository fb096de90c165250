"""Conversations of before: list them, go on with one, take back the last turn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.cli import conversed

if TYPE_CHECKING:
    from hermes.base.messages import Message
    from hermes.cli.chat.seat import Seat
    from hermes.services.sessions import Sessions

LAST = "last"
_DROPPABLE = 3


def sessions_of(seat: Seat) -> Sessions:
    """Return what is kept of conversations."""
    found: Sessions = seat.runtime.services.get(load("hermes.services.sessions").Sessions)
    return found


def named(sessions: Sessions, name: str) -> str:
    """Return the id of a session by its id, the beginning of one, or its title.

    Raises:
        HermesError: there is none.
    """
    if name != LAST:
        return sessions.resume(name).id
    found = sessions.latest()
    if found is None:
        raise HermesError("no session is kept yet", hint="'hermes chat' begins one.")
    return found.id


def table(sessions: Sessions, words: str) -> tuple[list[tuple[str, ...]], int]:
    """Return the sessions as rows, the one used last first, and how many columns may go."""
    now = datetime.now().astimezone()
    return [conversed.row(each, now) for each in sessions.list(limit=15, query=words)], _DROPPABLE


async def resume(seat: Seat, name: str) -> None:
    """Have the seat go on with an earlier conversation.

    Raises:
        HermesError: there is none, or more than one.
    """
    wanted = named(sessions_of(seat), name)
    await seat.replace(seat.runtime.agent(seat.agent.model, session=wanted, source="cli"))


async def begin(seat: Seat) -> None:
    """Have the seat begin a new conversation."""
    await seat.replace(seat.runtime.agent(seat.agent.model, source="cli"))


def undo(seat: Seat) -> str:
    """Take back the last turn, and return what the person had said.

    What is kept of the conversation stays as it was; a copy without the turn goes on.

    Raises:
        HermesError: there is nothing to take back.
    """
    said = [each for each in seat.agent.messages if each.role != "system"]
    at = _last_turn(said)
    if at is None:
        raise HermesError("nothing was said yet")
    agent = seat.agent
    if agent.session_id:
        choices = {"session": _fork(seat), "task_id": agent.task_id, "source": "cli"}
        seat.sit_with(seat.runtime.agent(agent.model, **choices))
    else:
        agent.restart(said[:at])
    return said[at].text


def undo_files(seat: Seat) -> list[str]:
    """Bring back what the calls of the last turn changed, and return the paths.

    Raises:
        HermesError: somebody else changed it since, or it is not kept; nothing was done.
    """
    said = [each for each in seat.agent.messages if each.role != "system"]
    calls = {call.id for each in said[_last_turn(said) or 0 :] for call in each.calls}
    undoing = load("hermes.services.checkpoints.undoing")
    keeper = seat.runtime.services.get(load("hermes.services.checkpoints").Checkpoints)
    known = keeper.store.all()
    gone = undoing.undone(known)
    chosen = [
        one
        for one in known
        if one.call_id in calls and one.task_id == seat.agent.task_id and one.id not in gone
    ]
    plan = undoing.plan(keeper, chosen)
    for step in plan.problems:
        hint = "'hermes checkpoints diff' shows what is different."
        raise HermesError(f"{step.path}: {step.problem}; nothing was taken back", hint=hint)
    if plan.steps:
        undoing.perform(keeper, plan, workspace=seat.folder)
    return [step.path for step in plan.steps if step.is_kept]


def _last_turn(messages: Sequence[Message]) -> int | None:
    """Return where the last message of the person is."""
    found = [at for at, each in enumerate(messages) if each.role == "user"]
    return found[-1] if found else None


def _fork(seat: Seat) -> Any:
    """Return a copy of the session without its last turn; None where nothing would be left."""
    sessions = sessions_of(seat)
    entries = sessions.resume(seat.agent.session_id).entries()
    at = _last_turn([each.message for each in entries])
    if not at:
        return None
    return sessions.fork(seat.agent.session_id, at=entries[at - 1].id, task_id=seat.agent.task_id)


def ending(messages: Sequence[Message]) -> tuple[str, str]:
    """Return what was said last: by the person, and by the model."""
    person = next((each.text for each in reversed(messages) if each.role == "user"), "")
    model = next(
        (each.text for each in reversed(messages) if each.role == "assistant" and each.text), ""
    )
    return person, model
