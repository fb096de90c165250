"""Sessions as text: JSONL that can be kept again, Markdown to read, ShareGPT to train on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from hermes.base.errors import HermesError
from hermes.base.json import pretty
from hermes.base.messages import Json, Message, ToolCall
from hermes.base.text import did_you_mean
from hermes.services.sessions.importing import VERSION
from hermes.services.sessions.records import Facts, Stored, dumped, loaded
from hermes.services.sessions.session import Session

_NAMES = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}
_FROM = {"user": "human", "assistant": "gpt", "system": "system", "tool": "tool"}


def export(session: Session, form: str, *, tools: Sequence[Json] | None = None) -> Iterator[str]:
    """Return the lines of a session in one of the forms.

    ``tools`` are the definitions for ShareGPT, where others than those it began with are meant.

    Raises:
        HermesError: there is no such form.
    """
    if form not in FORMS:
        raise HermesError(
            f"sessions are not exported as {form!r}",
            hint=did_you_mean(form, FORMS) or f"There are {', '.join(FORMS)}.",
        )
    if form == "sharegpt":
        return sharegpt(session, tools)
    return FORMS[form](session)


def jsonl(session: Session) -> Iterator[str]:
    """Yield a line for the session, then one for each message; nothing is left out."""
    facts = session.facts()
    head: dict[str, Json] = {"type": "session", "version": VERSION}
    head |= {name: getattr(facts, name) for name in Facts.__dataclass_fields__}
    head |= {"system": session.system(), "tools": session.tools()}
    if compaction := session.compaction():
        head["compaction"] = dict(zip(("summary", "kept_from"), compaction, strict=True))
    yield dumped(head)
    for entry in session.all_entries():
        yield dumped({"type": "message", **entry_as_json(entry)})


def entry_as_json(entry: Stored) -> dict[str, Json]:
    """Return a message with its id as a JSON object; what is empty is left out."""
    found: dict[str, Json] = {"id": entry.id, "at": entry.at, **as_json(entry.message)}
    return {**found, "about": dict(entry.about)} if entry.about else found


def as_json(message: Message) -> dict[str, Json]:
    """Return a message as a JSON object; what is empty is left out."""
    found: dict[str, Json] = message._asdict()
    found["media"] = [each._asdict() for each in message.media]
    found["calls"] = [call._asdict() for call in message.calls]
    found["extra"] = dict(message.extra)
    kept = {"role", "text"}
    return {name: value for name, value in found.items() if value or name in kept}


def markdown(session: Session) -> Iterator[str]:
    """Yield a session for people: who said what, what was called, what came of it."""
    facts = session.facts()
    yield f"# {_one_line(facts.name)}\n"
    when = datetime.fromtimestamp(facts.created, tz=UTC)
    said = [f"session {facts.id}", f"{when:%Y-%m-%d %H:%M} UTC", facts.model, facts.workspace]
    yield f"{' · '.join(part for part in said if part)}\n"
    for entry in session.all_entries():
        yield from _section(entry)


def _section(entry: Stored) -> Iterator[str]:
    message = entry.message
    who = _NAMES[message.role] + (f" `{message.name}`" if message.name else "")
    yield f"## {who}\n"
    if message.reasoning:
        quoted = "\n".join(f"> {line}".rstrip() for line in message.reasoning.splitlines())
        yield f"{quoted}\n"
    if message.role == "tool":
        yield f"{_fenced(_readable(message.text), 'json')}\n"
    elif message.text:
        yield f"{message.text}\n"
    for media in message.media:
        yield f"*{media.kind}: {media.url or f'{media.type}, {len(media.data):,} characters'}*\n"
    for call in message.calls:
        yield f"Calls `{call.name}`:\n\n{_fenced(_readable(call.arguments), 'json')}\n"


def sharegpt(session: Session, tools: Sequence[Json] | None = None) -> Iterator[str]:
    """Yield one line: a trajectory as models are trained on it, with every call answered."""
    facts = session.facts()
    turns: list[dict[str, str]] = []
    messages = session.messages()
    system = session.system()
    if system and not any(message.role == "system" for message in messages):
        turns.append({"from": "system", "value": system})
    for message in messages:
        turn = {"from": _FROM[message.role], "value": _value(message)}
        if message.role == "tool" and turns and turns[-1]["from"] == "tool":
            turns[-1]["value"] += f"\n{turn['value']}"
        else:
            turns.append(turn)
    offered = session.tools() if tools is None else list(tools)
    yield dumped({"id": facts.id, "model": facts.model, "conversations": turns, "tools": offered})


def _value(message: Message) -> str:
    if message.role == "tool":
        content = {"tool_call_id": message.call_id, "name": message.name}
        return _tagged("tool_response", {**content, "content": _parsed(message.text)})
    parts = [f"<think>\n{message.reasoning}\n</think>"] if message.reasoning else []
    parts += [message.text] if message.text else []
    parts += [f"[{media.kind}: {media.url or media.type}]" for media in message.media]
    parts += [_tagged("tool_call", _called(call)) for call in message.calls]
    return "\n".join(parts)


def _called(call: ToolCall) -> dict[str, Json]:
    arguments = call.arguments
    return {
        "name": call.name,
        "arguments": _parsed(arguments) if isinstance(arguments, str) else arguments,
    }


def _tagged(tag: str, value: Json) -> str:
    return f"<{tag}>\n{dumped(value)}\n</{tag}>"


def _parsed(text: str) -> Json:
    """Return the JSON value of a text, or the text."""
    try:
        return loaded(text)
    except ValueError:
        return text


def _readable(value: Any) -> str:
    value = _parsed(value) if isinstance(value, str) else value
    return value if isinstance(value, str) else pretty(value)


def _fenced(text: str, language: str) -> str:
    """Return a text between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


FORMS: dict[str, Callable[[Session], Iterator[str]]] = {
    "jsonl": jsonl,
    "markdown": markdown,
    "sharegpt": sharegpt,
}
"""What a session can be exported as."""
