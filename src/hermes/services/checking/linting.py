"""Lint: choose the tools, run them together, and fix what they can fix."""

from __future__ import annotations

import asyncio
import posixpath
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hermes.environments.contract import Refused
from hermes.environments.programs import Caller
from hermes.services.checking import Bench, Checks, Rewrite, Shelf, Wanted, check_wanted
from hermes.services.checking.contract import (
    SUFFIXES,
    Broken,
    Linter,
    Snippet,
    Tally,
    Work,
)
from hermes.services.checking.findings import Finding, edited
from hermes.services.checking.tools import LINTERS, Chosen, choose, look_around

MOST_SHOWN = 200
_ORDER = {"error": 0, "warning": 1, "info": 2}
CODE_NAME = "<code>"


async def lint(checks: Checks, caller: Caller, wanted: Wanted, *, fix: bool) -> dict[str, Any]:
    """Return what linters find in files or code, after fixing what they can fix, if so wanted.

    Raises:
        ToolError: a path is not there, or a fixed file may not be written.
    """
    check_wanted(wanted)
    shelf = checks.shelf(caller)
    async with checks.open_site(caller) as site:
        bench = Bench(site)
        snippet = _snippet(wanted)
        paths = () if snippet else (wanted.paths or (".",))
        targets = tuple([await shelf.find(path) for path in paths])
        projects = await look_around(site, targets)
        chosen = choose(LINTERS, site, projects, targets, snippet)
        _tell(caller, chosen)
        tally = await _run_all(bench, chosen)
        if snippet is not None:
            return _of_code(tally, await _fix_code(bench, chosen, tally, snippet) if fix else None)
        fixed = await _fix_files(bench, chosen, tally, shelf) if fix else []
        if fixed:
            caller.progress(f"fixed {len(fixed)} files; looking again")
            tally = await _run_all(bench, chosen)
        shown = [site.shown(path) for path in fixed] if fix else None
        return _answer(tally, site.shown, shown)


def _snippet(wanted: Wanted) -> Snippet | None:
    if wanted.code is None:
        return None
    suffix = SUFFIXES[wanted.language or "python"]
    return Snippet(f"snippet{suffix}", wanted.code.encode("utf-8", "surrogatepass"))


def _tell(caller: Caller, chosen: Chosen) -> None:
    names = dict.fromkeys(LINTERS[place].name for place, _ in chosen.used)
    if names:
        caller.progress(f"running {', '.join(names)}")


async def _run_all(bench: Bench, chosen: Chosen) -> Tally:
    tally = Tally(absent=list(chosen.absent))
    await asyncio.gather(
        *(_run_one(bench, LINTERS[place], work, tally) for place, work in chosen.used)
    )
    tally.findings.sort(key=lambda each: (each.file, each.line, each.column, each.tool))
    tally.used.sort(key=lambda each: str(each["tool"]))
    return tally


async def _run_one(bench: Bench, linter: Linter, work: Work, tally: Tally) -> None:
    """Run one linter; whatever is wrong with it, the others go on."""
    try:
        ran = await bench.run(linter.check(work))
        if ran.is_timed_out:
            raise Broken(f"it was stopped after {work.seconds:g} s")
        found = [each for each in linter.findings(work, ran) if work.covers(each.file)]
    except (Broken, Refused) as error:
        tally.failed.append({"tool": linter.name, "error": str(error)})
        return
    tally.findings += found
    tally.used.append(
        {"tool": linter.name, "findings": len(found), "seconds": round(ran.seconds, 2)}
    )


async def _fix_files(bench: Bench, chosen: Chosen, tally: Tally, shelf: Shelf) -> list[str]:
    """Fix what can be fixed; all files are written together, or none."""
    paths = dict.fromkeys(each.file for each in tally.findings if each.fixable and each.file)

    async def rewritten(path: str) -> Rewrite | None:
        held = await shelf.read(path)
        data = await _fixed(bench, chosen, tally, path, held.data)
        return Rewrite(held, data) if data != held.data else None

    made = await asyncio.gather(*(rewritten(path) for path in paths))
    rewrites = [each for each in made if each is not None]
    if rewrites:
        await shelf.replace(rewrites)
    return [each.held.path for each in rewrites]


async def _fix_code(bench: Bench, chosen: Chosen, tally: Tally, snippet: Snippet) -> str:
    data = await _fixed(bench, chosen, tally, "", snippet.data)
    return data.decode("utf-8", "surrogatepass")


async def _fixed(bench: Bench, chosen: Chosen, tally: Tally, path: str, data: bytes) -> bytes:
    """Return a file as its linters leave it: edits by place first, as places move."""
    mine = [each for each in tally.findings if each.fixable and (not path or each.file == path)]
    data = edited(data, [edit for each in mine for edit in each.edits])
    tools = {each.tool for each in mine if not each.edits}
    seen = set()
    for place, work in chosen.used:
        linter = LINTERS[place]
        if linter.name not in tools or place in seen:
            continue
        seen.add(place)
        name = path or posixpath.join(work.site.cwd, work.snippet.name if work.snippet else "")
        program = linter.fix(work, name, data)
        if program is None:
            continue
        try:
            ran = await bench.run(program)
            new = None if ran.is_timed_out else linter.fixed(ran)
            data = data if new is None else new
        except (Broken, Refused) as error:
            tally.failed.append({"tool": linter.name, "error": str(error)})
    return data


def _of_code(tally: Tally, fixed: str | None) -> dict[str, Any]:
    answer = _answer(tally, lambda _: CODE_NAME, None)
    return answer | ({"code": fixed} if fixed is not None else {})


def _answer(tally: Tally, shown: Any, fixed: Sequence[str] | None) -> dict[str, Any]:
    found = sorted(tally.findings, key=lambda each: _ORDER[each.severity])[:MOST_SHOWN]
    found.sort(key=_place)
    answer: dict[str, Any] = {
        "clean": not tally.findings and not tally.failed and bool(tally.used),
        "findings": [each.as_json(shown(each.file) if each.file else "") for each in found],
        "counts": dict(Counter(each.severity for each in tally.findings)),
        "tools": tally.used,
    }
    if len(found) < len(tally.findings):
        answer["not_shown"] = len(tally.findings) - len(found)
    if fixed is not None:
        answer["fixed"] = list(fixed)
    if tally.absent:
        answer["missing"] = [each.as_json() for each in tally.absent]
    if tally.failed:
        answer["failed"] = tally.failed
    if not tally.used and not tally.failed and not tally.absent:
        answer["note"] = "there is nothing here that a linter knows"
    return answer


def _place(each: Finding) -> tuple[str, int, int]:
    return each.file, each.line, each.column
