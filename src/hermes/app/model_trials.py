"""Ask services which models they have, and try whether one answers and calls tools."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes.app.models import Found, endpoint_of, open_model
from hermes.base.messages import Message
from hermes.base.optional import load
from hermes.llm.anthropic import VERSION
from hermes.llm.contract import ModelError, Reply, Request, Retry, Usage
from hermes.llm.endpoint import Patience
from hermes.llm.finding import model_names
from hermes.llm.http import Wire
from hermes.llm.providers import Provider, find_provider
from hermes.llm.troubles import Failed

if TYPE_CHECKING:
    from hermes.base.messages import Json
    from hermes.config.settings import Settings

_LISTING = Patience(silence_seconds=10)
_PATHS = {"anthropic": "v1/models?limit=1000", "gemini": "models?pageSize=1000"}
_QUESTION = "Read the file notes.txt with the tool read_file."
_TOOL: Json = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Return what is in a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "The file to read."}},
            "required": ["path"],
        },
    },
}


class Trial(NamedTuple):
    """How a model did when it was tried."""

    name: str
    calls_tools: bool
    said: str
    first_seconds: float
    """Until the first sign of an answer."""
    seconds: float
    usage: Usage
    window: int
    retries: int


async def try_model(name: str | None, settings: Settings, environment: Mapping[str, str]) -> Trial:
    """Ask a model to call a tool, and return how it did.

    Raises:
        ConfigError: there is no such model, or its key is missing.
        ModelError: it gave no answer.
    """
    model = open_model(name, settings, environment)
    started, first, retries, reply = time.monotonic(), None, 0, Reply()
    try:
        async for piece in model.ask(Request((Message("user", _QUESTION),), (_TOOL,))):
            if isinstance(piece, Retry):
                retries += 1
            else:
                first = first or time.monotonic() - started
            if isinstance(piece, Reply):
                reply = piece
    finally:
        await model.close()
    seconds = time.monotonic() - started
    return Trial(
        model.name,
        any(call.name == _TOOL["function"]["name"] for call in reply.calls),
        reply.text,
        first or seconds,
        seconds,
        reply.usage,
        model.window,
        retries,
    )


async def offered(
    found: Sequence[Found], settings: Settings, environment: Mapping[str, str]
) -> list[Found | ModelError]:
    """Return the same providers with all the models that they offer, or why they do not say."""
    return await asyncio.gather(*(_offered(one, settings, environment) for one in found))


async def _offered(
    one: Found, settings: Settings, environment: Mapping[str, str]
) -> Found | ModelError:
    provider = find_provider(one.provider)
    if provider is None:
        return one
    wire = Wire(endpoint_of(provider, settings, environment), _LISTING)
    try:
        path = _PATHS.get(provider.protocol, "models")
        listed = await wire.fetch(path, _headers(provider, wire.endpoint.key))
    except Failed as failure:
        return failure.error
    finally:
        await wire.close()
    return one._replace(models=model_names(listed) or one.models)


def _headers(provider: Provider, key: str) -> dict[str, str]:
    if provider.protocol == "anthropic":
        return {"anthropic-version": VERSION, "x-api-key": key}
    if provider.protocol == "gemini":
        return {"x-goog-api-key": key}
    return {"authorization": f"Bearer {key}"} if key else {}


def try_now(name: str | None, settings: Settings, environment: Mapping[str, str]) -> Trial:
    """Try a model from where no loop runs."""
    trial: Trial = _wait(try_model(name, settings, environment))
    return trial


def offered_now(
    found: Sequence[Found], settings: Settings, environment: Mapping[str, str]
) -> list[Found | ModelError]:
    """Ask services for their models from where no loop runs."""
    told: list[Found | ModelError] = _wait(offered(found, settings, environment))
    return told


def _wait(work: Json) -> Json:
    return load("hermes.runtime.bridge").loop_thread().submit(work).result()
