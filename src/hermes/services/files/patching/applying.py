"""Do what a patch says to all of its files, or to none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hermes.base.errors import ToolError
from hermes.services.files import Work
from hermes.services.files.changing import Step, apply, said, unkept
from hermes.services.files.patching.drafts import Draft, Drafts
from hermes.services.files.patching.formats import deeds
from hermes.services.files.patching.formats.deeds import Deed
from hermes.services.files.patching.lines import Lines, key, rows_of
from hermes.services.files.patching.placing import settle, splices
from hermes.services.files.patching.reading import encoded
from hermes.services.files.patching.showing import (
    Splice,
    difference,
    hunks,
    lines_changed,
    spliced,
)
from hermes.services.files.reading import missing
from hermes.services.files.writing import encoded as encoded_whole
from hermes.services.files.writing import lint

_MOST_SHOWN = 400


def patch(work: Work, text: str) -> dict[str, Any]:
    """Apply a patch and return what was done.

    Raises:
        ToolError: it cannot be read or does not fit; nothing was changed.
    """
    if not text.strip():
        raise ToolError("mode=patch needs the text of a patch", code="invalid_arguments")
    todo = deeds(text)
    with work.turn(
        {path for deed in todo for path in (deed.path, deed.other, deed.target) if path}
    ):
        return _patch(work, todo)


def _patch(work: Work, todo: Sequence[Deed]) -> dict[str, Any]:
    drafts = Drafts(work)
    reports, failures = [], []
    for deed in todo:
        try:
            reports.append(_do(drafts, deed))
        except ToolError as error:
            failures.append(error)
        except FileNotFoundError as error:
            failures.append(missing(work, str(error.filename or deed.path)))
        except OSError as error:
            failures.append(said(error, str(error.filename or deed.path)))
    if failures:
        raise _together(failures, len(todo))
    _write(work, drafts)
    return _answer(work, drafts, reports)


def _together(failures: list[ToolError], count: int) -> ToolError:
    """Return one answer for all that does not fit."""
    if len(failures) == 1:
        return failures[0]
    return ToolError(
        f"{len(failures)} of the {count} parts of the patch do not fit; nothing was changed",
        code=failures[0].code,
        hint="Put right what is said of each, and send the whole patch again.",
        problems=[
            {"error": each.message, "code": each.code}
            | ({"hint": each.hint} if each.hint else {})
            | each.extra
            for each in failures
        ],
    )


def _write(work: Work, drafts: Drafts) -> None:
    steps = [
        Step(draft.path, draft.before, draft.after, draft.version, draft.new_mode)
        for draft in drafts.changed()
    ]
    if not steps:
        raise ToolError(
            "all that the patch would do is there already; nothing was changed", code="already_done"
        )
    try:
        apply(work, steps)
    except OSError as error:
        names = ", ".join(step.path for step in steps)
        failure = said(error, str(error.filename or names))
        failure.hint = "No file was changed."
        raise failure from error


def _do(drafts: Drafts, deed: Deed) -> dict[str, Any]:
    """Do one thing to the drafts of the files, and return what there is to say of it."""
    if deed.kind == "add":
        return _add(drafts, deed)
    if deed.kind == "delete":
        return _delete(drafts, deed)
    return _update(drafts, deed)


def _add(drafts: Drafts, deed: Deed) -> dict[str, Any]:
    draft = drafts.at(deed.path)
    if draft.after is not None and deed.is_strict:
        raise ToolError(
            f"{deed.path} is new in this patch, and it is there already; nothing was changed",
            code="exists",
            hint="Give a diff against what the file holds.",
        )
    content = "\n".join(deed.lines)
    if deed.lines and not deed.is_open:
        content += "\n"
    before = draft.text() if draft.after else None
    there = before.text if before else ""
    shown = difference(deed.path, there, hunks(there, [Splice(0, len(there), content)]))
    report = {"path": draft.path, "action": "added", "lines": len(deed.lines), "diff": shown}
    if draft.after is not None:
        report["action"] = "replaced"
        report["note"] = "The file was there already; all of it was replaced."
    draft.after = encoded_whole(deed.path, content, before.encoding if before else None)
    return report


def _delete(drafts: Drafts, deed: Deed) -> dict[str, Any]:
    draft = drafts.existing(deed.path)
    if draft.is_link:
        raise ToolError(
            f"{deed.path} is a link to {draft.real}; nothing was changed",
            code="is_link",
            hint="Delete what it leads to, or remove the link with rm.",
        )
    if deed.hunks:
        there = [key(row) for row in rows_of(draft.text().text)]
        if [key(row) for hunk in deed.hunks for row in hunk.old] != there:
            raise ToolError(
                f"{deed.path} holds something else than the patch deletes; nothing was changed",
                code="no_match",
                hint="Read it again, and delete what it holds now.",
            )
    draft.after = None
    return {"path": draft.path, "action": "deleted"}


def _update(drafts: Drafts, deed: Deed) -> dict[str, Any]:
    draft = drafts.existing(_source(drafts, deed))
    report: dict[str, Any] = {"path": draft.path, "action": "updated"}
    if deed.hunks:
        report |= _change(draft, deed)
    if deed.target:
        report |= _move(drafts, draft, deed.target)
    notes = [each for each in (report.get("note"), deed.note) if each]
    return report | ({"note": "; ".join(notes)} if notes else {})


def _source(drafts: Drafts, deed: Deed) -> str:
    """Return the file that is meant: the new side of a diff, or the old one if only that is."""
    if deed.other and not drafts.is_there(deed.path) and drafts.is_there(deed.other):
        return deed.other
    return deed.path


def _change(draft: Draft, deed: Deed) -> dict[str, Any]:
    text = draft.text()
    lines = Lines(text.text)
    settled = settle(draft.path, lines, deed.hunks)
    made = splices(lines, settled)
    changed = hunks(text.text, made)
    draft.after = encoded(draft.path, text, spliced(text.text, made))
    return {
        "strategy": ", ".join(dict.fromkeys(each.strategy for each in settled)),
        "lines": lines_changed(changed),
        "diff": difference(draft.path, text.text, changed),
    }


def _move(drafts: Drafts, draft: Draft, target: str) -> dict[str, Any]:
    goal = drafts.at(target)
    if goal is draft:
        return {}
    if draft.is_link:
        raise ToolError(
            f"{draft.path} is a link to {draft.real}; nothing was changed",
            code="is_link",
            hint="Move what it leads to.",
        )
    report = {"action": "moved", "moved_to": goal.path}
    if goal.after is not None:
        report["note"] = "There was a file of that name; it was replaced."
    goal.after, goal.new_mode, draft.after = draft.after, draft.mode, None
    return report


def _answer(work: Work, drafts: Drafts, reports: list[dict[str, Any]]) -> dict[str, Any]:
    answer: dict[str, Any] = {"files": reports}
    rows = [row for report in reports for row in report.pop("diff", "").split("\n") if row]
    if len(rows) > _MOST_SHOWN:
        rows = [*rows[:_MOST_SHOWN], f"… {len(rows) - _MOST_SHOWN} more lines"]
    if rows:
        answer["diff"] = "\n".join(rows)
    changed = drafts.changed()
    notes = [f"{draft.path}: {draft.note}" for draft in changed if draft.note]
    if len(changed) == 1 and (lost := unkept(work, len(changed[0].before or b""))):
        notes.append(lost)
    if notes:
        answer["note"] = " ".join(notes)
    problems = {
        draft.path: found["lint"]
        for draft in changed
        if draft.after is not None and (found := lint(draft.real, draft.before, draft.after))
    }
    return answer | ({"lint": problems} if problems else {})
