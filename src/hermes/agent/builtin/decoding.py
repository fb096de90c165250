"""Fill the arguments of a tool with a small model that can write nothing but what fits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import xllamacpp  # type: ignore[import-untyped]  # it ships no types

from hermes.base.messages import Json

_SHOWN = (
    ("will it snow in Tokyo", {"city": "Tokyo"}),
    ("open the file /var/log/app.log", {"path": "/var/log/app.log"}),
    ("look up the height of Everest", {"query": "height of Everest"}),
    ("send 'on my way' to Bob", {"recipient": "Bob", "message": "on my way"}),
    ("convert 30 euros to dollars", {"amount": 30, "to": "dollars"}),
)
_KEPT = ("type", "enum", "minimum", "maximum", "items")


class Decoder:
    """A small model behind a grammar; one thread, because more are slower on a busy machine."""

    def __init__(self, weights: Path) -> None:
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(weights)
        parameters.n_ctx, parameters.n_parallel = 1024, 1
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
        parameters.verbosity = -1
        self._server = xllamacpp.Server(parameters)

    def arguments(self, request: str, schema: Mapping[str, Json]) -> dict[str, Json]:
        """Return an object that fits the schema, filled from the request."""
        properties = schema.get("properties") or {}
        wanted = {
            "type": "object",
            "properties": {key: _narrowed(kind) for key, kind in properties.items()},
            "required": list(properties),
            "additionalProperties": False,
        }
        answer = self._server.handle_completions(
            {
                "prompt": _prompt(request),
                "max_tokens": 80,
                "temperature": 0,
                "json_schema": wanted,
            }
        )
        return _said(answer["choices"][0]["text"], request)


def _narrowed(kind: Mapping[str, Json]) -> dict[str, Json]:
    """Return the schema of one parameter without what a grammar does not need."""
    kept = {key: kind[key] for key in _KEPT if key in kind}
    if kept.get("type", "string") == "string" and "enum" not in kept:
        kept = {"type": "string", "maxLength": 80}
    return kept


def _prompt(request: str) -> str:
    shown = "".join(f"Input: {text}\nOutput: {json.dumps(value)}\n" for text, value in _SHOWN)
    return f"Extract the arguments.\n{shown}Input: {request}\nOutput: "


def _said(text: str, request: str) -> dict[str, Json]:
    """Return what was written, without texts that the request does not hold: those are made up."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    low = request.lower()
    return {
        key: value
        for key, value in found.items()
        if not isinstance(value, str) or (value.strip() and value.strip().lower() in low)
    }
