"""Look into earlier conversations."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from hermes.base.errors import HermesError, InvalidArguments
from hermes.base.optional import load
from hermes.services.sessions import Sessions
from hermes.tools import Field, ToolContext, ToolError, tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes.services.sessions.hits import Hit
    from hermes.services.sessions.records import Facts, Stored

_ROLES = ("user", "assistant", "tool")
_LONGEST = 800
_NEAR = 2_000
_FIRST, _LAST = 20, 10


@tool(toolset="session_search", effects="read", parallel=True, emoji="🗂️")
def session_search(
    query: str = "",
    limit: Annotated[int, Field(ge=1, le=10)] = 3,
    sort: Literal["relevance", "newest", "oldest"] = "relevance",
    session_id: str = "",
    around_message_id: int | None = None,
    window: Annotated[int, Field(ge=1, le=20)] = 5,
    role_filter: str = "",
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Search earlier conversations, or read one. Use it when the user refers to past work.

    With query: the best sessions, each with the hit, what is around it, how it began and ended.
    With session_id and around_message_id: more around that message. With session_id alone: its
    beginning and its end. Without arguments: the newest sessions.

    Args:
        query: Words to look for; "quoted words" must stand together.
        limit: How many sessions.
        sort: What comes first.
        session_id: The session to read, as a search named it.
        around_message_id: The message to look around, as a search named it.
        window: How many messages before and after it.
        role_filter: Only messages of these, with commas: user, assistant, tool.
    """
    sessions = ctx.use(Sessions)
    try:
        if session_id and around_message_id is not None:
            return _around(sessions, session_id, around_message_id, window)
        if session_id and not query.strip():
            return _whole(sessions, session_id)
        if not query.strip():
            return _newest(sessions, ctx.task_id, limit)
        how = {"limit": limit, "sort": sort, "window": window, "roles": _roles(role_filter)}
        return _found(sessions, ctx.task_id, query, session_id, how)
    except (ToolError, InvalidArguments):
        raise
    except HermesError as error:
        raise ToolError(error.message, hint="Leave out all arguments to see the newest.") from error


def _found(
    sessions: Sessions, task_id: str, query: str, session_id: str, how: dict[str, Any]
) -> dict[str, Any]:
    now = sessions.of_task(task_id)
    within = sessions.resume(session_id).id if session_id else ""
    besides = now.id if now and not within else ""
    found = sessions.search(query, besides=besides, within=within, **how)
    told: dict[str, Any] = {"query": query, "sessions": [_hit(hit) for hit in found.hits]}
    if not found.hits:
        told["hint"] = "Try fewer or other words, or no query to see the newest sessions."
    elif not found.is_complete:
        told["hint"] = "There are many hits; more words narrow them, sort changes their order."
    return told


def _hit(hit: "Hit") -> dict[str, Any]:
    near = {entry.id for entry in hit.entries}
    return {
        **_facts(hit.session),
        "hit": {"message_id": hit.id, "role": hit.role, "snippet": hit.snippet},
        "hits": hit.hits,
        "begins": [_told(entry) for entry in hit.first if entry.id not in near],
        "around": [_told(entry) for entry in hit.entries],
        "ends": [_told(entry) for entry in hit.last if entry.id not in near],
    }


def _around(sessions: Sessions, name: str, message: int, window: int) -> dict[str, Any]:
    stretch = sessions.around(name, message, window=window)
    return {
        **_facts(stretch.session),
        "messages": _all(stretch.entries, _NEAR),
        "messages_before": stretch.before,
        "messages_after": stretch.after,
    }


def _whole(sessions: Sessions, name: str) -> dict[str, Any]:
    head, *tail = sessions.ends(name, first=_FIRST, last=_LAST)
    told = {**_facts(head.session), "messages": _all(head.entries, _LONGEST)}
    if tail:
        left_out = head.after - len(tail[0].entries)
        told |= {"left_out": left_out, "ends": _all(tail[0].entries, _LONGEST)}
        told["hint"] = "Use around_message_id to read what was left out."
    return told


def _newest(sessions: Sessions, task_id: str, limit: int) -> dict[str, Any]:
    now = sessions.of_task(task_id)
    found = [facts for facts in sessions.list(limit=limit + 1) if not now or facts.id != now.id]
    return {"sessions": [_facts(facts) for facts in found[:limit]]}


def _facts(session: "Facts") -> dict[str, Any]:
    moments = load("datetime")
    when = moments.datetime.fromtimestamp(session.updated, tz=moments.UTC)
    told = {
        "session_id": session.id,
        "title": session.name[:120],
        "when": f"{when:%Y-%m-%d %H:%M} UTC",
        "message_count": session.messages,
        "workspace": session.workspace,
    }
    return {name: value for name, value in told.items() if value}


def _all(entries: "Iterable[Stored]", limit: int) -> list[dict[str, Any]]:
    return [_told(entry, limit) for entry in entries]


def _told(entry: "Stored", limit: int = _LONGEST) -> dict[str, Any]:
    """Return a message for a model, cut in its middle where it is long."""
    message = entry.message
    shorten = load("hermes.base.text").head_and_tail
    told: dict[str, Any] = {"message_id": entry.id, "role": message.role}
    if message.name:
        told["tool"] = message.name
    if message.text:
        told["text"] = shorten(message.text, limit)
    if message.calls:
        told["calls"] = [
            f"{call.name} {shorten(str(call.arguments), limit // 4)}" for call in message.calls
        ]
    return told


def _roles(text: str) -> tuple[str, ...]:
    roles = tuple(word.strip().lower() for word in text.split(",") if word.strip())
    unknown = [role for role in roles if role not in _ROLES]
    if unknown:
        raise InvalidArguments(
            f"role_filter: {unknown[0]!r} is no role", hint=f"There are {', '.join(_ROLES)}."
        )
    return roles
