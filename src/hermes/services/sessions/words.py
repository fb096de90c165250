"""What of a message can be searched, and what a person's question means; pure.

Scripts that are written without spaces are searched by pairs of characters: 数据库 is kept as
数据 据库, then 数 据 库, so that a question of one character finds it as well as one of five.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from hermes.base.messages import Json, Message
from hermes.services.sessions.schema import LONGEST_WORDS

_UNSPACED = re.compile(
    "[\u2600-\u27bf\U0001f300-\U0001faff"  # signs such as 🎉, each a word of its own
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_WORD = re.compile(r'"([^"]*)"|(\S+)')
_ACCENTS = re.compile("[\u0300-\u036f]+")
_MOST_TERMS = 24
_LONGEST_TERM = 200
_LONGEST_ASKED = 10_000
_TRIGRAM = 3
_SHORTEST_BEGUN = 5  # with its quotation marks


class Term(NamedTuple):
    """One thing that is looked for, and how the index of words is asked for it."""

    text: str
    whole: str
    """As whole words."""
    begun: str
    """The same where its last word may be the beginning of a longer one."""


def searchable(message: Message) -> tuple[str, str | None]:
    """Return what a message's calls ask for, and the whole by words where its text will not do."""
    if message.role == "system":
        return "", ""
    asked = "\n".join(_asked(call.name, call.arguments) for call in message.calls)[:_LONGEST_ASKED]
    asked = _sound(f"\n{asked}") if asked else ""
    said = _sound(message.text[:LONGEST_WORDS]) + asked
    return asked, in_words(said) if _UNSPACED.search(said) else None


def in_words(text: str) -> str:
    """Return a text with pairs and single characters in place of runs without spaces."""

    def apart(run: re.Match[str]) -> str:
        pairs = " ".join(f"{one}{two}" for one, two in itertools.pairwise(run[0]))
        return f" {pairs} {' '.join(run[0])} "

    return _UNSPACED.sub(apart, text)


def terms(query: str) -> list[Term]:
    """Return what a question looks for: each word, and each text between quotation marks."""
    found: dict[str, Term] = {}
    for quoted, word in _WORD.findall(_sound(query)):
        text = (quoted or word).strip('"')[:_LONGEST_TERM].strip()
        if text and len(found) < _MOST_TERMS:
            phrases = list(_phrases(text))
            whole = " AND ".join(phrases)
            is_open = phrases and phrases[-1][-2:-1].isalnum() and not _is_unspaced(text[-1])
            begun = f"{whole}*" if is_open and len(phrases[-1]) >= _SHORTEST_BEGUN else whole
            found.setdefault(text.casefold(), Term(text, whole, begun))
    return list(found.values())


def _phrases(text: str) -> Iterator[str]:
    """Yield what the index of words must hold for a text, each part quoted."""
    at = 0
    for run in _UNSPACED.finditer(text):
        yield from _quoted(text[at : run.start()])
        at = run.end()
        pairs = [f"{one}{two}" for one, two in itertools.pairwise(run[0])]
        yield f'"{" ".join(pairs or run[0])}"'
    yield from _quoted(text[at:])


def _quoted(text: str) -> Iterator[str]:
    words = "".join(char if _is_word(char) else " " for char in text).split()
    if words:
        yield f'"{" ".join(words)}"'


def _is_word(char: str) -> bool:
    """Say whether the index takes a character for part of a word."""
    kind = unicodedata.category(char)
    return kind[0] in "LN" or kind in {"Co", "Mn", "So"}


def _is_unspaced(char: str) -> bool:
    return _UNSPACED.fullmatch(char) is not None


def trigrams(text: str) -> str | None:
    """Return how the index of parts of words is asked for a text; None when it is too short."""
    text = _sound(text)
    if len(text) < _TRIGRAM:
        return None
    parts = {text[at : at + _TRIGRAM] for at in range(len(text) - _TRIGRAM + 1)}
    return " AND ".join('"' + part.replace('"', '""') + '"' for part in sorted(parts))


def plain(text: str) -> str:
    """Return a text without case and accents, to compare it."""
    if text.isascii():
        return text.lower()
    return _ACCENTS.sub("", unicodedata.normalize("NFD", text)).lower()


def folded(text: str) -> str:
    """Return the same in the same number of characters, to find places in the text."""
    return text.lower() if text.isascii() else text.translate(_Folding())


class _Folding(dict[int, str]):
    """Each character without case and accents, looked at once."""

    def __missing__(self, code: int) -> str:
        found = self[code] = unicodedata.normalize("NFD", chr(code))[0].lower()[:1]
        return found


def _asked(name: str, arguments: Json) -> str:
    return " ".join([name, *_leaves(arguments, 0)])


def _leaves(value: Json, depth: int) -> Iterator[str]:
    """Yield the texts and numbers of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth < _MOST_TERMS:
        for item in value.values():
            yield from _leaves(item, depth + 1)
    elif isinstance(value, list) and depth < _MOST_TERMS:
        for item in value:
            yield from _leaves(item, depth + 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def _sound(text: str) -> str:
    """Return a text that SQLite can hold and search to its end."""
    if "\0" in text:
        text = text.replace("\0", " ")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
