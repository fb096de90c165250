"""Find tools by what they do: BM25 over names, descriptions and parameters, in any script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from heapq import nsmallest
from itertools import pairwise
from math import log
from typing import Any, NamedTuple, Protocol

_K1, _B = 1.2, 0.5
# How much one occurrence in each field counts.
_NAME, _TAG, _DESCRIPTION, _PARAMETER, _DETAIL = 2.0, 2.0, 2.0, 1.0, 0.5
_SYNONYM = 0.8
_LONGEST_QUERY = 2_000
# Synonyms found in more tools than this tell them apart too little to be worth the time.
_FEW = 300

# Scripts written without spaces: CJK ideographs, kana, hangul, Thai, Lao, Khmer, Burmese.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_HYPHENS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_HOST_NAME = re.compile(r"https?://|\bwww\.|\w\.(?:com|org|net|io|dev|app|co)\b")
_FILE_NAME = re.compile(r"\w\.[A-Za-z][A-Za-z\d]{0,4}\b(?!\.)")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_STOP = """
    a about all an and any are as at be been but by can could d did do does each for from get go had
    has have how i if in into is it its just last let like ll m make me my need not of on one or our
    please re s should so some something t than that the their them then there these they this those
    to up us use using ve want was we were what when where which who will with would you your
"""

# Words people use for one another. Each line is one meaning.
_SYNONYMS = """
    folder directory dir ls
    delete remove erase forget
    picture image photo img png jpeg jpg screenshot logo icon
    text string content
    find search locate lookup
    google bing search
    grep rg search
    define definition usage occurrence reference search
    regex regexp regular expression pattern
    shell bash command terminal console
    apt brew npm pip command
    compile build make install command
    run execute launch start begin
    stop kill abort terminate cancel end halt
    quit exit close shut
    program app application process
    stdin input
    create make new generate add
    edit change modify update alter fix correct replace patch
    rename refactor replace
    view show display print read open see cat
    write save store put
    append add
    copy duplicate clone
    compare diff difference
    archive zip unzip tar tarball compress unpack pack
    website site
    website webpage page article url link web internet online
    news web
    visit navigate open
    chrome firefox browser
    download fetch retrieve
    upload put push
    webhook endpoint rest http request
    scrape extract parse
    crawl spider
    feed rss atom blog
    broken dead
    verify check validate
    email mail
    message chat post
    schedule cron recurring every daily hourly weekly nightly reminder interval
    wait sleep pause delay
    speech voice speak say spoken aloud narrate
    audio sound recording podcast music mp3 wav
    video movie clip
    transcribe subtitle caption dictation
    chart graph plot diagram flowchart
    spreadsheet excel xlsx csv sheet
    document paper pdf
    database sql db postgres mysql sqlite
    test pytest unittest
    debug debugger breakpoint
    remember memory memorize recall know fact note forget
    conversation chat session talk history
    ask question
    user person human
    notify notification alert
    env environment
    ram memory
    machine computer system hardware
    container docker
    calendar meeting appointment event invite
    bucket blob object storage
    light lamp bulb
    thermostat temperature climate heating
    smart home
    task todo checklist
    subagent agent delegate subtask
    model llm
    host hostname domain
    key keyboard shortcut
    click press tap
    type enter fill input
    field box form
    tab window page
    javascript js
    typescript ts
    function method class code
    server service program
    dev development server
    latest newest recent
    previous back
    look vision visual
    progress status state going
    whole entire full
    repository repo git
    monitor watch
    error bug problem fault mistake typo
    format prettify beautify
    draw paint artwork sketch
    config configuration setting
    choose select pick
    available offer
    result metric score
    secret password credential token
"""


class Searchable(Protocol):
    """What the index reads of a tool."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def description(self) -> str:
        """Its words for the model."""

    @property
    def toolset(self) -> str:
        """Its toolset."""

    @property
    def tags(self) -> Sequence[str]:
        """Further words to find it by."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of its arguments."""


class Hit(NamedTuple):
    """One tool found, with how well it fits."""

    name: str
    score: float
    entry: Searchable


class ToolIndex:
    """An inverted index over tools, built once and never changed."""

    def __init__(self, entries: Iterable[Searchable]) -> None:
        self._entries = sorted(entries, key=lambda entry: entry.name)
        self._places = {entry.name.lower(): place for place, entry in enumerate(self._entries)}
        self._postings: dict[str, dict[int, float]] = {}
        self._toolsets: dict[str, list[int]] = {}
        for place, entry in enumerate(self._entries):
            self._toolsets.setdefault(entry.toolset, []).append(place)
        words: dict[str, tuple[str, ...]] = {}
        lengths = [self._add(place, entry, words) for place, entry in enumerate(self._entries)]
        self._bend(lengths)

    def search(self, query: str, limit: int = 5) -> list[Hit]:
        """Return the best tools for a query, best first; for an empty query the first by name."""
        query = query[:_LONGEST_QUERY].strip()
        if limit < 1 or not self._entries:
            return []
        if not query:
            return [Hit(entry.name, 0.0, entry) for entry in self._entries[:limit]]
        scores = self._scores(query)
        named = self._places.get(query.lower().replace(" ", "_"), self._places.get(query.lower()))
        if named is not None:
            scores[named] = max(scores.values(), default=0.0) + 1.0
        if len(scores) < limit:
            self._guess(query.lower(), scores, limit)
        best = nsmallest(limit, scores.items(), key=lambda item: (-item[1], item[0]))
        return [
            Hit(self._entries[place].name, score, self._entries[place]) for place, score in best
        ]

    def _scores(self, query: str) -> dict[int, float]:
        scores: dict[int, float] = {}
        most = max(_FEW, len(self._entries) // 20)
        for term, others in self._meanings(query):
            rarity = self._rarity(len(self._found(term)))
            best = {place: rarity * worth for place, worth in self._found(term).items()}
            alike: dict[int, float] = {}
            for other in others:
                if len(self._found(other)) > most:
                    continue
                for place, worth in self._found(other).items():
                    if worth > alike.get(place, 0.0):
                        alike[place] = worth
            # a rare synonym of a common meaning is no rare find, so they share one rarity
            rarity = _SYNONYM * self._rarity(len(alike.keys() | best.keys()))
            for place, worth in alike.items():
                best[place] = max(best.get(place, 0.0), rarity * worth)
            for place, worth in best.items():
                scores[place] = scores.get(place, 0.0) + worth
        return scores

    def _meanings(self, query: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each term of a query with other words for it.

        A tool counts a meaning once, by its best word, so many synonyms are worth no more.
        """
        synonyms = _synonyms()
        terms = list(dict.fromkeys(tokens(query)))
        for term in terms:
            yield term, synonyms.get(term) or self._split(term)
        joined = [first + second for first, second in pairwise(terms)]
        joined += [_stem(_fold(word.replace("-", ""))) for word in _HYPHENS.findall(query)]
        yield from ((term, ()) for term in joined if term in self._postings)
        if _HOST_NAME.search(query):
            yield "", ("host", "url", "address")
        elif _FILE_NAME.search(query):
            yield "", (_stem("file"),)

    def _split(self, term: str) -> tuple[str, ...]:
        """Return the parts of a compound that nobody uses as one word."""
        if term in self._postings:
            return ()
        for at in range(3, len(term) - 2):
            parts = _stem(term[:at]), _stem(term[at:])
            if all(part in self._postings for part in parts):
                return parts
        return ()

    def _found(self, term: str) -> Mapping[int, float]:
        return self._postings.get(term, {})

    def _rarity(self, count: int) -> float:
        return log(1 + (len(self._entries) - count + 0.5) / (count + 0.5))

    def _guess(self, query: str, scores: dict[int, float], limit: int) -> None:
        """Add names that contain the query or look like it, then neighbours of the best tool."""
        plain = re.sub(r"[\W_]+", "_", query).strip("_")
        near = [place for name, place in self._places.items() if plain and plain in name]
        if not near:
            alike = [name for name in self._places if name[:1] == plain[:1]]
            alike = [name for name in alike if abs(len(name) - len(plain)) < 4][:_FEW]
            names = get_close_matches(plain, alike, n=limit, cutoff=0.7)
            near = [self._places[name] for name in names]
        if scores:
            best = self._entries[min(scores, key=lambda place: (-scores[place], place))]
            near += self._toolsets[best.toolset]
        floor = min(scores.values(), default=1.0)
        for rank, place in enumerate(near):
            scores.setdefault(place, floor / (2 + rank))

    def _add(self, place: int, entry: Searchable, words: dict[str, tuple[str, ...]]) -> float:
        counts: dict[str, float] = {}
        for text, weight in _fields(entry):
            for part in text.split():
                terms = words.get(part)
                if terms is None:
                    terms = words[part] = tuple(tokens(part))
                for term in terms:
                    counts[term] = counts.get(term, 0.0) + weight
        for term, count in counts.items():
            self._postings.setdefault(term, {})[place] = count
        return sum(counts.values())

    def _bend(self, lengths: list[float]) -> None:
        """Turn counts into BM25 worths, so that a query only weighs and adds."""
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        norms = [_K1 * (1 - _B + _B * length / (mean or 1.0)) for length in lengths]
        for places in self._postings.values():
            for place, count in places.items():
                places[place] = count * (_K1 + 1) / (count + norms[place])


def tokens(text: str) -> Iterator[str]:
    """Yield the search terms of a text: stemmed words, or characters where no spaces are used."""
    stop = _stop_words()
    for run in _RUN.findall(unicodedata.normalize("NFKC", text)):
        if re.match(f"[{_UNSPACED}]", run):
            yield from run
            yield from (run[at : at + 2] for at in range(len(run) - 1))
            continue
        parts = _HUMP.split(run)
        for word in parts if len(parts) == 1 else (*parts, run):
            folded = _fold(word)
            if folded and folded not in stop:
                yield _stem(folded)
            if len(folded) > 5 and not folded.isascii():
                yield f"{folded[:5]}*"  # meets other endings of the word, in any language


def _fields(entry: Searchable) -> Iterator[tuple[str, float]]:
    yield entry.name, _NAME
    yield entry.toolset, _TAG / 2
    yield " ".join(entry.tags), _TAG
    yield entry.description, _DESCRIPTION
    properties = entry.parameters.get("properties")
    for name, child in properties.items() if isinstance(properties, dict) else ():
        yield str(name), _PARAMETER
        if isinstance(child, dict):
            yield str(child.get("description", "")), _DETAIL
            choices = child.get("enum")
            yield " ".join(map(str, choices)) if isinstance(choices, list) else "", _DETAIL


def _fold(word: str) -> str:
    """Return a word in lower case without accents."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


_ENDINGS = (
    ("ational", "ate"), ("ization", "ize"), ("ations", "ate"), ("ation", "ate"), ("tions", "t"),
    ("tion", "t"), ("sses", "ss"), ("ies", "y"), ("ied", "y"), ("ingly", ""), ("ings", ""),
    ("ing", ""), ("edly", ""), ("ers", ""), ("ed", ""), ("er", ""), ("or", ""), ("es", ""),
    ("ly", ""), ("able", ""), ("s", ""),
)  # fmt: skip


def _stem(word: str) -> str:
    """Cut the common English endings, so that *searching* and *searches* meet."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        stem = word[: -len(ending)] + instead
        if word.endswith(ending) and len(stem) >= 3 and any(letter in "aeiouy" for letter in stem):
            if ending == "s" and word[-2] in "su":
                return word
            word = stem
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


@cache
def _synonyms() -> Mapping[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for line in _SYNONYMS.strip().splitlines():
        group = tuple(_stem(word) for word in line.split())
        for word in group:
            known[word] = known.get(word, ()) + group
    return known


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_STOP.split())
