"""Put the built-in model together; what is heavy is loaded when it is first needed."""

from __future__ import annotations

from functools import cache

from hermes.agent.builtin.brain import Brain
from hermes.agent.builtin.filling import Filler, Ranker, Writer
from hermes.agent.builtin.model import Builtin
from hermes.agent.builtin.weights import find_weights
from hermes.base.errors import ExtraMissing
from hermes.base.optional import load

_EXTRA = "builtin"


def opened(*, embeddings: bool, decoding: bool) -> Builtin:
    """Return the model."""
    ranker = cache(_ranker) if embeddings else _none
    writer = cache(_writer) if decoding else _none
    return Builtin(Brain(Filler(ranker, writer)))


def _none() -> None:
    return None


def _ranker() -> Ranker | None:
    """Return the embeddings, or None where the extra is not installed."""
    try:
        meanings: Ranker = load("hermes.agent.builtin.meanings", extra=_EXTRA).Meanings()
    except ExtraMissing:
        return None
    return meanings


def _writer() -> Writer | None:
    """Return the small model, or None where the engine or its weights are not installed."""
    weights = find_weights()
    if weights is None:
        return None
    try:
        decoder: Writer = load("hermes.agent.builtin.decoding", extra=_EXTRA).Decoder(weights)
    except ExtraMissing:
        return None
    return decoder
