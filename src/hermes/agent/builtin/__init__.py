"""The built-in brain ``hermes:builtin``: plain requests onto tools, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes.base.optional import load

if TYPE_CHECKING:
    from hermes.llm.contract import Model

NAME = "hermes:builtin"


def open_builtin(*, embeddings: bool = True, decoding: bool = True) -> Model:
    """Return the built-in model; what the extra ``builtin`` brings is used when it is there."""
    model: Model = load("hermes.agent.builtin.opening").opened(
        embeddings=embeddings, decoding=decoding
    )
    return model
