"""Understand requests that continue the one before: *and in tests?*, *now the last 3*."""

from __future__ import annotations

import re
from dataclasses import replace

from hermes.agent.builtin.rules import SURE, Rules
from hermes.agent.builtin.said import Listener, Said

_CONTINUES = re.compile(
    r"^(?:and|what about|how about|now|also|same|the same|but|or|only|just|again|"
    r"instead|for|in|not|no,?|with)\b|"
    r"^(?:the )?\S+(?: ones?)?\?$|\bones?\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:and|what about|how about|now|also|the same|same|but|or|again|instead|"
    r"no|then|only|just|do(?: it)?)[,:]?\s+",
    re.IGNORECASE,
)
_PLACE = r"\b(?:in|inside|under|within|for|of|on|from|to)\s+(?:the\s+|my\s+)?"
_SWAPS = ("url", "host", "glob", "quoted", "hash", "time", "size")


def continued(said: Said, listener: Listener, rules: Rules) -> Said:
    """Return a request that continues the one before as that one, with the new parts in it."""
    found = rules.choose(said)
    is_clear = bool(found) and found[0][0] >= SURE
    if not said.past.texts or (is_clear and not _CONTINUES.search(said.text)):
        return said
    rest = _LEAD.sub("", said.shape).strip(" ?.!")
    if (
        found
        and found[0][0] >= SURE + 2
        and not re.match(r"(?:and|what about|how about|same)\b", said.low)
    ):
        return said
    alone = rules.choose(listener.hear(said.fill(rest))[0])
    if alone and alone[0][0] >= SURE + 1.5 and len(rest.split()) > 2:
        return said
    for text in reversed(said.past.texts):
        before = listener.hear(text)[-1]
        best = rules.choose(before)
        if best and best[0][0] >= SURE and not _CONTINUES.match(before.text):
            return replace(_merged(before, said, rest, listener), past=said.past)
    return said


def _merged(before: Said, said: Said, rest: str, listener: Listener) -> Said:
    """Put the parts of a new request into the old one, each in the place of its kind."""
    text = before.text
    count = said.one("number")
    old_count = before.one("number")
    if count and old_count:
        return listener.hear(text.replace(old_count, count, 1))[-1]
    if said.glob and before.glob:
        return listener.hear(_other_kind(text, said))[-1]
    for kind in _SWAPS:
        new, old = said.one(kind), before.one(kind)
        if new and old:
            return listener.hear(text.replace(old, new, 1))[-1]
    new_path = said.one("path")
    if new_path and before.one("path"):
        return listener.hear(text.replace(str(before.one("path")), new_path, 1))[-1]
    place = new_path or said.folder or _word(rest)
    old_place = before.place
    if place and old_place and old_place in text:
        return listener.hear(
            re.sub(rf"\b{re.escape(old_place)}(?!\w)", lambda _: place, text, count=1)
        )[-1]
    if place and re.search(_PLACE, said.low):
        return listener.hear(f"{re.sub(r'[?.!]+$', '', text)} in {place}")[-1]
    if place:
        return _swapped_word(before, place, listener)
    return said


def _word(rest: str) -> str | None:
    word = re.sub(rf"^{_PLACE}", "", rest, flags=re.I)
    word = re.sub(r"^(?:the|my|a)\s+|\s+(?:folder|directory|dir|ones?|file)$", "", word, flags=re.I)
    return (
        word
        if re.fullmatch(r"[\w.-]+", word) and word.lower() not in {"it", "that", "this", "there"}
        else None
    )


def _other_kind(text: str, said: Said) -> str:
    kind = re.search(r"\b([\w+#]+)\s+(?:files?|ones?|scripts?|modules?|code)\b", said.low)
    if said.one("glob") or kind is None:
        return f"list {said.glob} files"
    return re.sub(
        r"\b[\w+#]+(\s+(?:files?|scripts?|modules?|code))\b", rf"{kind[1]}\1", text, count=1
    )


def _swapped_word(before: Said, word: str, listener: Listener) -> Said:
    """Put a word in the place of the last word of the old request that is no known one."""
    known = listener.vocabulary.words
    words = [
        one
        for one in re.findall(r"[\w.-]+", before.text)
        if one.lower() not in known and len(one) > 2
    ]
    if not words:
        return before
    return listener.hear(before.text.replace(words[-1], word, 1))[-1]
