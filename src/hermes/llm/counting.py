"""Estimate how many tokens a model would make of something, without its tokenizer.

Text is cut the way the tokenizers of today's models do it: short words are one token, digits go
in threes, marks in runs, and scripts other than Latin cost more per letter. For prose, code and
JSON the estimate is within 15 % of what OpenAI's, Meta's and DeepSeek's models count. Listings of
files and long encoded data have up to a fifth more tokens than estimated, and tables of numbers up
to a third more with tokenizers that spell out every digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hermes.base import json
from hermes.base.messages import Json, Media, Message

_ASCII = re.compile(
    r"[ ./_(]?[A-Z]?[a-z]{1,7}|[A-Z]{1,3}|[0-9]{1,3}|[ \t]{2,}|\s*\n\s*|[!-/:-@\[-^`{-~]{1,3}"
)
_CLASSES = (
    (re.compile("[\u00a1-\u036f\u2000-\u206f]"), 1.0),  # accents and typographic marks
    (re.compile("[\u0370-\u058f\u1000-\u10ff\u13a0-\u1cff]{1,3}"), 0.75),  # Greek, Cyrillic, …
    (re.compile("[\u0590-\u08ff]{1,3}"), 1.05),  # Hebrew, Arabic
    (re.compile("[\u0900-\u0fff]"), 0.5),  # scripts of India and Tibet
    (re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"), 0.65),
    (re.compile("[\u2070-\u2e7f\U00010000-\U0010ffff]"), 1.6),  # arrows, signs, emoji
)
_PER_MESSAGE = 4
_PER_CALL = 8
_PER_IMAGE = 1_100
_BYTES_OF_SOUND = 1_000


def tokens_of(what: str | Message | Json | Iterable[Message]) -> int:
    """Return about how many tokens a text, a message, definitions or several of those have."""
    if isinstance(what, str):
        return _of_text(what)
    if isinstance(what, Message):
        return _of_message(what)
    if isinstance(what, (list, tuple)):
        return sum(map(tokens_of, what))
    return _of_text(json.encode(what))


def _of_text(text: str) -> int:
    found = float(len(_ASCII.findall(text)))
    if not text.isascii():
        found += sum(len(pattern.findall(text)) * weight for pattern, weight in _CLASSES)
    return max(round(found), 1) if text else 0


def _of_message(message: Message) -> int:
    calls = sum(_PER_CALL + _of_value(one.arguments) for one in message.calls)
    names = sum(_of_text(one.name) for one in message.calls)
    said = _of_text(message.text) + _of_text(message.reasoning)
    return _PER_MESSAGE + said + calls + names + sum(map(_of_media, message.media))


def _of_value(value: Json) -> int:
    return _of_text(value if isinstance(value, str) else json.encode(value))


def _of_media(media: Media) -> int:
    """An image costs about the same whatever its size; a sound costs by its length."""
    if media.kind == "image":
        return _PER_IMAGE
    return max(len(media.data) * 3 // 4 // _BYTES_OF_SOUND, 50)
