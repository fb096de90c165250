"""One request as it is understood: its words, its marks, its concepts, and what came before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from hermes.agent.builtin.concepts import Vocabulary
from hermes.agent.builtin.marks import Mark, Reader, number_of
from hermes.agent.builtin.names import (
    ARCHIVE_ENDINGS,
    DOTTED_FILES,
    FILE_NOUNS,
    HERE,
    KIND_PLURALS,
    LANGUAGES,
    NOT_FOLDERS,
    PLACES,
    VAGUE,
)
from hermes.agent.builtin.parting import clauses, condition, joints
from hermes.agent.builtin.wording import cleaned, is_slip, is_swap, mended, with_verb
from hermes.base.messages import Json

_HOLDER = re.compile(r"⟦(\d+)⟧")
_ENDINGS = {
    **{one: one for one in "tmp bak orig old pyc swp cfg conf ini out err rst map bin".split()},
    "temp": "tmp", "temporary": "tmp", "backup": "bak", "swap": "swp", "bytecode": "pyc",
}  # fmt: skip
"""Words in front of *files* that are, or mean, the ending of their names."""
_SEVERAL = re.compile(r"((?:[\w+#]+(?:,\s*|\s+(?:and|or|&)\s+))+[\w+#]+)\s+files?\b")
_IDENTIFIER = re.compile(r"\b[a-z\d]+_[a-z_\d]+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b\w+\(\)")
"""A name as programs have it: ``load_user``, ``loadUser``, ``LoadUser``, ``load()``."""
_QUESTION = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|has|have|am|any|what|what's|which|who|whose|where|when|"
    r"why|how|isn't|aren't)\b"
)
_FEED = re.compile(r"(?:\b(?:rss|atom|feeds?)(?:\.xml|\.json)?/?|\.(?:rss|atom))$", re.IGNORECASE)
"""How the address of a feed ends."""
_DOTTED = "|".join(one[1:] for one in DOTTED_FILES)
_ARTICLE = r"(?:(?:the|my|our|your|this|that|a|an)\s+)*"
_WORD = r"(?P<name>[A-Za-z_][\w.-]*)"
_KIND = r"(?:folder|directory|dir|subfolder|package|module)\b"
_FOLDERS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        (
            rf"\b(?:in|inside|under|within|into|from|of|below|through|across|at|to)"
            rf"\s+{_ARTICLE}{_WORD}\s+{_KIND}"
        ),
        rf"\b{_KIND[:-2]}\s+(?:called|named|is\s+)?\s*{_WORD}",
        rf"(?:^|\s){_ARTICLE}{_WORD}\s+{_KIND}",
        rf"\b(?:in|inside|under|within|below|through|across)\s+{_ARTICLE}{_WORD}",
    )
)


@dataclass(frozen=True, slots=True)
class Past:
    """What came before in the conversation."""

    texts: tuple[str, ...] = ()
    """Earlier requests, the latest last."""
    calls: tuple[tuple[str, Mapping[str, Json]], ...] = ()
    """Calls made so far: the tool and its arguments."""
    results: tuple[Mapping[str, Json], ...] = ()
    """What those calls answered."""


NO_PAST = Past()


@dataclass(frozen=True, slots=True)
class Said:
    """A request: ``shape`` has a place holder for every mark."""

    shape: str
    marks: tuple[Mark, ...]
    concepts: frozenset[str]
    past: Past = NO_PAST
    meanings: tuple[frozenset[str], ...] = ()
    """What each word that is known can mean."""
    lead: frozenset[str] = frozenset()
    """What its first word means: most often the verb, which says what to do."""
    when: str = ""
    """How the request before must have ended for this one to be done: *good*, *bad*, or either."""

    @property
    def text(self) -> str:
        """The request in words."""
        return self.fill(self.shape)

    @property
    def typed(self) -> str:
        """The shape with the kind of each mark in its place."""
        return _HOLDER.sub(lambda m: f"⟦{self.marks[int(m[1])].kind}⟧", self.shape)

    @property
    def is_question(self) -> bool:
        """Whether it asks how things are, and so must not change them."""
        return _QUESTION.match(self.low) is not None

    @property
    def low(self) -> str:
        """The words in lower case, without marks."""
        return _HOLDER.sub(" ", self.shape).lower()

    def has(self, *concepts: str) -> bool:
        """Whether one of these concepts is in it."""
        return any(concept in self.concepts for concept in concepts)

    def all(self, *kinds: str) -> list[str]:
        """Return the values of its marks of some kinds, in order."""
        here = [self.marks[int(number)] for number in _HOLDER.findall(self.shape)]
        return [mark.value for mark in here if mark.kind in kinds]

    def one(self, *kinds: str) -> str | None:
        """Return the first mark of some kinds."""
        return next(iter(self.all(*kinds)), None)

    def number(self, default: int | None = None) -> int | None:
        """Return the first number in it."""
        found = self.one("number")
        return default if found is None else number_of(found)

    def fill(self, part: str) -> str:
        """Return a piece of the shape with its marks put back; a lone quote loses its marks."""
        part = part.strip()
        lone = _HOLDER.fullmatch(part)
        if lone:
            return self.marks[int(lone[1])].value
        return _HOLDER.sub(lambda m: _as_written(self.marks[int(m[1])]), part)

    def find(self, *forms: str) -> dict[str, str] | None:
        """Return the named groups of the first form that fits the shape, filled."""
        for form in forms:
            match = re.search(form, self.shape, re.IGNORECASE | re.DOTALL)
            if match:
                return {k: self.fill(v) for k, v in match.groupdict().items() if v is not None}
        return None

    @property
    def glob(self) -> str | None:
        """The files that are meant by kind: a glob, or the language they are named by."""
        named = self.one("glob")
        if named:
            return named
        match = re.search(
            rf"\.(?!(?:{_DOTTED})\s+file\b)(\w{{1,5}})\s+files?\b", self.text
        ) or re.search(
            r"\b(?:extensions?|ending (?:in|with)|ends? (?:in|with)|suffix)\s+\*?\.(\w{1,5})\b",
            self.text,
        )
        if match:
            return f"*.{match[1]}"
        words = re.findall(r"[\w+#]+", self.low)
        several = _SEVERAL.search(self.low)
        if several:
            kinds = [LANGUAGES.get(one) for one in re.findall(r"[\w+#]+", several[1])]
            globs = [one for one in kinds if one]
            if len(globs) > 1 and len(globs) >= len(kinds) - 1:
                return _joined(globs)
        for word, after in pairwise(words):
            if word in LANGUAGES and after in FILE_NOUNS:
                return LANGUAGES[word]
            if word in _ENDINGS and after in {"file", "files"}:
                return f"*.{_ENDINGS[word]}"
        for word, after in pairwise([*words, ""]):
            is_place = re.search(
                rf"\bfiles?\s+(?:in|inside|under|of)\s+(?:the\s+)?{word}\b", self.low
            )
            if (
                word in KIND_PLURALS
                and after not in {"folder", "directory", "dir"}
                and not is_place
            ):
                return LANGUAGES.get(word[:-1], "*.{sh,py,js}")
        return None

    @property
    def kind(self) -> str | None:
        """The glob of a kind of file that is named by a word that means little else."""
        words = re.findall(r"[\w+#]+", self.low)
        singular = [word.removesuffix("s") for word in words]
        return next(
            (
                LANGUAGES[one]
                for one in (*words, *singular)
                if one in LANGUAGES and one not in VAGUE
            ),
            None,
        )

    @property
    def folder(self) -> str | None:
        """The folder that is named, if any; ``.`` for *here*."""
        for match in (m for form in _FOLDERS for m in form.finditer(self.shape)):
            name = match["name"].rstrip(".")
            low = name.lower()
            if low in HERE:
                continue
            if low in PLACES:
                return PLACES[low]
            if low not in NOT_FOLDERS and low not in LANGUAGES:
                return name
        if re.search(r"\bhome\b", self.low):
            return "~"
        if self.has("disk") or re.search(rf"\b(?:{'|'.join(sorted(HERE))})\b", self.low):
            return "."
        return None

    @property
    def place(self) -> str | None:
        """The file or folder that is named: a path if there is one, else a folder."""
        return self.one("path") or self.folder


def _as_written(mark: Mark) -> str:
    if mark.kind == "quoted":
        return f'"{mark.value}"'
    return f"`{mark.value}`" if mark.kind == "code" else mark.value


def _joined(globs: list[str]) -> str:
    """Return one glob for several of them: ``*.css`` and ``*.html`` are ``*.{css,html}``."""
    endings = [end for glob in globs for end in glob[2:].strip("{}").split(",")]
    return f"*.{{{','.join(dict.fromkeys(endings))}}}"


class Listener:
    """Turns text into requests; holds the vocabulary and the patterns."""

    def __init__(self) -> None:
        self.reader = Reader()
        self.vocabulary = Vocabulary()

    def hear(self, text: str, past: Past = NO_PAST) -> list[Said]:
        """Return the requests in a text, one after the other."""
        text = cleaned(text)
        marks = self.reader.marks(text)
        shape, end = "", 0
        for number, mark in enumerate(marks):
            shape += f"{text[end : mark.start]}⟦{number}⟧"
            end = mark.end
        words = self.vocabulary
        shape = mended(shape + text[end:], words.words, words.by_letter, is_swap)
        shape = with_verb(shape, words.words, words.by_letter)
        return [self._clause(part, marks, past) for part in clauses(shape)]

    def _clause(self, part: str, marks: tuple[Mark, ...], past: Past) -> Said:
        when, rest = condition(part)
        return replace(self._said(cleaned(rest), marks, past), when=when)

    def joints(self, said: Said) -> Iterator[tuple[Said, Said]]:
        """Yield the ways to part a request in two."""
        for left, right in joints(said.shape):
            first = replace(self._said(left, said.marks, said.past), when=said.when)
            yield first, self._said(cleaned(right), said.marks, said.past)

    def put(self, said: Said, start: int, end: int, path: str) -> Said:
        """Return a request with a path in the place of a part of its shape."""
        marks = (*said.marks, Mark("path", path, 0, 0))
        shape = f"{said.shape[:start]} ⟦{len(said.marks)}⟧{said.shape[end:]}"
        return self._said(" ".join(shape.split()), marks, said.past)

    def again(self, said: Said) -> Said:
        """Return a request with more slips mended, for when it was not understood."""
        words = self.vocabulary
        shape = mended(said.shape, words.words, words.by_letter, is_slip)
        return self._said(shape, said.marks, said.past)

    def _said(self, shape: str, marks: tuple[Mark, ...], past: Past) -> Said:
        said = Said(shape, marks, frozenset(), past)
        kinds = {f"@{marks[int(n)].kind}" for n in _HOLDER.findall(shape)}
        meanings = self.vocabulary.meanings(said.low)
        found = frozenset(kinds).union(*meanings)
        if said.glob:
            found |= {"@glob"}
        if _IDENTIFIER.search(_HOLDER.sub(" ", shape)):
            found |= {"@name"}
        if said.kind:
            found |= {"@kind"}
        if any(path.lower().endswith(ARCHIVE_ENDINGS) for path in said.all("path")):
            found |= {"@archive"}
        if any("::" in path for path in said.all("path")):
            found |= {"test"}
        if any(_FEED.search(url) for url in said.all("url")):
            found |= {"@feed"}
        first = re.match(r"[\w'-]+", said.low)
        lead = frozenset[str]().union(*self.vocabulary.meanings(first[0])) if first else frozenset()
        return replace(said, concepts=found, meanings=meanings, lead=lead)
