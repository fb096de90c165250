"""Tables and colour for a terminal; the only module that knows rich."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.json import JSON
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from hermes.cli import output
from hermes.cli.output import Row

_GAP = 2
_NARROWEST = 24
"""A last column narrower than this reads worse than text beneath the other columns."""
_MARKS = {"yes": "✓", "no": "✗"}
_STYLES = {"yes": "green", "no": "red", "ok": "green", "broken": "red", "note": "yellow"}

Line = list[Text]


class Table(NamedTuple):
    """Rows under headings, and how they may be shown."""

    columns: Row
    rows: list[Row]
    droppable: int = 0
    is_faint: Callable[[Row], bool] | None = None

    def lines(self) -> list[Line]:
        """Return the headings and the rows as cells."""
        head = [Text(name, style="dim") for name in self.columns]
        return [head, *(self._cells(row) for row in self.rows)]

    def _cells(self, row: Row) -> Line:
        cells = [_cell(field) for field in row]
        if self.is_faint and self.is_faint(row):
            for cell in cells:
                cell.stylize("dim")
        return cells


def print_json(text: str) -> None:
    """Print indented JSON with highlighting."""
    shown = JSON(text, indent=2, ensure_ascii=not output.can_show(text))
    _print([shown], soft_wrap=True)


def print_table(table: Table) -> None:
    """Print rows under their headings, with as many of the droppable columns as there is room."""
    room = output.width()
    lines = table.lines()
    for _ in range(table.droppable):
        if _needed(lines) <= room:
            break
        lines = [line[:-1] for line in lines]
    widths = _widths(lines, room)
    _print(_placed(lines if widths else lines[1:], widths))


def print_groups(table: Table, at: int) -> None:
    """Print rows indented under one heading for each run of equal values in a column."""
    room = output.width() - _GAP
    _, *lines = table._replace(
        columns=_without(table.columns, at), rows=[_without(row, at) for row in table.rows]
    ).lines()
    widths = _widths(lines, room)
    shown: list[RenderableType] = []
    left = iter(lines)
    for heading, members in groupby(table.rows, key=lambda row: row[at]):
        shown.append(Text(heading, style="bold"))
        group = [next(left) for _ in members]
        shown += [Padding(part, (0, 0, 0, _GAP)) for part in _placed(group, widths)]
    _print(shown)


def print_facts(facts: list[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    lines = [[Text(name, style="dim"), _cell(value)] for name, value in facts]
    _print(_placed(lines, _widths(lines, output.width())))


def print_styled(lines: Iterable[str], styles: Mapping[str, str]) -> None:
    """Print lines that are laid out already, with a style for some words in them."""
    shown = [Text(line) for line in lines]
    for line in shown:
        for words, style in styles.items():
            line.highlight_words([words], style)
    _print(shown, soft_wrap=True)


def _print(parts: Sequence[RenderableType], *, soft_wrap: bool = False) -> None:
    # told only a width, rich takes 80 columns for what a plain terminal has
    console = Console(width=output.width(), height=25, highlight=False, soft_wrap=soft_wrap)
    with console.capture() as drawn:
        for part in parts:
            console.print(part)
    output.print_lines(line.rstrip() for line in drawn.get().splitlines())


def _placed(lines: list[Line], widths: list[int] | None) -> list[RenderableType]:
    """Return lines side by side in columns, and one by one those that have no place there."""
    if widths is None:
        return [part for line in lines for part in _stacked(line)]
    parts: list[RenderableType] = []
    for is_alone, some in groupby(lines, key=lambda line: _is_too_wide(line, widths)):
        if is_alone:
            parts += [part for line in some for part in _stacked(line)]
        else:
            parts.append(_grid(list(some), widths))
    return parts


def _grid(lines: list[Line], widths: list[int]) -> Grid:
    grid = Grid.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
    for width in widths:
        grid.add_column(width=width, overflow="fold")
    for line in lines:
        grid.add_row(*line)
    return grid


def _is_too_wide(line: Line, widths: list[int]) -> bool:
    """Say whether a column would break a word of the line, or its name."""
    needed = [cell_len(line[0].plain), *map(_longest_word, line[1:])]
    return any(map(operator.gt, needed, widths))


def _stacked(line: Line) -> list[RenderableType]:
    *head, last = line
    first = Text(" " * _GAP).join(cell for cell in head if cell.plain)
    return [first, Padding(last, (0, 0, 0, 2 * _GAP))] if last.plain else [first]


def _widths(lines: list[Line], room: int) -> list[int] | None:
    """Return how wide each column is, or None when they do not fit side by side.

    The first column stands unbroken, and lines that are very long before their last cell do not
    count. What room is left beside the longest words goes first to the columns that need the least
    to show their cells on one line.
    """
    lines = [line for line in lines if _is_short(line, room)]
    if not lines:
        return None
    full = _across(lines, lambda cell: max(map(cell_len, cell.plain.split("\n"))))
    least = _across(lines, _longest_word)
    least[0], least[-1] = full[0], min(full[-1], _NARROWEST)
    spare = room - _GAP * (len(full) - 1) - sum(least)
    if spare < 0:
        return None
    widths = list(least)
    order = sorted(range(len(full)), key=lambda column: full[column] - least[column])
    for done, column in enumerate(order):
        more = min(full[column] - least[column], spare // (len(order) - done))
        widths[column] += more
        spare -= more
    return widths


def _is_short(line: Line, room: int) -> bool:
    words = max(map(_longest_word, line[1:-1]), default=0)
    return cell_len(line[0].plain) <= room // 2 and words <= room // 3


def _longest_word(cell: Text) -> int:
    return max(map(cell_len, cell.plain.split()), default=0)


def _across(lines: list[Line], measure: Callable[[Text], int]) -> list[int]:
    return [max(map(measure, column)) for column in zip(*lines, strict=True)]


def _needed(lines: list[Line]) -> int:
    widths = _across(lines, lambda cell: cell_len(cell.plain))
    return sum(widths) + _GAP * (len(widths) - 1)


def _without(row: Row, at: int) -> Row:
    return [field for index, field in enumerate(row) if index != at]


def _cell(field: str) -> Text:
    mark = _MARKS.get(field, field)
    return Text(mark if output.can_show(mark) else field, style=_STYLES.get(field, ""))


def styled(text: str, style: str) -> str:
    """Return a text with the terminal's codes for a style around it."""
    console = Console(width=max(output.width(), len(text) * 2 + 1), highlight=False, soft_wrap=True)
    with console.capture() as drawn:
        console.print(Text(text, style=style), end="")
    return drawn.get()
