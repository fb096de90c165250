"""Put a new text in the place of an old one, in one file."""

from __future__ import annotations

from typing import Any

from hermes.base.errors import ToolError
from hermes.services.files import Work
from hermes.services.files.changing import Step, apply, said, unkept
from hermes.services.files.patching.finding import Wanted, find_edits
from hermes.services.files.patching.reading import encoded, read_text, staleness
from hermes.services.files.patching.showing import difference, hunks, lines_changed, spliced
from hermes.services.files.reading import missing
from hermes.services.files.writing import lint


def replace(work: Work, wanted: Wanted) -> dict[str, Any]:
    """Change a file and return what was done.

    Raises:
        ToolError: the text is not there, or too often, or cannot be written; nothing was changed.
    """
    _check(wanted)
    try:
        with work.turn([wanted.path]):
            return _replace(work, wanted)
    except FileNotFoundError as error:
        raise missing(work, wanted.path) from error
    except OSError as error:
        raise said(error, wanted.path) from error


def _check(wanted: Wanted) -> None:
    if not wanted.path:
        raise ToolError("mode=replace needs path", code="invalid_arguments")
    if not wanted.old:
        raise ToolError(
            "old_string is empty, so there is nothing to look for",
            code="invalid_arguments",
            hint="To insert text, give a line that is there as old_string and the same line with "
            "the new text as new_string. To write a file whole, use write_file.",
        )
    if wanted.old == wanted.new:
        raise ToolError(
            "old_string and new_string are the same; nothing was changed",
            code="no_change",
            hint="Give as new_string what the file shall have instead.",
        )


def _replace(work: Work, wanted: Wanted) -> dict[str, Any]:
    found, data, text = read_text(work, wanted.path)
    edits = find_edits(text.text, wanted)
    changed = hunks(text.text, edits.splices)
    after = encoded(wanted.path, text, spliced(text.text, edits.splices))
    note = staleness(work, found)
    apply(work, [Step(wanted.path, data, after, found.version)])
    answer: dict[str, Any] = {
        "path": found.path,
        "strategy": edits.strategy,
        "replacements": len(edits.splices),
        "lines": lines_changed(changed),
        "diff": difference(wanted.path, text.text, changed),
    }
    notes = [each for each in (edits.note, note, unkept(work, found.size, found.links)) if each]
    if notes:
        answer["note"] = " ".join(notes)
    return answer | lint(found.path, data, after)
