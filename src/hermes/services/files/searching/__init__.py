"""Search files: what is in them and what they are called, with or without ripgrep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from hermes.base.errors import ToolError
from hermes.environments.inside.globs import any_case, fitting
from hermes.environments.inside.patterns import BadPattern
from hermes.environments.inside.searching import Question, Tally
from hermes.environments.inside.walking import Scope
from hermes.policy.paths.telling import telling_names
from hermes.services.files import Work
from hermes.services.files.changing import said
from hermes.services.files.searching import answers, finding, fuzzy
from hermes.services.files.searching.finding import Finder
from hermes.services.files.searching.withheld import Withheld

SECONDS = 45.0
_MOST_NAMES = 5


class Wanted(NamedTuple):
    """What is searched for, in the words of the tool."""

    pattern: str
    target: Literal["content", "files"] = "content"
    path: str = "."
    file_glob: str | None = None
    limit: int = 50
    offset: int = 0
    output_mode: Literal["content", "files_only", "count"] = "content"
    context: int = 0
    fuzzy: bool = False
    literal: bool = False
    ignore_case: bool = False
    multiline: bool = False
    hidden: bool = False
    ignored: bool = False

    @property
    def page(self) -> answers.Page:
        """Return which part of what is found is shown."""
        return answers.Page(self.offset, self.limit)


Stopped = Callable[[], bool]


def search(work: Work, wanted: Wanted, seconds: float, is_stopped: Stopped) -> dict[str, Any]:
    """Return what was found, sorted by path and line, and how much more there is.

    Raises:
        ToolError: the pattern or the path is wrong; says how.
    """
    _check(wanted)
    try:
        with finding.finder(work, wanted.path, is_stopped) as finder:
            if wanted.fuzzy or wanted.target == "files":
                return _names(finder, wanted)
            return _content(work, finder, wanted, seconds)
    except BadPattern as error:
        raise _bad(wanted.pattern, error) from error
    except OSError as error:
        raise said(error, wanted.path) from error


def _check(wanted: Wanted) -> None:
    if not wanted.pattern:
        raise ToolError("pattern is empty", code="invalid_argument")
    for name, text in (("pattern", wanted.pattern), ("file_glob", wanted.file_glob or "")):
        if "\0" in text:
            raise ToolError(f"{name} cannot have a NUL in it", code="invalid_argument")
    is_name = wanted.target == "files" and not wanted.fuzzy
    for name, glob in (("file_glob", wanted.file_glob), ("pattern", wanted.pattern)):
        if name == "pattern" and not is_name:
            continue
        try:
            if glob:
                fitting(glob.removeprefix("!"))
        except ValueError as error:
            raise ToolError(f"{name} {glob!r}: {error}", code="invalid_argument") from error


def _content(work: Work, finder: Finder, wanted: Wanted, seconds: float) -> dict[str, Any]:
    question = Question(
        finder.root,
        wanted.pattern,
        _scope(finder, wanted, wanted.file_glob),
        is_literal=wanted.literal,
        ignores_case=wanted.ignore_case,
        is_multiline=wanted.multiline or _spans_lines(wanted),
        is_first_enough=wanted.output_mode == "files_only",
        telling=telling_names(),
        seconds=seconds,
    )
    found = finder.tally(question)
    tally = (
        found._replace(telling=[]) if finder.only else _shown(found, Withheld(work, finder.root))
    )
    counts = tally.counts
    named = answers.Named(wanted.path, finder.only)
    if wanted.output_mode != "content":
        return answers.of_files(tally, wanted.page, named, is_count=wanted.output_mode == "count")
    picks = answers.picked(counts, wanted.page)
    hits = finder.hits(question, picks, wanted.context) if picks else []
    return answers.of_hits(tally, hits, wanted.page, named)


def _shown(found: Tally, withheld: Withheld) -> Tally:
    """Return what may be shown of what was found, sorted."""
    shown = withheld.shown(sorted(found.counts), found.telling)
    counts = {path: found.counts[path] for path in shown}
    return found._replace(counts=counts, telling=list(filter(withheld.hides, found.telling)))


def _scope(finder: Finder, wanted: Wanted, glob: str | None) -> Scope:
    return Scope(glob or "", wanted.hidden, wanted.ignored, finder.only)


def _spans_lines(wanted: Wanted) -> bool:
    if "\n" in wanted.pattern:
        return True
    return not wanted.literal and "\\n" in wanted.pattern.replace("\\\\", "")


def _names(finder: Finder, wanted: Wanted) -> dict[str, Any]:
    named = answers.Named(wanted.path, finder.only)
    if not wanted.fuzzy:
        glob = any_case(wanted.pattern) if wanted.ignore_case else wanted.pattern
        paths = finder.names(_scope(finder, wanted, glob))
        if wanted.file_glob:
            paths = list(filter(fitting(wanted.file_glob), paths))
        answer = answers.of_names(paths, wanted.page, named)
        return answer if paths else answer | _nearest(finder, wanted, named)
    paths = finder.names(_scope(finder, wanted, wanted.file_glob))
    return answers.of_names(fuzzy.best(wanted.pattern, paths), wanted.page, named)


def _nearest(finder: Finder, wanted: Wanted, named: answers.Named) -> dict[str, Any]:
    """Return names like the one that nothing has."""
    plain = wanted.pattern.strip("*").rpartition("/")[2]
    paths = finder.names(_scope(finder, wanted, wanted.file_glob)) if plain.strip("*?.") else []
    near = fuzzy.best(plain, paths)[:_MOST_NAMES]
    return {"similar": [named.shown(path) for path in near]} if near else {}


def _bad(pattern: str, error: BadPattern) -> ToolError:
    at = min(error.position, len(pattern))
    return ToolError(
        f"pattern is no regular expression: {error.reason}, at character {at + 1}"
        f" ({pattern[:at][-20:]}→{pattern[at:][:20]})",
        code="invalid_pattern",
        hint="Set literal=true to search for the text as it is, or put a \\ before its signs.",
    )
