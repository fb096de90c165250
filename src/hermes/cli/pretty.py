"""Tables and colour for a terminal; the only module that knows rich."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.json import JSON
from rich.markup import escape
from rich.table import Table

from hermes.cli.output import Row

_MARKS = {"yes": "[green]✓[/]", "no": "[red]✗[/]"}


def print_json(text: str) -> None:
    """Print indented JSON with highlighting."""
    Console(soft_wrap=True).print(JSON(text, indent=2, ensure_ascii=False))


def print_table(columns: Row, rows: list[Row], *, group_by: int | None) -> None:
    """Print a table; with ``group_by``, one heading for each run of equal values."""
    shown = [name for index, name in enumerate(columns) if index != group_by]
    table = Table(*shown, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.overflow = "fold"
    if group_by is None:
        for row in rows:
            table.add_row(*(_cell(field) for field in row))
    else:
        at = group_by
        for heading, members in groupby(rows, key=lambda row: row[at]):
            table.add_section()
            table.add_row(f"[bold]{escape(heading)}[/]")
            for row in members:
                table.add_row(*(_cell(field) for index, field in enumerate(row) if index != at))
    Console().print(table)


def print_facts(facts: list[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    table = Table.grid(padding=(0, 2))
    for name, value in facts:
        table.add_row(f"[dim]{escape(name)}[/]", _cell(value))
    Console().print(table)


def print_marked(lines: list[str]) -> None:
    """Print lines that carry rich's markup."""
    console = Console(highlight=False)
    for line in lines:
        console.print(line)


def _cell(field: str) -> str:
    return _MARKS.get(field) or escape(field)
