"""Write a conversation with calls as one of texts alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from hermes.base.messages import Message
from hermes.llm.contract import Request
from hermes.llm.dialects.dialect import Dialect, harmless

_REQUIRED = "You must call at least one tool now."


def rendered(request: Request, dialect: Dialect) -> Request:
    """Return the same question for a model that knows nothing of tools."""
    messages = [
        message
        for is_answer, some in groupby(request.messages, key=lambda one: one.role == "tool")
        for message in (_answers(list(some), dialect) if is_answer else _others(some, dialect))
    ]
    if request.definitions and request.tool_choice != "none":
        messages = _introduced(messages, request, dialect)
    return request._replace(messages=tuple(messages), definitions=(), tool_choice="auto")


def _introduced(messages: list[Message], request: Request, dialect: Dialect) -> list[Message]:
    about = dialect.introduce(request.definitions)
    if request.tool_choice == "required":
        about = f"{about}\n{_REQUIRED}"
    if messages and messages[0].role == "system":
        first = messages[0]
        return [first._replace(text=f"{first.text}\n\n{about}".lstrip()), *messages[1:]]
    return [Message("system", about), *messages]


def _answers(answers: Sequence[Message], dialect: Dialect) -> list[Message]:
    """Put the answers to one message's calls together, in a message that any model can read."""
    safe = [one._replace(text=harmless(one.text, dialect.closing)) for one in answers]
    media = tuple(item for one in answers for item in one.media)
    return [Message("user", dialect.write_answers(safe), media=media)]


def _others(messages: Iterator[Message], dialect: Dialect) -> Iterator[Message]:
    for message in messages:
        if not message.calls:
            yield message
            continue
        calls = dialect.write_calls(message.calls)
        text = f"{message.text}\n{calls}" if message.text else calls
        yield message._replace(text=text, calls=())
