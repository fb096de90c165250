"""Say why a text was not found or found too often, in a way that helps to write it right."""

from __future__ import annotations

import collections
import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from hermes.base.errors import ToolError
from hermes.services.files.patching.lines import Lines, key

_WORD = re.compile(r"\w{2,}")
_MOST_PLACES = 50
_SECTIONS = 3
_MOST_LINES = 40
_LONGEST = 200
_COMMON = 60
_TRIED = 12
_MOST_WORDS = 80
_MOST_COMPARED = 2_000
_ALIKE = 0.5


def ambiguous(path: str, lines: Lines, firsts: Sequence[int], strategy: str) -> ToolError:
    """Return the answer for a text that is there several times."""
    every = (
        "or use replace_all to change every one."
        if strategy == "exact"
        else "or write it just as the file has it and use replace_all to change every one."
    )
    places = [{"line": number(lines, index), "text": _cut(lines.texts[index])} for index in firsts]
    return ToolError(
        f"{path}: the text is there {len(places)} times; nothing was changed",
        code="ambiguous",
        hint=f"Add lines before or after it to old_string until it is there once, {every}",
        strategy=strategy,
        places=places[:_MOST_PLACES],
    )


def missing(path: str, lines: Lines, needle: Sequence[str], what: str) -> ToolError:
    """Return the answer for a text that is not there: the places that are most like it."""
    nearest = [
        _section(lines, start, end, needle) for start, end in nearest_sections(lines, needle)
    ]
    hint = "Compare: lines with - are as you wrote them, lines with + as the file has them."
    if not nearest:
        hint = "Nothing in the file is like it; read the file again."
    if not len(lines):
        hint = "The file is empty; write it with write_file."
    return ToolError(
        f"{path}: {what} is not in the file; nothing was changed",
        code="no_match",
        hint=hint,
        **({"nearest": nearest} if nearest else {}),
    )


def number(lines: Lines, index: int) -> int:
    """Return the number of a line as readers count: by line feeds."""
    if "\r" not in lines.text:
        return index + 1
    return lines.text.count("\n", 0, lines.starts[index]) + 1


def nearest_sections(lines: Lines, needle: Sequence[str]) -> list[tuple[int, int]]:
    """Return the sections of a file that are most like some lines, the best first."""
    written = [line for line in needle if line.strip()]
    if not written or not len(lines):
        return []
    best = _best(lines, needle, _by_lines(lines, needle), [])
    if len(best) < _SECTIONS:
        best = _best(lines, needle, _by_words(lines, needle), best)
    return (best or _by_letters(lines, written[0]))[:_SECTIONS]


def _best(
    lines: Lines,
    needle: Sequence[str],
    votes: collections.Counter[int],
    best: list[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Return sections that are like some lines, below those that are known to be better."""
    scored = []
    for offset, _ in votes.most_common(_TRIED):
        start, end = max(0, offset), max(0, min(len(lines), offset + len(needle)))
        if start < end:
            scored.append((_likeness(lines.texts[start:end], needle), start, end))
    best = list(best)
    for likeness, start, end in sorted(scored, key=lambda each: (-each[0], each[1])):
        if likeness > 0 and all(end <= first or last <= start for first, last in best):
            best.append((start, end))
    return best


def _by_lines(lines: Lines, needle: Sequence[str]) -> collections.Counter[int]:
    """Count for each place how many lines are there as written but for their indentation."""
    at: dict[str, list[int]] = {}
    for index, line in enumerate(needle):
        if len(line.strip()) > 2:
            at.setdefault(line.strip(), []).append(index)
    votes: collections.Counter[int] = collections.Counter()
    for index, text in enumerate(lines.texts):
        for mine in at.get(text.strip(), ()):
            votes[index - mine] += 1
    return votes if len(votes) <= 1_000 else collections.Counter(dict(votes.most_common(1_000)))


def _by_words(lines: Lines, needle: Sequence[str]) -> collections.Counter[int]:
    """Count for each place how many of the rarer words are there."""
    votes: collections.Counter[int] = collections.Counter()
    words = [(word, index) for index, line in enumerate(needle) for word in _WORD.findall(line)]
    for word, mine in dict(
        reversed(sorted(words, key=lambda each: -len(each[0]))[:_MOST_WORDS])
    ).items():
        found = _lines_with(lines, word)
        if len(found) <= _COMMON:
            for index in found:
                votes[index - mine] += len(word)
    return votes


def _by_letters(lines: Lines, line: str) -> list[tuple[int, int]]:
    """Return the lines that are most like one without words, the best first."""
    matcher = difflib.SequenceMatcher(None, b=line.strip()[:_LONGEST], autojunk=False)
    scored = []
    for index, text in enumerate(lines.texts[:_MOST_COMPARED]):
        matcher.set_seq1(text.strip()[:_LONGEST])
        if text.strip() and matcher.real_quick_ratio() >= _ALIKE <= matcher.quick_ratio():
            scored.append((-matcher.ratio(), index))
    return [(index, index + 1) for likeness, index in sorted(scored) if -likeness >= _ALIKE]


def _lines_with(lines: Lines, word: str) -> list[int]:
    found: list[int] = []
    at = lines.text.find(word)
    while at >= 0 and len(found) <= _COMMON:
        found.append(lines.at(at))
        at = lines.text.find(word, lines.starts[found[-1] + 1])
        if found[-1] + 1 >= len(lines):
            break
    return found


def _likeness(there: Sequence[str], needle: Sequence[str]) -> float:
    ours, theirs = _words(needle), _words(there)
    common = sum((ours & theirs).values())
    same = len({key(line) for line in there if line.strip()} & {key(line) for line in needle})
    return common / max(1, ours.total(), theirs.total()) + same / max(1, len(needle))


def _words(lines: Iterable[str]) -> collections.Counter[str]:
    return collections.Counter(word for line in lines for word in _WORD.findall(line))


def _section(lines: Lines, start: int, end: int, needle: Sequence[str]) -> dict[str, Any]:
    first, last = number(lines, start), number(lines, end - 1)
    marked = difference(needle, lines.texts[start:end])
    if len(marked) > _MOST_LINES:
        marked = [*marked[:_MOST_LINES], f"… {len(marked) - _MOST_LINES} more"]
    return {"lines": f"{first}-{last}", "difference": "\n".join(marked)}


def difference(written: Sequence[str], there: Sequence[str]) -> list[str]:
    """Return two pieces of text as one, with what is otherwise in them marked by - and +."""
    marked: list[str] = []
    matcher = difflib.SequenceMatcher(None, written, there, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            marked += [f"  {_cut(line)}" for line in there[j1:j2]]
        else:
            marked += [f"- {_cut(line)}" for line in written[i1:i2]]
            marked += [f"+ {_cut(line)}" for line in there[j1:j2]]
    return marked


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
