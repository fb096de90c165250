"""Put one question to the configured model, outside of any conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

from hermes.app.models import open_model
from hermes.base.errors import ConfigError, ToolError, Unavailable
from hermes.base.messages import Media, Message
from hermes.config.settings import Settings
from hermes.llm.contract import ModelError, Reply, Request

_LONGEST_ANSWER = 2_000


async def answer_of(
    settings: Settings,
    environment: Mapping[str, str],
    text: str,
    *,
    media: Sequence[Media] = (),
    model: str | None = None,
) -> str:
    """Return what the model answers.

    Raises:
        Unavailable: there is no model to ask.
        ToolError: it gave no answer; says why.
    """
    try:
        asked = open_model(model, settings, environment)
    except ConfigError as error:
        raise Unavailable("no model is configured to answer this", hint=error.hint) from error
    question = Message("user", text, media=tuple(media))
    request = Request((question,), max_tokens=_LONGEST_ANSWER)
    try:
        pieces: Any = asked.ask(request)
        async with aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, Reply):
                    return piece.text.strip()
    except ModelError as error:
        raise ToolError(error.message, code="model_error", hint=error.hint) from error
    finally:
        await asked.close()
    raise ToolError(f"{asked.name} gave no answer", code="model_error")
