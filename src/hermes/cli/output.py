"""Print: tables for people, tab-separated lines for pipes, JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TextIO

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.config.environment import snapshot

Row = Sequence[str]

_LINE_LENGTH = 100
_ASCII = str.maketrans({"—": "-", "…": "...", "→": "->", "✓": "+", "✗": "x"})


def is_terminal() -> bool:
    """Say whether a person reads the output."""
    return sys.stdout.isatty()


def width(stream: TextIO | None = None) -> int:
    """Return the columns of a terminal; COLUMNS has the last word."""
    told = snapshot().get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns or 80
    except (OSError, ValueError):
        return _LINE_LENGTH


def reading_width() -> int:
    """Return how long lines of prose are: the terminal's width, within what reads well."""
    return min(width(), _LINE_LENGTH)


def print_json(value: Any) -> None:
    """Print a value as JSON: indented for a person, on one line for a program."""
    if is_terminal():
        load("hermes.cli.pretty").print_json(as_json(value, indent=2))
    else:
        write(as_json(value))


def print_json_text(text: str) -> None:
    """Print what is JSON already; where the encoding lacks a character, JSON's own escapes."""
    if is_terminal():
        load("hermes.cli.pretty").print_json(text)
    else:
        write(text if can_show(text) else json.dumps(json.loads(text), separators=(",", ":")))


def print_table(
    columns: Row,
    rows: Iterable[Row],
    *,
    group_by: int | None = None,
    droppable: int = 0,
    is_faint: Callable[[Row], bool] | None = None,
) -> None:
    """Print rows: a table with headings on a terminal, tab-separated fields elsewhere.

    In the table, rows with the same value in the column ``group_by`` stand indented under it, the
    last ``droppable`` columns give way when there is no room, and faint rows are dimmed.
    """
    if is_terminal():
        pretty = load("hermes.cli.pretty")
        table = pretty.Table(columns, list(rows), droppable, is_faint)
        if group_by is None:
            pretty.print_table(table)
        else:
            pretty.print_groups(table, group_by)
    else:
        print_lines("\t".join(_one_line(field) for field in row) for row in rows)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print named facts: aligned on a terminal, tab-separated elsewhere."""
    if is_terminal():
        load("hermes.cli.pretty").print_facts(list(facts))
    else:
        print_lines(f"{name}\t{_one_line(value)}" for name, value in facts)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they are."""
    for line in lines:
        write(line)


def print_error(error: HermesError, *, as_json: bool = False) -> None:
    """Print what happened and what to do about it, for a person or for a program."""
    hint = load("hermes.cli.invoked").as_invoked(error.hint) if error.hint else None
    if as_json:
        told = {"error": error.message, "code": error.code, "hint": hint}
        write(json.dumps({key: value for key, value in told.items() if value}))
        return
    sys.stdout.flush()
    _tell(f"hermes: {error.message}")
    if hint:
        _tell(f"hint: {hint}")


def print_note(text: str) -> None:
    """Tell a person something that is not part of the output."""
    _tell(f"hermes: {text}")


def _tell(text: str) -> None:
    lines = [text]
    if sys.stderr.isatty():
        lines = load("hermes.cli.layout").wrapped(text, width(sys.stderr), indent="  ")
    print("\n".join(showable(line, sys.stderr) for line in lines), file=sys.stderr)


def as_json(value: Any, *, indent: int | None = None) -> str:
    """Return JSON text, readable in any script that the output's encoding knows."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, default=str)
    if can_show(text):
        return text
    return json.dumps(value, indent=indent, separators=separators, default=str)


def can_show(text: str) -> bool:
    """Say whether the output's encoding knows every character of a text."""
    return _fits(text, sys.stdout)


def write(text: str) -> None:
    """Print one text; what the output's encoding lacks is written in ASCII."""
    print(showable(text, sys.stdout))


def flush() -> None:
    """Let what was printed be seen now."""
    sys.stdout.flush()


def _fits(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def showable(text: str, stream: TextIO) -> str:
    """Return a text in characters that a stream's encoding knows."""
    if _fits(text, stream):
        return text
    encoding = stream.encoding or "utf-8"
    return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)


def _one_line(text: str) -> str:
    return " ".join(text.split()) if any(mark in text for mark in "\t\n\r") else text
