"""Search with ripgrep: one run counts by file, another finds the lines that are shown."""

from __future__ import annotations

import base64
import functools
import json
import os
import re
import shutil
import sys
import sysconfig
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hermes.base.files import TEMPORARY
from hermes.environments.inside.excerpts import Read, excerpt
from hermes.environments.inside.globs import choices, plain
from hermes.environments.inside.patterns import BadPattern, Place
from hermes.environments.inside.searching import Hit, Pick, Question, Tally, Telling, narrowed
from hermes.environments.inside.walking import Scope, kept
from hermes.services.files.git_marks import is_in_repository
from hermes.services.files.local_disk import Held
from hermes.services.files.searching.running import Run, Runner, opened

_HIT = re.compile(r"(?:\./)?([^\0]*)\0(\d+):(\d+):(\d+):[^\n]*\n")
_COUNT = re.compile(r"(?:\./)?([^\0]*)\0(\d+)\r?\n")
_FILE = re.compile(r"(?:\./)?([^\0]*)\0")
_COMPLAINT = re.compile(r"regex parse error:\n\s{4}(.*)\n\s{4}( *)\^+.*\nerror: (.*)")
_OTHER = re.compile(r"PCRE2: error compiling pattern at offset (\d+): (.*)")
_WRAPPER = len("(?:")
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_SHOWING_SECONDS = 5.0
_MOST_FILES = 200
"""How many files are named to one run."""


@functools.cache
def program() -> str | None:
    """Return the path of ripgrep: our own, or one of this machine."""
    for folder in (os.path.dirname(sys.executable), sysconfig.get_path("scripts")):  # noqa: PTH120 - a text
        if (path := Path(folder, "rg")).is_file() and os.access(path, os.X_OK):
            return str(path)
    return shutil.which("rg")


class Ripgrep:
    """Search below a folder that is held; with ``source``, one open file alone."""

    def __init__(self, runner: Runner, held: Held, only: str, source: int | None) -> None:
        self.root, self._place, self.only = held.path, held.place, only
        self._runner, self._source = runner, source

    def tally(self, question: Question) -> Tally:
        """Count hits by file."""
        self._runner.until = time.monotonic() + question.seconds
        words = ["--null", "--with-filename"]
        words.append("--count-matches" if question.is_multiline else "--count")
        if question.is_first_enough:
            words.append("--max-count=1")
        fits = kept(question.scope.glob)
        with self._run([*words, *_pattern(question), "--"], question.scope) as run:
            names = [] if self.only else self._names(question.scope)
            tells = Telling(*question.telling)
            telling = tells.among(names)
            counts = {self.only or path: int(count) for path, count in _COUNT.findall(run.text())}
            if question.scope.glob and not self.only:
                counts = {path: count for path, count in counts.items() if fits(path)}
            if run.error:
                raise _bad(run.error, question)
        if not self.only and (late := counts.keys() - frozenset(names)):
            telling += tells.among(late)  # they came after the names were listed
        is_complete = run.is_complete
        binary = 0
        if is_complete and not self.only and sum(counts.values()) <= _MOST_FILES:
            binary = self._binary(question, counts)
        return Tally(counts, telling, len(names), binary, is_complete)

    def _binary(self, question: Question, counts: dict[str, int]) -> int:
        """Count the files that have the pattern and are no text."""
        words = ["--null", "--binary", "--files-with-matches", *_pattern(question), "--"]
        fits = kept(question.scope.glob)
        with self._run(words, question.scope) as run:
            found = set(_FILE.findall(run.text()))
        return sum(1 for path in found if fits(path) and path not in counts)

    def _run(self, words: list[str], scope: Scope) -> Run:
        """Run it over all that is in scope."""
        if self._source is not None:
            os.lseek(self._source, 0, os.SEEK_SET)
            return self._runner.run([*words, "-"], source=self._source)
        return self._runner.run([*_scoped(scope, self.root), *words, "."], rules=_rules(scope))

    def names(self, scope: Scope) -> list[str]:
        """Return the files in scope, sorted."""
        return [self.only] if self.only else sorted(self._names(scope))

    def _names(self, scope: Scope) -> list[str]:
        with self._run(["--files", "--null", "--"], scope) as run:
            names: list[str] = _FILE.findall(run.text())
        return list(filter(kept(scope.glob), names)) if scope.glob else names

    def hits(self, question: Question, picks: list[Pick], context: int) -> list[Hit]:
        """Return some hits, as they are shown; for that there is time, whatever counting took."""
        self._runner.until = max(self._runner.until, time.monotonic() + _SHOWING_SECONDS)
        found: list[Hit] = []
        for start in range(0, len(picks), _MOST_FILES):
            part = picks[start : start + _MOST_FILES]
            places = self._places(question, part)
            for path, skip, take in part:
                wanted = sorted(places[path])[skip : skip + take]
                found += self._shown(path, wanted, context)
        return found

    def _places(self, question: Question, picks: list[Pick]) -> dict[str, list[Place]]:
        places: dict[str, list[Place]] = defaultdict(list)
        most = max(pick.skip + pick.take for pick in picks)
        words = [*_pattern(question), "--with-filename", "--null", f"--max-count={most}"]
        if question.is_multiline:
            words.append("--json")
            look = _spanning
        else:
            words += ["--no-heading", "--line-number", "--column", "--byte-offset"]
            words += ["--max-columns=1"]  # where it is will do: the line is read afterwards
            look = _lines
        if self._source is not None:
            os.lseek(self._source, 0, os.SEEK_SET)
            run = self._runner.run([*words, "--", "-"], source=self._source)
        else:
            run = self._runner.run([*words, "--", *(f"./{pick.path}" for pick in picks)])
        with run:
            for path, place in look(run):
                places[self.only or path].append(place)
        return places

    def _shown(self, path: str, places: list[Place], context: int) -> list[Hit]:
        if self._source is not None:
            source = self._source
            return [Hit(path, one) for one in excerpt(_reader(source), places, context)]
        file = opened(f"{self._place}/{path}")
        if file is None:
            return []
        with file:
            return [Hit(path, one) for one in excerpt(_reader(file.fileno()), places, context)]


def _reader(descriptor: int) -> Read:
    """Return what reads a file as it was searched: a mark at its beginning does not count."""
    if not os.pread(descriptor, 3, 0).startswith(_MARKS):
        return lambda at, size: os.pread(descriptor, size, at)
    text = narrowed(os.pread(descriptor, os.fstat(descriptor).st_size, 0))
    return lambda at, size: text[at : at + size]


def _pattern(question: Question) -> list[str]:
    words = ["--crlf"]
    if question.is_multiline:
        words = ["--multiline", "--multiline-dotall"]
    if question.ignores_case:
        words.append("--ignore-case")
    if question.is_literal and not question.is_multiline:
        return [*words, "--fixed-strings", f"--regexp={question.pattern}"]
    text = re.escape(question.pattern) if question.is_literal else question.pattern
    return [*words, "--engine=auto", f"--regexp={text}"]


def _scoped(scope: Scope, root: str) -> list[str]:
    words = ["--glob=!.git", f"--glob=!*{TEMPORARY}"]
    if scope.hidden:
        words.append("--hidden")
    if scope.ignored:
        words.append("--no-ignore")
    elif not is_in_repository(root):
        words += ["--no-require-git", "--no-ignore-parent"]
    return words


def _rules(scope: Scope) -> str:
    """Return rules that let only files through that fit a pattern; it is checked again later."""
    glob = scope.glob
    if not glob or glob.startswith("!") or "\n" in glob:
        return ""
    glob = plain(glob)
    anchor = "/" if "/" in glob and not glob.startswith("/") else ""
    lines = ["*", "!*/", *(f"!{anchor}{choice}" for choice in choices(glob))]
    return "\n".join(lines if scope.hidden else [*lines, ".*"]) + "\n"


def _name(path: bytes) -> str:
    return os.fsdecode(path.removeprefix(b"./"))


def _lines(run: Run) -> Iterator[tuple[str, Place]]:
    for path, *numbers in _HIT.findall(run.text()):
        yield path, Place(*map(int, numbers))


def _spanning(run: Run) -> Iterator[tuple[str, Place]]:
    """Yield where each match begins; what is printed for it may hold several."""
    for printed in run.printed():
        if not printed.endswith(b"\n"):
            return  # it was ended before it had printed all
        message = json.loads(printed)
        if message["type"] != "match":
            continue
        data = message["data"]
        path, text = _name(_bytes(data["path"])), _bytes(data["lines"])
        for one in data["submatches"]:
            before = text[: one["start"]]
            start = before.rfind(b"\n") + 1
            line = data["line_number"] + before.count(b"\n")
            yield path, Place(line, len(before) - start + 1, data["absolute_offset"] + start)


def _bytes(value: dict[str, str]) -> bytes:
    if "text" in value:
        return value["text"].encode()
    return base64.b64decode(value["bytes"])


def _bad(complaint: str, question: Question) -> BadPattern:
    """Return what is wrong with a pattern, and where, from what ripgrep says of it."""
    own, other = _COMPLAINT.search(complaint), _OTHER.search(complaint)
    if own is not None and (other is None or "not supported" not in own[3]):
        return BadPattern(own[3], max(0, len(own[2]) - _WRAPPER))
    if other is not None:
        position = max(0, min(int(other[1]) - _WRAPPER, len(question.pattern)))
        return BadPattern(other[2], position)
    return BadPattern(" ".join(complaint.split())[:300], 0)
