"""Find where the hunks of a patch belong in a file: in one place each, and in their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hermes.base.errors import ToolError
from hermes.services.files.patching.explaining import ambiguous, missing
from hermes.services.files.patching.fitting import Region, Unfit, fit
from hermes.services.files.patching.formats.deeds import Hunk
from hermes.services.files.patching.lines import Line, Lines, indent_of, key
from hermes.services.files.patching.matching import Place, all_line_places
from hermes.services.files.patching.script import Row, paired
from hermes.services.files.patching.showing import Splice

_CLOSING = (")", "]", "}")
_MOST_TRIED = 200


class Settled(NamedTuple):
    """What a hunk does to a file, and how strictly its lines were found."""

    region: Region
    strategy: str
    first: int
    """Its first line that is there; where only new ones are, the line below them."""


def settle(path: str, lines: Lines, hunks: Sequence[Hunk]) -> list[Settled]:
    """Return what the hunks of a file do to it.

    Raises:
        ToolError: the place of one is not there or not clear.
    """
    names = [_name(index, hunks) for index in range(len(hunks))]
    found: list[list[Settled]] = []
    for name, hunk in zip(names, hunks, strict=True):
        found.append(_candidates(path, name, lines, hunk))
    chosen = _in_order(found) or _in_any_order(found)
    if chosen is None:
        index = next((at for at, each in enumerate(found) if len(each) > 1), -1)
        if index < 0:
            raise ToolError(f"{path}: two hunks change the same lines", code="invalid_patch")
        firsts = [each.first for each in found[index]]
        strategy = found[index][0].strategy
        raise _named(names[index], ambiguous(path, lines, firsts, strategy))
    return chosen


def _name(index: int, hunks: Sequence[Hunk]) -> str:
    return f"hunk {index + 1}" if len(hunks) > 1 else "the hunk"


def _named(name: str, error: ToolError) -> ToolError:
    error.hint = (
        f"This is about {name}: give more lines around it, or @@ lines that name the class or "
        "function that it is in."
    )
    return error


def _candidates(path: str, name: str, lines: Lines, hunk: Hunk) -> list[Settled]:
    scopes = _scopes(lines, hunk)
    if scopes is None:
        raise missing(path, lines, hunk.hints[-1:], f"the line of @@ {hunk.hints[-1]} ({name})")
    if not hunk.old:
        return [_inserted(path, name, lines, hunk, scopes)]
    if not any(line.strip() for line in hunk.old):
        raise ToolError(
            f"{path}: {name} has only blank lines to find its place by; nothing was changed",
            code="ambiguous",
            hint="Give a line with words that is there above or below them.",
        )
    places = _within(lines, hunk, all_line_places(lines, hunk.old), scopes)
    if not places:
        raise missing(path, lines, hunk.old, f"the text of {name}")
    rank = min(place.rank for place in places)
    places = [place for place in places if place.rank == rank]
    try:
        return [_settled(lines, place, hunk) for place in _said(places, hunk)]
    except Unfit as error:
        raise ToolError(
            f"{path}: {error} in {name}; nothing was changed",
            code="no_match",
            hint="Write the old lines of the hunk as the file has them.",
        ) from error


def _said(places: Sequence[Place], hunk: Hunk) -> Sequence[Place]:
    """Return the place that is at the very line that the hunk says, if there are several."""
    blanks = next(index for index, line in enumerate(hunk.old) if line.strip())
    said = [place for place in places if place.where[0] - blanks == hunk.line]
    return said if len(places) > 1 and len(said) == 1 else places[:_MOST_TRIED]


class _Scope(NamedTuple):
    """The lines that a hint is about."""

    first: int
    last: int
    """The line after the last; where nothing says where it ends, that of the file."""


def _scopes(lines: Lines, hunk: Hunk) -> list[_Scope] | None:
    """Return what the hints lead to, from the outermost to the nearest; None when one is gone."""
    scopes = [_Scope(0, len(lines))]
    for hint in hunk.hints:
        found = [scope for outer in scopes for scope in _below(lines, hint, outer)]
        if not found and len(scopes) == 1 and scopes[0].last < len(lines):
            found = list(_below(lines, hint, _Scope(scopes[0].first, len(lines))))
        if not found:
            return None if hunk.is_hint_sure else [_Scope(0, len(lines))]
        scopes = list(dict.fromkeys(found))
    return scopes


def _below(lines: Lines, hint: str, outer: _Scope) -> Iterator[_Scope]:
    for index in _like(lines, hint, range(outer.first, outer.last)):
        yield _Scope(index, _end_of_block(lines, index))


def _like(lines: Lines, hint: str, within: Iterable[int]) -> list[int]:
    """Return the lines that a hint means: the same, or failing that those that begin so."""
    wanted = key(hint)
    word = re.search(r"\w+", hint)
    near = [index for index in within if not word or word[0] in lines.texts[index]]
    same = [index for index in near if key(lines.texts[index]) == wanted]
    return same or [
        index for index in near if re.match(re.escape(wanted) + r"(?!\w)", key(lines.texts[index]))
    ]


def _end_of_block(lines: Lines, index: int) -> int:
    """Return where the lines end that are indented below one; at least one line is."""
    depth = len(indent_of(lines.texts[index]).expandtabs(4))
    for below in range(index + 1, len(lines)):
        text = lines.texts[below]
        is_outside = len(indent_of(text).expandtabs(4)) <= depth
        if text.strip() and is_outside and not text.strip().startswith(_CLOSING):
            return below if below > index + 1 else len(lines)
    return len(lines)


def _within(
    lines: Lines, hunk: Hunk, places: Sequence[Place], scopes: Sequence[_Scope]
) -> list[Place]:
    """Return the places that are where the hints and the end-of-file mark say."""
    if hunk.is_at_end:
        last = max((i for i, text in enumerate(lines.texts) if text.strip()), default=-1)
        places = [place for place in places if place.where[-1] == last]
    if not hunk.hints:
        return list(places)
    inside = [
        place
        for place in places
        if any(scope.first <= place.where[0] < scope.last for scope in scopes)
    ]
    if inside or not hunk.is_hint_sure:
        return inside or list(places)
    return [place for place in places if place.where[0] >= scopes[0].first]


def _inserted(path: str, name: str, lines: Lines, hunk: Hunk, scopes: Sequence[_Scope]) -> Settled:
    """Return an insertion: below the hint, or at the end of the file."""
    if hunk.hints and hunk.is_hint_sure:
        if len(scopes) > 1:
            firsts = [scope.first for scope in scopes]
            raise _named(name, ambiguous(path, lines, firsts, "hint"))
        at = scopes[0].first + 1
        return Settled(_put(lines, at, hunk), "hint", at)
    if hunk.line is not None and hunk.line < len(lines):
        raise ToolError(
            f"{path}: {name} has only new lines, so its place is not clear; nothing was changed",
            code="ambiguous",
            hint="Give a line that is there above or below them.",
        )
    return Settled(_put(lines, len(lines), hunk), "end_of_file", len(lines))


def _put(lines: Lines, at: int, hunk: Hunk) -> Region:
    end = lines.end_near(at, at)
    made = [Line(text, end) for text in hunk.new]
    if hunk.is_open and made:
        made[-1] = made[-1]._replace(end="")
    if at == len(lines) and at and not lines.ends[-1]:
        return Region(at - 1, at, [Line(lines.texts[-1], end), *made])
    return Region(at, at, made)


def _settled(lines: Lines, place: Place, hunk: Hunk) -> Settled:
    region = _closed(fit(lines, place, hunk.old, _rows(hunk)), lines, hunk)
    return Settled(_core(lines, region), place.strategy, place.where[0])


def _rows(hunk: Hunk) -> list[Row]:
    """Return a hunk as what it does to each of its old lines."""
    rows: list[Row] = []
    old, removed, added, index = hunk.old, [], [], 0
    for mark, text in [*hunk.rows, (" ", None)]:
        if mark == "-":
            removed.append(index)
        elif mark == "+" and text is not None:
            added.append(text)
        else:
            rows += paired(old, removed, added)
            removed, added = [], []
            if text is not None:
                rows.append(Row(index, text))
        index += mark != "+"
    return rows


def _closed(region: Region, lines: Lines, hunk: Hunk) -> Region:
    """Return lines of which the last has a line end if and only if the patch says so."""
    if not region.lines or region.last < len(lines):
        return region
    *others, last = region.lines
    if hunk.is_open:
        last = last._replace(end="")
    elif last.text != lines.texts[-1] or hunk.is_open is False:
        last = last._replace(end=last.end or lines.end_near(region.first, region.last))
    return Region(region.first, region.last, [*others, last])


def _core(lines: Lines, region: Region) -> Region:
    """Return a region without the lines that stay as they are at both of its ends."""
    first, last, made = region
    while first < last and made and made[0] == (lines.texts[first], lines.ends[first]):
        first, made = first + 1, made[1:]
    while first < last and made and made[-1] == (lines.texts[last - 1], lines.ends[last - 1]):
        last, made = last - 1, made[:-1]
    return Region(first, last, made)


def _in_order(found: Sequence[Sequence[Settled]]) -> list[Settled] | None:
    """Return the one way in which all hunks are in their order; None for none or several."""
    ways: list[tuple[int, list[Settled]]] = [(0, [])]
    for candidates in found:
        ways = [
            (each.region.last, [*chosen, each])
            for end, chosen in ways
            for each in candidates
            if each.region.first >= end
        ][:_MOST_TRIED]
    return ways[0][1] if len(ways) == 1 else None


def _in_any_order(found: Sequence[Sequence[Settled]]) -> list[Settled] | None:
    """Return the places when each is clear in itself and none overlap."""
    if any(len(candidates) != 1 for candidates in found):
        return None
    return _in_order([[each] for each in sorted(each[0] for each in found)])


def splices(lines: Lines, settled: Iterable[Settled]) -> list[Splice]:
    """Return what hunks do, as splices of the text."""
    return [
        Splice(
            lines.starts[region.first],
            lines.starts[region.last],
            "".join(text + end for text, end in region.lines),
        )
        for region, *_ in settled
    ]
