"""Print: tables for people, tab-separated lines for pipes, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from hermes.base.errors import HermesError
from hermes.base.optional import load

Row = Sequence[str]


def is_terminal() -> bool:
    """Say whether a person reads the output."""
    return sys.stdout.isatty()


def print_json(value: Any) -> None:
    """Print a value as JSON: indented for a person, on one line for a program."""
    if is_terminal():
        load("hermes.cli.pretty").print_json(as_json(value, indent=2))
    else:
        write(as_json(value))


def print_table(columns: Row, rows: Iterable[Row], *, group_by: int | None = None) -> None:
    """Print rows: a table with headings on a terminal, tab-separated fields elsewhere.

    In the table, equal neighbours in the column ``group_by`` stand under one heading.
    """
    if is_terminal():
        load("hermes.cli.pretty").print_table(columns, list(rows), group_by=group_by)
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
    if as_json:
        told = {"error": error.message, "code": error.code, "hint": error.hint}
        write(json.dumps({key: value for key, value in told.items() if value}))
        return
    sys.stdout.flush()
    print(f"hermes: {_shown(error.message, sys.stderr)}", file=sys.stderr)
    if error.hint:
        print(f"hint: {_shown(error.hint, sys.stderr)}", file=sys.stderr)


def print_note(text: str) -> None:
    """Tell a person something that is not part of the output."""
    print(f"hermes: {_shown(text, sys.stderr)}", file=sys.stderr)


def as_json(value: Any, *, indent: int | None = None) -> str:
    """Return JSON text, readable in any script that the output's encoding knows."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, default=str)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent, separators=separators, default=str)
    return text


def write(text: str) -> None:
    """Print one text; what the output's encoding lacks is shown as an escape."""
    print(_shown(text, sys.stdout))


def flush() -> None:
    """Let what was printed be seen now."""
    sys.stdout.flush()


def _shown(text: str, stream: Any) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _one_line(text: str) -> str:
    return " ".join(text.split()) if any(mark in text for mark in "\t\n\r") else text
