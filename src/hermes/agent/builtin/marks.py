"""Find what its form gives away: paths, addresses, quotes, numbers, sizes, times."""

from __future__ import annotations

import re
from typing import NamedTuple

from hermes.agent.builtin.names import (
    DOTTED_FILES,
    FILE_ENDINGS,
    KNOWN_FILES,
    NUMBER_WORDS,
    TOP_DOMAINS,
)

Kind = str
"""One of code, quoted, url, email, host, ip, glob, path, size, time, number, hash, variable."""


class Mark(NamedTuple):
    """Something found in a text: what it is, its value, and where it stands."""

    kind: Kind
    value: str
    start: int
    end: int


_ENDINGS = "|".join(sorted(FILE_ENDINGS, key=len, reverse=True))
_DOMAINS = "|".join(TOP_DOMAINS)
_NUMBERS = "|".join(NUMBER_WORDS)
_BEFORE = r"(?<![\w/.~@-])"
_UNITS = r"(?:[kmgt]i?b?|bytes?|kilobytes?|megabytes?|megs?|gigabytes?|gigs?|terabytes?)"
_MOMENTS = r"(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?)"

# Tried in this order at every place of the text; the first that fits wins.
_FORMS: tuple[tuple[Kind, str], ...] = (
    ("code", r"```(?:\w*\n)?(?P<code3>.+?)```|`(?P<code>[^`\n]+)`"),
    ("quoted", r'"(?P<q1>[^"]*)"|“(?P<q2>[^”]*)”|«(?P<q3>[^»]*)»|\u2018(?P<q4>[^\u2019]*)\u2019'),
    ("quoted", r"(?<![\w'])'(?P<q5>[^'\n]*(?:'[a-z]+[^'\n]*)*?)'(?![\w'])"),
    ("url", r"(?P<url>(?:https?|ftp|file)://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]])"),
    ("email", r"(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"),
    ("glob", rf"{_BEFORE}(?P<glob>[\w./~-]*[*][\w./*?{{}},~-]*[\w*}}])"),
    ("ip", r"(?<![\w.])(?P<ip>(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?:/\S*)?)(?![\w.]*\w)"),
    ("host", r"(?<![\w./-])(?P<host1>localhost(?::\d+)?(?:/[\w./%?=&#-]*)?)(?!\w)"),
    ("path", rf"{_BEFORE}(?P<file>\.?[\w-][\w+@.-]*\.(?:{_ENDINGS})(?:::\w+)*)(?![\w/.-]*[\w/])"),
    (
        "host",
        rf"(?<![\w./@-])(?P<host2>(?:www\.)?(?:[a-z\d-]+\.)+(?:{_DOMAINS})(?::\d+)?"
        r"(?:/[\w./%?=&#~-]*)?)(?![\w-]|\.\w)",
    ),
    (
        "path",
        r"(?<![\w/.~@-])(?!/\s+[\d(])(?P<rooted>(?:~|\.{1,2})?/[\w@%+=:,.~/-]*|~(?=[\s?!,.]|$))",
    ),
    ("path", rf"{_BEFORE}(?P<nested>[\w@.+-]+(?:/[\w@.+-]+)+(?:(?:::\w+)+|/?)|[\w@.+-]{{2,}}/)"),
    ("path", rf"{_BEFORE}(?P<dotted>\.[a-z][\w-]+(?:\.\w+)*)"),
    ("path", rf"{_BEFORE}(?P<known>(?-i:{'|'.join(KNOWN_FILES)}))(?![\w.-]*\w)"),
    ("hash", r"(?<![\w-])(?P<hash>(?=[a-f\d]*\d)(?=[a-f\d]*[a-f])[a-f\d]{7,40})(?![\w-])"),
    ("version", r"(?<![\w.])(?P<version>v?\d+\.\d+(?:\.\d+)*[\w.-]*)(?=[\s,;:!?)]|\.?$)"),
    ("size", rf"(?<![\w.-])(?P<size>\d+(?:\.\d+)? ?{_UNITS})(?![\w-])"),
    (
        "time",
        rf"(?<![\w.-])(?P<time>half an? {_MOMENTS}|(?:an?|{_NUMBERS}) {_MOMENTS}|"
        rf"\d+(?:\.\d+)?[ -]?{_MOMENTS})(?![\w-])",
    ),
    ("variable", r"(?<![\w./$])\$?(?P<variable>[A-Z][A-Z\d]*_[A-Z\d_]+|(?<=\$)\w+)(?![\w(])"),
    ("number", r"(?<![\w.#-])#?(?P<number>\d[\d,]*)(?=[\s.,;:!?)\]%]|st\b|nd\b|rd\b|th\b|$)"),
    ("number", rf"(?<![\w-])(?P<word>{_NUMBERS})(?= (?:\w+ ){{0,2}}\w+s\b| lines?\b)"),
)
_EXACT = frozenset({"hash", "variable", "known", "dotted"})
_FALSE_PATHS = frozenset(
    {"and/or", "n/a", "he/she", "his/her", "yes/no", "either/or", "w/o", "i/o"}
)
_SECONDS = {"ms": 0.001, "mi": 60, "m": 60, "s": 1, "h": 3600, "d": 86400, "w": 604800}


def _compiled() -> list[tuple[Kind, re.Pattern[str]]]:
    return [
        (kind, re.compile(form, re.DOTALL if kind in _EXACT else re.DOTALL | re.IGNORECASE))
        for kind, form in _FORMS
    ]


class Reader:
    """Finds marks; made once, because its patterns take a while to compile."""

    def __init__(self) -> None:
        self._forms = _compiled()

    def marks(self, text: str) -> tuple[Mark, ...]:
        """Return what is found in a text, in its order; no two overlap."""
        found: list[Mark] = []
        taken = bytearray(len(text) + 1)
        for kind, form in self._forms:
            for match in form.finditer(text):
                name = match.lastgroup or ""
                start, end = match.span()
                value = match.group(name)
                if kind not in {"code", "quoted"}:
                    trimmed = value.rstrip(".,;:!?")
                    end -= len(value) - len(trimmed)
                    value = trimmed
                if any(taken[start:end]) or not _is_meant(kind, name, value):
                    continue
                if name == "dotted" and _is_ending(value, text[end:]):
                    kind, value = "glob", f"*{value}"
                taken[start:end] = b"\1" * (end - start)
                found.append(Mark(kind, value, start, end))
        return tuple(sorted(found, key=lambda mark: mark.start))


def _is_ending(dotted: str, after: str) -> bool:
    """Whether ``.log`` means all files that end so; ``the .env file`` is one file of that name."""
    one = re.match(r"\s+files?\b", after)
    if one is None:
        return False
    return one[0].endswith("s") or (dotted[1:] in FILE_ENDINGS and dotted not in DOTTED_FILES)


def _is_meant(kind: Kind, name: str, value: str) -> bool:
    if kind in {"code", "quoted"}:
        return True
    if not value:
        return False
    if kind == "path" and (value.lower() in _FALSE_PATHS or re.fullmatch(r"tar\.\w+", value)):
        return False
    if name == "nested" and re.fullmatch(r"\d+(/\d+)+", value):
        return False
    return not (name in {"known", "hash", "dotted"} and value != value.strip())


def number_of(text: str) -> int:
    """Return a number that is written in digits or as a word."""
    plain = text.lower().replace(",", "").strip("#")
    return int(plain) if plain.isdigit() else NUMBER_WORDS.get(plain, 1)


def seconds_of(text: str) -> float:
    """Return how long ``2 minutes`` or ``half an hour`` is."""
    low = text.lower()
    if low.startswith("half"):
        return seconds_of(f"1 {low.split()[-1]}") / 2
    match = re.match(r"([\d.]+|[a-z]+)[ -]?([a-z]+)", low)
    if match is None:
        return 0
    count, unit = match.groups()
    size = next(
        (
            _SECONDS[key]
            for key in ("ms", "mi", unit[0])
            if unit.startswith(key) and key in _SECONDS
        ),
        1,
    )
    if unit.startswith("mil"):
        size = 0.001
    amount = float(count) if count[0].isdigit() else float(NUMBER_WORDS.get(count, 1))
    seconds = amount * size
    return int(seconds) if seconds == int(seconds) else seconds


def find_size(text: str) -> str:
    """Return a size as ``find`` writes it: ``10 MB`` becomes ``10M``."""
    match = re.match(r"([\d.]+) ?([a-z]*)", text.lower())
    if match is None:
        return "1M"
    amount, unit = float(match[1]), (match[2] or "b")[0]
    if amount == int(amount):
        return f"{int(amount)}{ {'b': 'c', 'k': 'k', 'm': 'M', 'g': 'G'}.get(unit, 'G') }"
    factor = {"k": 10, "m": 20, "g": 30, "t": 40}.get(unit, 0)
    return f"{int(amount * 2**factor)}c"
