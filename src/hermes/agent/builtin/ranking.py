"""Find the one file that is the biggest, newest or longest of its kind, and put it in its place."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.names import HERE, LANGUAGES, NOT_FOLDERS
from hermes.agent.builtin.said import Listener, Said
from hermes.agent.builtin.steps import Answer, Hands, Unsure, Wanted, quote, shell

_ORDERS = {
    "size": "biggest largest heaviest bulkiest fattest hugest smallest tiniest",
    "lines": "longest shortest",
    "time": "newest latest oldest youngest",
}
_LEAST = frozenset({"smallest", "tiniest", "shortest", "oldest"})
_BY_WORD = {word: order for order, words in _ORDERS.items() for word in words.split()}
_RECENT = (
    r"most recent(?:ly)?(?: (?:changed|modified|edited|created|updated|added))?|"
    r"last (?:changed|modified|edited|created|updated|added)|least recent(?:ly \w+)?"
)
_HEADS = "one|file|script|module|document|source file|test|test file"
_PHRASE = re.compile(
    rf"(?:\b(?:the|my|our|their|its)\s+)?(?:(?:single|very|absolute|one)\s+)?"
    rf"\b(?P<rank>{'|'.join(_BY_WORD)}|{_RECENT})"
    rf"(?P<kinds>(?:\s+(?:⟦\d+⟧|[\w+#.-]+)){{0,3}}?)\s+(?P<head>{_HEADS}|{'|'.join(LANGUAGES)})"
    r"(?![\w-]|\s+(?:files|folders?|director\w+|process\w*|commits?|branch\w*|versions?|tags?)\b)"
    r"(?P<place>\s+(?:in|inside|under|from|within|below|of|at)\s+(?:(?:the|my|our|this|that)\s+)*"
    r"(?:⟦\d+⟧|[\w.-]+)(?:\s+(?:folder|directory|dir))?)?(?:\s+(?:here|there)\b)?",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:\W|\b(?:and|what|what's|which|where|find|locate|list|show|tell|give|get|see|name|"
    r"identify|display|me|is|was|are|the|a|of|path|here|there|please|out|it|by|size|has|have|"
    r"do|we|i|in|this|project|repo|folder|also|its|how|big|that|to|know|look|for|search|"
    r"file|pick|determine|figure|contents?)\b)*$",
    re.IGNORECASE,
)
"""What is left of a request that only asks which file it is."""
_SHOWS = re.compile(r"^(?:and\s+)?(?:show|display|print|see|give)\b", re.IGNORECASE)
_OTHERWISE = frozenset({"remember", "todo", "google", "@url", "recall"})
_LINE = re.compile(r"\s*(\d\S*(?: \d\S*)?)[\t ](.+)")
_SKIP = "-not -path '*/.git/*' -not -path '*/node_modules/*' -not -path '*/.venv/*'"


class Ranked(NamedTuple):
    """The one file that is meant, and where it stands in a request."""

    order: str
    is_least: bool
    glob: str | None
    folder: str
    start: int = 0
    end: int = 0
    is_asked: bool = True
    """Whether the request is only which file it is."""
    is_shown: bool = False
    """Whether its content is asked for along with its name."""


def ranked(said: Said, listener: Listener) -> Ranked | None:
    """Return the file of which a request says that it is the biggest or newest, if it does."""
    match = None if said.concepts & _OTHERWISE else _PHRASE.search(said.shape)
    if match is None:
        return None
    before = _before(said, listener)
    phrase = said.fill(f"{match['kinds']} {match['head']}").strip()
    glob = _kind(phrase, listener)
    if match["head"].lower() == "one" and not match["kinds"].strip():
        glob = (before.glob or before.kind) if before else None
    elif glob is None and match["kinds"].strip() and not _is_known(match["kinds"]):
        return None
    folder = _place(said, match["place"] or "")
    if folder is None:
        folder = (before.place if before and match["head"].lower() == "one" else None) or "."
    rank = match["rank"].lower()
    rest = said.shape[: match.start()] + said.shape[match.end() :]
    is_asked = _ASKS.match(rest) is not None and not re.search(r"\bcontents?\b", rest)
    is_text = glob is not None and not re.search(r"png|jpg|mp[34]|zip|pdf|db", glob)
    return Ranked(
        _BY_WORD.get(rank, "time"),
        rank in _LEAST or rank.startswith("least"),
        glob,
        folder,
        match.start(),
        match.end(),
        is_asked,
        is_asked and is_text and _SHOWS.match(said.shape) is not None,
    )


def _before(said: Said, listener: Listener) -> Said | None:
    return listener.hear(said.past.texts[-1])[-1] if said.past.texts else None


def _kind(phrase: str, listener: Listener) -> str | None:
    """Return the glob of a phrase such as *python file* or *log*."""
    heard = listener.hear(phrase)[0]
    words = re.findall(r"[\w+#]+", heard.low)
    by_word = next((LANGUAGES[one] for one in words if one in LANGUAGES), None)
    is_test = "test" in words
    return heard.glob or by_word or ("*test*.*" if is_test else None)


def _is_known(kinds: str) -> bool:
    """Whether the words before *file* say nothing that would have to be understood."""
    plain = {"single", "whole", "entire", "source", "code", "text", "regular", "new", "changed"}
    return set(kinds.lower().split()) <= plain


def _place(said: Said, part: str) -> str | None:
    """Return the folder that a part of a request names; None where it names none."""
    name = re.sub(r"^\s+\w+\s+(?:(?:the|my|our|this|that)\s+)*|\s+(?:folder|directory|dir)$", "",
                  part, flags=re.IGNORECASE)  # fmt: skip
    if not name:
        return said.one("path")
    if name.lower() in {"them", "those", "these", "all"}:
        return None
    plain = said.fill(name)
    return "." if plain.lower() in HERE | NOT_FOLDERS else plain.rstrip("/") or "/"


def command(wanted: Ranked, count: int = 5) -> str:
    """Return the command that lists files in the order that is wanted, the best first."""
    name = f" {names(wanted.glob)}" if wanted.glob else ""
    found = f"find {quote(wanted.folder)} -type f{name} {_SKIP}"
    way = "" if wanted.is_least else "r"
    if wanted.order == "lines":
        counted = f"{found} -exec wc -l {{}} + | grep -v ' total$'"
        return f"{counted} | sort -{way}n | head -n {count}"
    if wanted.order == "size":
        return f"{found} -printf '%s\\t%p\\n' | sort -{way}n | head -n {count}"
    order = f"sort -{way}" if way else "sort"
    return f"{found} -printf '%TY-%Tm-%Td %TH:%TM:%.2TS\\t%p\\n' | {order} | head -n {count}"


def names(glob: str) -> str:
    """Return a glob as ``find`` tests names, with one test for each kind in braces."""
    braces = re.fullmatch(r"(.*)\{([^}]*)\}(.*)", glob)
    if braces is None:
        return f"{'-path' if '/' in glob else '-name'} {quote(glob)}"
    each = [f"-name {quote(f'{braces[1]}{one}{braces[3]}')}" for one in braces[2].split(",")]
    return f"\\( {' -o '.join(each)} \\)"


def picked(wanted: Ranked, hands: Hands) -> Generator[Wanted, Answer, list[tuple[str, str]]]:
    """Return the files in order, the best first, each with what it was sorted by.

    Raises:
        Unsure: there is no such file, or it could not be looked for.
    """
    answer = yield hands.pick(shell(command(wanted)))
    if answer.error or answer.value.get("exit_code"):
        raise Unsure(told(answer))
    found = ranked_files(answer.output)
    if not found:
        where = "" if wanted.folder == "." else f" in {wanted.folder}"
        raise Unsure(f"There is no file like {wanted.glob or '*'}{where}. Which one is meant?")
    return found


def ranked_files(output: str) -> list[tuple[str, str]]:
    """Return what a command printed as lines of a figure and a path, or nothing."""
    lines = [_LINE.fullmatch(line) for line in output.splitlines()]
    if not lines or not all(lines):
        return []
    return [(line[1], line[2].removeprefix("./")) for line in lines if line]


def said_of(wanted: Ranked, found: list[tuple[str, str]]) -> str:
    """Return the files in words, the best first."""
    unit = {"size": " bytes", "lines": " lines", "time": ""}[wanted.order]
    figures = [f"{int(f):,}" if f.isdigit() else f[:16] for f, _ in found]
    (_, best), *others = found
    text = f"{best} ({figures[0]}{unit})"
    if others:
        text += "\nNext: " + ", ".join(
            f"{path} ({figure})" for figure, (_, path) in zip(figures[1:], others, strict=True)
        )
    return text
