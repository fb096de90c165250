"""Search the files below a folder: how often each has a hit, and then where."""

# Paths are strings here: they come from the kernel and go back to it.
# ruff: noqa: PTH119, PTH123
from __future__ import annotations

import os
import re
import stat
import time
from itertools import islice
from typing import Collection, Dict, Iterable, List, NamedTuple, Sequence, Tuple
from zlib import crc32

from hermes.environments.inside.excerpts import Read, Shown, excerpt
from hermes.environments.inside.patterns import Matcher
from hermes.environments.inside.walking import Scope, Walk

_LARGEST = 1 << 30
_HEAD = 1 << 16
_STRANGE = re.compile(r"""[\x00-\x20\x7f%\\$`;:'"*?\[]|\.$""").search
_STRANGE_AMONG = re.compile(r"""[\x01-\x20\x7f%\\$`;:'"*?\[]|\.(?:\0|$)""").search


class Question(NamedTuple):
    """What is looked for, and where; goes over the wire as it is."""

    root: str
    pattern: str
    scope: Scope
    is_literal: bool = False
    ignores_case: bool = False
    is_multiline: bool = False
    is_first_enough: bool = False
    """Whether one hit of a file is as good as all of them."""
    telling: Sequence[List[str]] = ([], [], [], [])
    """Names, beginnings, endings and words, in small letters, that tell of what a file holds."""
    seconds: float = 60.0
    at: str = ""
    """Where the root is for the kernel, if it is called otherwise there."""

    def place(self, path: str) -> str:
        """Return where a file is for the kernel."""
        return f"{(self.at or self.root).rstrip('/')}/{path}"

    def matcher(self) -> Matcher:
        """Return the pattern, made ready."""
        return Matcher(
            self.pattern,
            is_literal=self.is_literal,
            ignores_case=self.ignores_case,
            is_multiline=self.is_multiline,
        )


class Tally(NamedTuple):
    """How many hits there are, by file."""

    counts: Dict[str, int]
    telling: List[str]
    """The files in scope whose names tell, whatever is in them."""
    files: int
    """How many were in scope."""
    binary: int
    """How many have the pattern and are no text; they do not count."""
    is_complete: bool
    """Whether all was searched: there was time, and no file was too large."""


def tally(question: Question, share: int = 0, shares: int = 1) -> Tally:
    """Count hits in one of several equal shares; when the time is up, what there is until then."""
    until = time.monotonic() + question.seconds
    matcher, tells = question.matcher(), Telling(*question.telling)
    counts: Dict[str, int] = {}
    telling: List[str] = []
    files = binary = 0
    is_complete = True
    for path in Walk(question.root, question.scope, question.at).files():
        if shares > 1 and crc32(path.encode("utf-8", "surrogateescape")) % shares != share:
            continue
        if time.monotonic() > until:
            is_complete = False
            break
        files += 1
        if tells(path):
            telling.append(path)
        try:
            number, is_text = _count(question, matcher, path)
        except OverflowError:
            is_complete = False
            continue
        if number and is_text:
            counts[path] = number
        binary += bool(number) and not is_text
    return Tally(counts, telling, files, binary, is_complete)


def _count(question: Question, matcher: Matcher, path: str) -> Tuple[int, bool]:
    """Return how many hits a file has, and whether it is text; of what is not, one will do."""
    data = load(question.place(path))
    is_text = b"\0" not in data
    found = matcher.places(data)
    if question.is_first_enough or not is_text:
        return int(next(iter(found), None) is not None), is_text
    return sum(1 for _ in found), is_text


class Telling:
    """Say whether the name of a file tells of what it holds."""

    def __init__(
        self,
        exact: Iterable[str],
        beginnings: Iterable[str],
        endings: Iterable[str],
        words: Iterable[str],
    ) -> None:
        self._exact, self._words = frozenset(exact), tuple(words)
        self._beginnings, self._endings = tuple(beginnings), tuple(endings)

    def among(self, paths: Collection[str]) -> List[str]:
        """Return those of many paths that tell; what occurs in none is not looked for in each."""
        text = "\0".join(paths).lower()
        names = {path.rpartition("/")[2].lower() for path in paths}
        here = Telling(
            self._exact & names,
            (each for each in self._beginnings if each in text),
            (each for each in self._endings if each in text),
            (each for each in self._words if each in text),
        )
        has_none = not (here._exact or here._beginnings or here._endings or here._words)
        if has_none and text.isascii() and not _STRANGE_AMONG(text):
            return []
        return list(filter(here, paths))

    def __call__(self, path: str) -> bool:
        """Say so of a path, by its last name and the folder that it is in."""
        path = path.lower()
        above, _, name = path.rpartition("/")
        if name in self._exact or name.endswith(self._endings):
            return True
        if name.startswith(self._beginnings) or _STRANGE(name) or not name.isascii():
            return True
        both = f"{above.rpartition('/')[2]}/{name}"
        return any(word in both for word in self._words)


def load(path: str) -> bytes:
    """Return a regular file as the text that is searched; nothing when it cannot be had.

    Raises:
        OverflowError: it is too large for that.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return b""
        try:
            if facts.st_size > _LARGEST:
                if b"\0" in file.read(_HEAD):
                    return b""
                raise OverflowError(path)
            return narrowed(file.readall())
        except OSError:
            return b""


def narrowed(data: bytes) -> bytes:
    """Return a text of two bytes a character, which a mark tells of, as UTF-8; others as is."""
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(name, "replace").encode("utf-8", "replace")
    return data[3:] if data.startswith(b"\xef\xbb\xbf") else data


class Pick(NamedTuple):
    """Which hits of a file are wanted."""

    path: str
    skip: int
    take: int


class Hit(NamedTuple):
    """A hit in a file."""

    path: str
    shown: Shown


def hits(question: Question, picks: Iterable[Pick], context: int) -> List[Hit]:
    """Return the hits that are wanted, as they are shown."""
    matcher = question.matcher()
    found: List[Hit] = []
    for path, skip, take in picks:
        data = load(question.place(path))
        places = islice(matcher.places(data), skip, skip + take)
        found += (Hit(path, one) for one in excerpt(reader(data), list(places), context))
    return found


def reader(data: bytes) -> Read:
    """Return what reads parts of a text in memory."""
    return lambda at, size: data[at : at + size]
