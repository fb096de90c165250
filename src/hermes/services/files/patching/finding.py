"""Find the one place that an old text means, and what the new one becomes there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hermes.base.errors import ToolError
from hermes.services.files.patching import escapes
from hermes.services.files.patching.explaining import ambiguous, missing, number
from hermes.services.files.patching.fitting import Unfit, fit
from hermes.services.files.patching.fragments import fragment_places
from hermes.services.files.patching.lines import Lines, indent_of, rows_of
from hermes.services.files.patching.matching import exact_places, has_more_blanks, line_places
from hermes.services.files.patching.merging import merged
from hermes.services.files.patching.script import script
from hermes.services.files.patching.showing import Splice

_GUTTER = re.compile(r"[ \t]*(\d+)([|\t\u2192]|:[ ]?)(.*)", re.DOTALL)
_STRANGE_INDENT = re.compile(r"^[ \t]*\xa0[ \t\xa0]*", re.MULTILINE)
_LONGEST = 50_000
"""The most characters of an old text that are looked for in each way that is known."""
_UNCLEAR_ESCAPE = "a backslash in new_string could be an escape (a \\n a line end) or itself"


class Wanted(NamedTuple):
    """An edit as it was asked for."""

    path: str
    old: str
    new: str
    replace_all: bool = False


class Edits(NamedTuple):
    """What an edit does to a text, and by which way of looking it was found."""

    splices: list[Splice]
    strategy: str
    note: str = ""


Way = Callable[[Lines, Wanted], Edits | None]


def find_edits(text: str, wanted: Wanted) -> Edits:
    """Return what an edit does to a text.

    Raises:
        ToolError: the old text is not there, or in several places.
    """
    exact = exactly(text, wanted)
    if exact and not _is_cut(text, wanted, exact):
        return exact
    lines = Lines(text)
    try:
        if exact:
            return _uncut(lines, wanted, exact)
        for way in (_by_lines, _by_fragment, _without_gutter, _unescaped):
            if found := way(lines, wanted):
                return found
    except Unfit as error:
        raise ToolError(
            f"{wanted.path}: {error}; nothing was changed",
            code="no_match",
            hint="Repeat old_string as the file has it: its indentation, quotes and line ends.",
        ) from error
    raise _miss(lines, wanted)


def exactly(text: str, wanted: Wanted) -> Edits | None:
    """Return an edit of the very characters that were written."""
    places = exact_places(text, wanted.old)
    if not places:
        return None
    if wanted.replace_all:
        places = _apart(places)
    elif len(places) > 1:
        lines = Lines(text)
        raise ambiguous(wanted.path, lines, [lines.at(start) for start, _ in places], "exact")
    splices = [Splice(*place, with_line_ends(text, *place, wanted)) for place in places]
    note = _repeats(text, wanted, places) if len(places) == 1 else ""
    return Edits(splices, "exact", note)


def _is_cut(text: str, wanted: Wanted, exact: Edits) -> bool:
    """Say whether a text was found within a line, though it looks like whole lines."""
    start, end, _ = exact.splices[0]
    if len(exact.splices) > 1 or not wanted.old.strip():
        return False
    before = _line_before(text, start)
    is_in_indent = bool(before) and not before.strip() and _is_indented_newly(wanted)
    is_open = text[end - 1] not in "\r\n" and text[end : end + 1] not in ("", "\r", "\n")
    is_torn = is_open and "\n" in wanted.old.rstrip("\n")
    return is_in_indent or is_torn or (bool(before) and _is_indented(wanted.old))


def _is_indented_newly(wanted: Wanted) -> bool:
    return "\n" in wanted.new.strip("\n") or bool(indent_of(wanted.new))


def _is_indented(text: str) -> bool:
    return text[0] in " \t" and bool(text.partition("\n")[0].strip())


def _line_before(text: str, start: int) -> str:
    return text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]


def _uncut(lines: Lines, wanted: Wanted, exact: Edits) -> Edits:
    """Return what is meant by a text that was found within a line.

    Raises:
        ToolError: it is also there as whole lines, elsewhere.
        Unfit: new lines may be indented as the old one is written, or as the file is.
    """
    start = exact.splices[0].start
    before = _line_before(lines.text, start)
    is_in_indent = bool(before) and not before.strip()
    old, new = rows_of(wanted.old), rows_of(wanted.new)
    if _is_indented(wanted.old) or "\n" in wanted.old.rstrip("\n"):
        first = lines.at(start) + _solid(old)[0]
        firsts = [place.where[0] for place in line_places(lines, old)]
        if any(at != first for at in firsts):
            raise ambiguous(wanted.path, lines, sorted({first, *firsts}), "exact")
        if firsts and is_in_indent and _is_indented(wanted.old):
            return _by_lines(lines, wanted) or exact
    if is_in_indent and new and indent_of(new[0]) == before:
        return _by_lines(lines, wanted) or exact
    depth = len(before.expandtabs(8))
    others = [new[at] for at in _solid(new)[1:] if new[at] not in old]
    is_less = any(len(indent_of(row).expandtabs(8)) < depth for row in others)
    if is_less and is_in_indent and len(_solid(old)) == 1:
        raise Unfit("it cannot be told how new_string is indented against the file")
    return exact


def _apart(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places that do not overlap, from the first on."""
    apart: list[tuple[int, int]] = []
    for place in places:
        if not apart or place[0] >= apart[-1][1]:
            apart.append(place)
    return apart


def _repeats(text: str, wanted: Wanted, places: list[tuple[int, int]]) -> str:
    inside = wanted.new.find(wanted.old)
    start = places[0][0] - inside
    if inside < 0 or start < 0 or text[start : start + len(wanted.new)] != wanted.new:
        return ""
    return "All of new_string was there already, so a part of it is there twice now."


def with_line_ends(text: str, start: int, end: int, wanted: Wanted) -> str:
    """Return the new text with the line ends of the place that it goes to."""
    new = wanted.new
    if "\r" not in text:
        return new.replace("\r\n", "\n") if "\r\n" in wanted.old else new
    if "\n" not in new:
        return new
    there = text[start:end]
    plain, fresh = there.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    head = _common(plain, fresh)
    tail = _common(plain[head:][::-1], fresh[head:][::-1])
    lines = Lines(text)
    ending = lines.end_near(lines.at(start), lines.at(max(start, end - 1)) + 1)
    middle = fresh[head : len(fresh) - tail].replace("\n", ending)
    return _raw_head(there, head) + middle + _raw_tail(there, tail)


def _common(ours: str, theirs: str) -> int:
    low, high = 0, min(len(ours), len(theirs))
    while low < high:
        middle = (low + high + 1) // 2
        if ours[:middle] == theirs[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _raw_head(text: str, count: int) -> str:
    """Return the first so many characters, where a pair of line end characters counts as one."""
    units = re.findall(r"\r\n|.", text, re.DOTALL)
    return "".join(units[:count])


def _raw_tail(text: str, count: int) -> str:
    units = re.findall(r"\r\n|.", text, re.DOTALL)
    return "".join(units[len(units) - count :])


def _by_lines(lines: Lines, wanted: Wanted) -> Edits | None:
    """Look for whole lines whose words are the same."""
    if "\xa0" in wanted.old and not _STRANGE_INDENT.search(lines.text):
        wanted = wanted._replace(
            old=_with_plain_indents(wanted.old), new=_with_plain_indents(wanted.new)
        )
    old = rows_of(wanted.old)
    places = line_places(lines, old)
    if not places:
        return None
    if len(places) > 1:
        firsts = [place.where[0] for place in places]
        raise ambiguous(wanted.path, lines, firsts, places[0].strategy)
    new = rows_of(wanted.new)
    is_closed = wanted.old.endswith(("\n", "\r"))
    if not is_closed and (not new or wanted.new.endswith(("\n", "\r"))):
        new.append("")  # what comes after old_string stays on a line of its own
    elif is_closed and new and not wanted.new.endswith(("\n", "\r")):
        below = places[0].where[-1] + len(old) - max(_solid(old))
        if below < len(lines) and not lines.texts[below].strip():
            old.append("")  # its line end was taken out: a blank line fewer
    if has_more_blanks(lines, old, places[0].where):
        old, new = _tight(old), _tight(new)  # who gets their number wrong does not change it
    region = fit(lines, places[0], old, script(old, new))
    made = "".join(line.text + line.end for line in region.lines)
    end = lines.starts[region.last]
    if region.lines and not lines.ends[region.last - 1]:
        made = made[: len(made) - len(region.lines[-1].end)]
    strategy = places[0].strategy if places[0].rank else "line_ends"
    return Edits([Splice(lines.starts[region.first], end, made)], strategy)


def _with_plain_indents(text: str) -> str:
    return _STRANGE_INDENT.sub(lambda found: found[0].replace("\xa0", " "), text)


def _solid(rows: Sequence[str]) -> list[int]:
    """Return which lines are not blank."""
    return [index for index, row in enumerate(rows) if row.strip()]


def _tight(rows: list[str]) -> list[str]:
    """Return lines without the blank ones at both ends."""
    solid = _solid(rows)
    return rows[solid[0] : solid[-1] + 1] if solid else []


def _by_fragment(lines: Lines, wanted: Wanted) -> Edits | None:
    """Look for a part of a line whose words are the same."""
    is_whole = "\n" in wanted.old + wanted.new or wanted.old != wanted.old.strip()
    if is_whole or len(wanted.old) > _LONGEST:
        return None  # whoever writes white space around a text means whole lines
    places = fragment_places(lines.text, wanted.old)
    if len(places) > 1:
        firsts = [lines.at(start) for start, _ in places]
        raise ambiguous(wanted.path, lines, firsts, "fragment")
    if not places:
        return None
    start, end = places[0]
    new = merged(wanted.old, lines.text[start:end], wanted.new)
    return Edits([Splice(start, end, new)], "fragment")


def _without_gutter(lines: Lines, wanted: Wanted) -> Edits | None:
    """Take off line numbers that were copied from a listing."""
    old = wanted.old.removesuffix("\n").split("\n")
    found = [_GUTTER.fullmatch(row) for row in old]
    numbers = [int(row[1]) for row in found if row]
    if len(numbers) != len(found) or not _count_up(numbers):
        return None
    new = _bare(wanted.new, old, {row[2] for row in found if row})
    result = _by_lines(lines, wanted._replace(old=_bare(wanted.old, old), new=new))
    return result._replace(strategy="line_numbers") if result else None


def _count_up(numbers: list[int]) -> bool:
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _bare(text: str, old: Sequence[str], marks: Iterable[str] | None = None) -> str:
    """Return a text without its line numbers, if it has such marks in all lines or an old one."""
    rows = text.split("\n")
    found = [_GUTTER.fullmatch(row) for row in rows]
    bare = [row[3] if row and (marks is None or row[2] in marks) else None for row in found]
    is_listed = any(row in old for row in rows) or None not in bare[: len(rows) - (not rows[-1])]
    if not is_listed:
        return text
    return "\n".join(row if it is None else it for row, it in zip(rows, bare, strict=True))


def _unescaped(lines: Lines, wanted: Wanted) -> Edits | None:
    """Take escapes for what they stand for."""
    if not escapes.is_escaped(wanted.old):
        return None
    is_long = len(wanted.old) > _LONGEST
    places = [] if is_long else escapes.escaped_places(lines.text, wanted.old)
    if len(places) > 1:
        firsts = [lines.at(place.start) for place in places]
        raise ambiguous(wanted.path, lines, firsts, "escapes")
    if not places:
        return _unescaped_lines(lines, wanted)
    start, end, meanings = places[0]
    new = escapes.meant(wanted.old, wanted.new, meanings)
    if new is None:
        raise Unfit(_UNCLEAR_ESCAPE)
    real = Wanted(wanted.path, lines.text[start:end], new)
    made = with_line_ends(lines.text, start, end, real)
    return Edits([Splice(start, end, made)], "escapes")


def _unescaped_lines(lines: Lines, wanted: Wanted) -> Edits | None:
    old = escapes.unescaped(wanted.old)
    places = line_places(lines, rows_of(old))
    if not places:
        return None
    new = escapes.all_meant(wanted.old, wanted.new)
    if new is None:
        raise Unfit(_UNCLEAR_ESCAPE)
    found = _by_lines(lines, wanted._replace(old=old, new=new))
    return found._replace(strategy="escapes") if found else None


def _miss(lines: Lines, wanted: Wanted) -> ToolError:
    places = exact_places(lines.text, wanted.new) if wanted.new.strip() else []
    if places:
        at = ", ".join(str(line) for line in _numbers(lines, places))
        return ToolError(
            f"{wanted.path}: old_string is not in the file, and new_string is already there "
            f"(line {at}); nothing was changed",
            code="already_done",
            hint="This change seems to have been made before.",
        )
    return missing(wanted.path, lines, rows_of(wanted.old), "old_string")


def _numbers(lines: Lines, places: list[tuple[int, int]]) -> Iterator[int]:
    for start, _ in places[:10]:
        yield number(lines, lines.at(start))
