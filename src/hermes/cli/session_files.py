"""Sessions in files: written as text, and kept again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.base.text import escaped, plural
from hermes.cli import conversed, output
from hermes.cli.command import Usage
from hermes.cli.conversed import kept

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.services.sessions import Sessions

FORMS = ("jsonl", "markdown", "sharegpt")


def export_sessions(options: Namespace) -> int:
    """Write sessions as text, to the output or to a file."""
    if bool(options.ids) == options.all:
        raise Usage("name the sessions to export, or say --all")
    with kept() as sessions:
        ids = _all_ids(sessions) if options.all else [sessions.resume(id).id for id in options.ids]
        lines = (line for id in ids for line in sessions.export(id, options.format))
        if options.output is None and not options.json:
            output.print_lines(lines)
            return 0
        text = "".join(f"{line}\n" for line in lines)
    told: dict[str, Any] = {"sessions": ids, "format": options.format}
    if options.output is None:
        output.print_json({**told, "text": text})
        return 0
    load("hermes.base.files").write_atomic(Path(options.output), text)
    if options.json:
        output.print_json({**told, "path": options.output})
    else:
        output.print_note(f"{plural(len(ids), 'session')} written to {options.output}")
    return 0


def _all_ids(sessions: Sessions) -> list[str]:
    found: list[str] = []
    while page := sessions.list(limit=500, offset=len(found), children=True):
        found += [each.id for each in page]
    return found[::-1]


def import_sessions(options: Namespace) -> int:
    """Keep sessions again that were exported as JSONL."""
    if options.file == "-":
        lines = sys.stdin.read().splitlines()
    else:
        lines = Path(options.file).read_text(encoding="utf-8").split("\n")
    with kept() as sessions:
        made = [session.facts() for session in sessions.restore(lines)]
    if options.json:
        output.print_json([conversed.told(each) for each in made])
    else:
        for each in made:
            output.write(f"{each.id}\t{escaped(each.name)}")
    return 0
