"""How the indentation that somebody wrote translates into the one that a file has."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

Translate = Callable[[str], str | None]
"""Returns an indentation as the file would have it; None when that cannot be told."""
Pairs = Sequence[tuple[str, str]]
"""Indentations of the same lines, as written and as in the file."""
_TAB_WIDTHS = (4, 2, 8, 3)


def translation(pairs: Pairs, unit: int) -> Translate | None:
    """Return the rule by which indentations translate, if there is one.

    ``unit`` is how many spaces a level of the file has.
    """
    known = _known(pairs)
    for model in _models(known, unit) if known else ():
        if all(model(written) == there for written, there in known.items()):
            return model
    return None


def table(pairs: Pairs) -> Translate | None:
    """Return what is known of each indentation; None when the lines are nested in another way.

    Where the file has tabs in one line and spaces in another, nothing is known of a new line.
    """
    known = _known(pairs)
    if known and _keeps_order(known):
        is_mixed = len({indent[0] for indent in known.values() if indent}) > 1
        return (lambda _: None) if is_mixed else known.get
    return (lambda _: None) if _is_mixed_up(pairs) else None


def _is_mixed_up(pairs: Pairs) -> bool:
    """Say whether one indentation is two only because the file has a tab here, spaces there."""
    meant: dict[str, set[str]] = {}
    for written, there in pairs:
        meant.setdefault(written, set()).add(there)
    return all(
        len(there) == 1 or (len(there) == 2 and "" not in there and len({i[0] for i in there}) == 2)
        for there in meant.values()
    ) and any(len(there) == 2 for there in meant.values())


def _known(pairs: Pairs) -> dict[str, str]:
    """Return what each indentation is in the file; nothing when one is two things."""
    known = dict(pairs)
    return known if all(known[written] == there for written, there in pairs) else {}


def _keeps_order(known: dict[str, str]) -> bool:
    widths = sorted((_width(written), _width(there)) for written, there in known.items())
    return all(
        before[0] < after[0] and before[1] < after[1]
        for before, after in itertools.pairwise(widths)
    )


def _width(indent: str) -> int:
    return len(indent.expandtabs(8))


def _models(known: dict[str, str], unit: int) -> Iterator[Translate]:
    yield lambda indent: indent
    for written, there in list(known.items())[:1]:
        if there.endswith(written):
            yield _longer(there[: len(there) - len(written)])
        if written.endswith(there):
            yield _shorter(written[: len(written) - len(there)])
    widths = list(dict.fromkeys((unit, *_TAB_WIDTHS)))
    for is_moved in (False, True):
        for width in widths:
            shift = _shift(known, width) if is_moved else 0
            yield _spaces_for_tabs(width, shift)
            yield _tabs_for_spaces(width, shift)
    for ours in widths:
        for theirs in widths:
            yield _other_unit(ours, theirs)


def _longer(prefix: str) -> Translate:
    return lambda indent: prefix + indent


def _shorter(prefix: str) -> Translate:
    def translate(indent: str) -> str | None:
        return indent[len(prefix) :] if indent.startswith(prefix) else None

    return translate


def _shift(known: dict[str, str], width: int) -> int:
    """Return by how many levels the lines were moved besides, as the first pair says."""
    written, there = next(iter(known.items()))
    return _width_at(there, width) // width - _width_at(written, width) // width


def _width_at(indent: str, width: int) -> int:
    return len(indent.expandtabs(width))


def _spaces_for_tabs(width: int, shift: int) -> Translate:
    def translate(indent: str) -> str | None:
        rest = indent.lstrip("\t")
        levels = len(indent) - len(rest) + shift
        return None if "\t" in rest or levels < 0 else " " * (width * levels) + rest

    return translate


def _tabs_for_spaces(width: int, shift: int) -> Translate:
    def translate(indent: str) -> str | None:
        if "\t" in indent:
            return None
        levels, rest = divmod(len(indent), width)
        return "\t" * (levels + shift) + " " * rest if levels + shift >= 0 else None

    return translate


def _other_unit(ours: int, theirs: int) -> Translate:
    def translate(indent: str) -> str | None:
        if "\t" in indent:
            return None
        levels, rest = divmod(len(indent), ours)
        return " " * (levels * theirs + rest)

    return translate


def unit_of(lines: Iterable[str]) -> int:
    """Return how many spaces a level of indentation has in these lines, by the look of them."""
    steps: dict[int, int] = {}
    before = 0
    for line in lines:
        if not line or line.isspace():
            continue
        now = len(line) - len(line.lstrip(" "))
        if 2 <= now - before <= 8:
            steps[now - before] = steps.get(now - before, 0) + 1
        before = now
    return max(steps, key=steps.__getitem__) if steps else 4


def may_be_scaled(old: Pairs, new: Sequence[str], translate: Translate, unit: int) -> bool:
    """Say whether indentations that seem to be moved may rather be written in another unit.

    So it is when a new line would be moved to where no level of the file is, or several levels
    deeper than the one above it, and a level of some other width leads all lines to levels.
    """
    known = dict(old)
    fresh = [indent for indent in set(new) - known.keys() if "\t" not in indent]
    moved = {indent: translate(indent) or "" for indent in new}
    if "\t" in "".join([*known, *known.values(), *moved.values()]):
        return False
    if all(len(moved[indent]) % unit == 0 for indent in fresh) and not any(
        below in fresh and len(moved[below]) - len(moved[above]) > unit
        for above, below in itertools.pairwise(new)
    ):
        return False
    return any(
        all(len(written) * unit == len(there) * width for written, there in known.items())
        and all(len(indent) % width == 0 for indent in fresh)
        for width in _TAB_WIDTHS
        if width != unit
    )


class Indented(NamedTuple):
    """How a new line is indented, and the old line that it comes from, if there is one."""

    new: str
    written: str | None = None
    there: str = ""
    is_same: bool = False
    """Whether its text is that of the old line."""

    @property
    def vote(self) -> bool | None:
        """Say whether it is indented as the old line was written, and not as in the file."""
        return None if self.written is None else _vote(self.new, self.written, self.there)


def is_as_written(old: Pairs, new: Sequence[Indented]) -> bool | None:
    """Say whether new lines are indented in the terms in which the old ones were written.

    Otherwise they are indented as the file is; None when nothing tells, or too much.
    """
    if not new:
        return True
    moved = {line.vote for line in new if line.is_same} - {None}
    by_kind = _by_kind(old, [line.new for line in new])
    if by_kind is not None:
        return by_kind if moved <= {by_kind} else None
    head = new[0]
    is_first = not head.is_same or (head.written, head.there) == old[0]
    first = _vote(head.new, *old[0]) if is_first else None
    least = _vote(
        min((line.new for line in new), key=_width),
        min((written for written, _ in old), key=_width),
        min((there for _, there in old), key=_width),
    )
    if first is not None and (first == least or moved == {first}):
        return first
    votes = ({first, least} - {None}) | moved
    votes = votes or {line.vote for line in new} - {None} or _by_levels(old, new)
    return votes.pop() if len(votes) == 1 else None


def _by_levels(old: Pairs, new: Sequence[Indented]) -> set[bool | None]:
    """Return the side whose levels are those of all new lines, where only one side's are."""
    both = {written for written, there in old if written == there}
    levels = {line.new for line in new} - both
    ours = levels <= {written for written, _ in old}
    theirs = levels <= {there for _, there in old}
    return {ours} if levels and ours != theirs else set()


def _by_kind(old: Pairs, new: Sequence[str]) -> bool | None:
    """Decide by tabs and spaces, where one side has tabs for what are spaces on the other."""
    ours = [(written, there) for written, there in old if "\t" in written and " " in there]
    theirs = [(written, there) for written, there in old if "\t" in there and " " in written]
    has_tabs = any("\t" in indent for indent in new)
    if ours and not any("\t" in there for _, there in old):
        is_theirs = bool(set(new) & {there for _, there in ours})
        return has_tabs if has_tabs != is_theirs else None
    if theirs and not any("\t" in written for written, _ in old):
        is_ours = bool(set(new) & {written for written, _ in theirs})
        return is_ours if has_tabs != is_ours else None
    return None


def _vote(new: str, written: str, there: str) -> bool | None:
    if written == there or new not in (written, there):
        return None
    return new == written
