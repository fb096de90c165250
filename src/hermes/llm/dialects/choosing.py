"""Choose the dialect of a model by its name."""

from __future__ import annotations

import re

from hermes.base.errors import ConfigError
from hermes.base.text import did_you_mean
from hermes.llm.dialects.deepseek import DEEPSEEK
from hermes.llm.dialects.dialect import Dialect
from hermes.llm.dialects.fenced import FENCED
from hermes.llm.dialects.glm import GLM
from hermes.llm.dialects.hermes_tags import HERMES
from hermes.llm.dialects.kimi import KIMI
from hermes.llm.dialects.llama import LLAMA, PYTHONIC
from hermes.llm.dialects.mistral import MISTRAL
from hermes.llm.dialects.qwen_coder import QWEN_CODER

DIALECTS = {
    one.name: one
    for one in (HERMES, QWEN_CODER, GLM, LLAMA, PYTHONIC, MISTRAL, DEEPSEEK, KIMI, FENCED)
}

_FAMILIES = (  # the first that fits; what a model was trained on last stands before its base
    (r"hermes|nous", HERMES),
    (r"deepseek-?r1-?distill", HERMES),
    (r"deepseek", DEEPSEEK),
    (r"qwen-?3(\.\d+)?-?coder|qwen-?3\.5", QWEN_CODER),
    (r"qwen|qwq", HERMES),
    (r"glm-?(4\.[5-9]|[5-9])|glm-z", GLM),
    (r"kimi|moonshot", KIMI),
    (r"llama-?4|llama-?3\.2", PYTHONIC),
    (r"llama", LLAMA),
    (r"(mi|mini|magi|dev|code|pix)stral|mixtral", MISTRAL),
    (r"gpt-?oss|gemma|phi|smollm", FENCED),
)


def dialect_of(model: str) -> Dialect:
    """Return the dialect that a model of that name was most likely trained on."""
    name = model.partition(":")[2] or model  # a provider's name says nothing of the model
    name = name.lower().replace("_", "-")
    return next((dialect for words, dialect in _FAMILIES if re.search(words, name)), HERMES)


def dialect_named(name: str, model: str) -> Dialect:
    """Return a dialect by its name; ``auto`` chooses by the name of the model.

    Raises:
        ConfigError: there is no such dialect; the hint names the nearest.
    """
    if name == "auto":
        return dialect_of(model)
    if name not in DIALECTS:
        known = f"The dialects are auto, {', '.join(DIALECTS)}."
        hint = " ".join(filter(None, (did_you_mean(name, DIALECTS), known)))
        raise ConfigError(f"no dialect {name!r}", hint=hint)
    return DIALECTS[name]
