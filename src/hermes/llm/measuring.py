"""Ask a server how many tokens its model takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes.base.messages import Json
from hermes.llm import values
from hermes.llm.asking import Measure
from hermes.llm.endpoint import Measured
from hermes.llm.troubles import Failed

if TYPE_CHECKING:
    from hermes.llm.http import Wire

_FIELDS = (
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "inputTokenLimit",
    "max_input_tokens",
)


def measure_of(provider: str, model: str) -> Measure:
    """Return the way in which a provider is asked for the window of a model."""

    async def measure(wire: Wire, headers: dict[str, str]) -> Measured:
        if provider == "ollama":
            return Measured(await _of_ollama(wire, model))
        path = "/api/v0/models" if provider == "lmstudio" else "models"
        listed = await wire.fetch(path, headers)
        window = window_in(listed, model)
        if any(
            row.get("owned_by") == "llamacpp" for row in values.objects(values.at(listed, "data"))
        ):
            return await _of_llamacpp(wire, headers, window)
        return Measured(window)

    return measure


async def _of_llamacpp(wire: Wire, headers: dict[str, str], window: int) -> Measured:
    """Return what the server was started with; a template without tools drops them silently."""
    told = await wire.fetch("/props", headers)
    context = values.number(told, "default_generation_settings", "n_ctx")
    has_tools = values.at(told, "chat_template_caps", "supports_tools") is not False
    return Measured(context or window, has_tools)


async def _of_ollama(wire: Wire, model: str) -> int:
    """Return what the model was loaded with; before that, what its file asks for."""
    loaded = await wire.fetch("/api/ps", {})
    for row in values.objects(values.at(loaded, "models")):
        if values.text(row.get("name")).removesuffix(":latest") == model.removesuffix(":latest"):
            return values.number(row.get("context_length"))
    try:
        shown = await wire.fetch("/api/show", {}, {"model": model})
    except Failed:
        return 0
    for line in values.text(values.at(shown, "parameters")).splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdecimal():
            return int(value)
    return 0


def window_in(listed: Json, model: str) -> int:
    """Return the window that a list of models names for one of them; 0 when it does not."""
    rows = [
        *values.objects(values.at(listed, "data")),
        *values.objects(values.at(listed, "models")),
    ]
    for row in rows:
        name = values.text(row.get("id")) or values.text(row.get("name"))
        if name.removeprefix("models/") != model:
            continue
        told = (values.number(row.get(field)) for field in _FIELDS)
        return next((one for one in told if one), values.number(row, "meta", "n_ctx"))
    return 0
