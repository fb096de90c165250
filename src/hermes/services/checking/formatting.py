"""Format: find what is not in form, and bring it there."""

from __future__ import annotations

import asyncio
import posixpath
from typing import Any

from hermes.base.errors import ToolError
from hermes.environments.contract import Refused
from hermes.environments.programs import Caller
from hermes.services.checking import Bench, Checks, Rewrite, Shelf, Wanted, check_wanted
from hermes.services.checking.contract import SUFFIXES, Formatter, Snippet, Tally, Work
from hermes.services.checking.tools import FORMATTERS, choose, look_around

_MOST_SHOWN = 500


async def format_code(
    checks: Checks, caller: Caller, wanted: Wanted, *, check: bool
) -> dict[str, Any]:
    """Bring files or code into form, or only say which are not.

    Raises:
        ToolError: a path is not there, a file may not be written, or no formatter is there.
    """
    check_wanted(wanted)
    shelf = checks.shelf(caller)
    async with checks.open_site(caller) as site:
        bench = Bench(site)
        if wanted.code is not None:
            return await _format_snippet(bench, wanted, check=check)
        targets = tuple([await shelf.find(path) for path in wanted.paths or (".",)])
        projects = await look_around(site, targets)
        chosen = choose(FORMATTERS, site, projects, targets)
        tally = Tally(absent=chosen.absent)
        works = [(FORMATTERS[place], work) for place, work in chosen.used]
        lists = await asyncio.gather(*(_unformed(bench, *each, tally) for each in works))
        unformed = {path: each for each, paths in zip(works, lists, strict=True) for path in paths}
        if check:
            return _answer(tally, {"unformatted": _shown(bench, unformed), "ok": not unformed})
        caller.progress(f"formatting {len(unformed)} files")
        changed = await _format_files(bench, unformed, shelf, tally)
        return _answer(tally, {"formatted": _shown(bench, changed)})


async def _unformed(bench: Bench, formatter: Formatter, work: Work, tally: Tally) -> list[str]:
    """Return the files that are not in form; whatever is wrong with a tool, the others go on."""
    try:
        ran = await bench.run(formatter.check(work))
    except Refused as error:
        tally.failed.append({"tool": formatter.name, "error": str(error)})
        return []
    trouble = f"stopped after {work.seconds:g} s" if ran.is_timed_out else formatter.trouble(ran)
    if trouble:
        tally.failed.append({"tool": formatter.name, "error": trouble[-1_500:]})
    found = [path for path in formatter.unformed(work, ran) if work.covers(path)]
    tally.used.append(
        {"tool": formatter.name, "unformatted": len(found), "seconds": round(ran.seconds, 2)}
    )
    return found


async def _format_files(
    bench: Bench, unformed: dict[str, tuple[Formatter, Work]], shelf: Shelf, tally: Tally
) -> list[str]:
    """Format what each file holds, and write all of them together."""

    async def rewritten(path: str, formatter: Formatter, work: Work) -> Rewrite | None:
        held = await shelf.read(path)
        try:
            data = await _formatted(bench, formatter, work, path, held.data)
        except (ToolError, Refused) as error:
            failure = {"tool": formatter.name, "error": f"{bench.site.shown(path)}: {error}"}
            tally.failed.append(failure)
            return None
        return Rewrite(held, data) if data != held.data else None

    made = await asyncio.gather(*(rewritten(path, *each) for path, each in unformed.items()))
    rewrites = [each for each in made if each is not None]
    if rewrites:
        await shelf.replace(rewrites)
    return [each.held.path for each in rewrites]


async def _formatted(
    bench: Bench, formatter: Formatter, work: Work, path: str, data: bytes
) -> bytes:
    ran = await bench.run(formatter.format(work, path, data))
    if ran.code != 0 or ran.is_timed_out or (data.strip() and not ran.output):
        raise ToolError(ran.complaint or f"{formatter.name} ended with {ran.code}")
    return ran.output


async def _format_snippet(bench: Bench, wanted: Wanted, *, check: bool) -> dict[str, Any]:
    site = bench.site
    snippet = Snippet(
        f"snippet{SUFFIXES[wanted.language or 'python']}",
        (wanted.code or "").encode("utf-8", "surrogatepass"),
    )
    projects = await look_around(site, ())
    chosen = choose(FORMATTERS, site, projects, (), snippet)
    if not chosen.used:
        missing = [each.as_json() for each in chosen.absent]
        hint = f"Install one: {missing[0].get('install')}" if missing else None
        raise ToolError(
            f"there is no formatter for {wanted.language} here",
            code="formatter_missing",
            hint=hint,
            missing=missing,
        )
    place, work = chosen.used[0]
    formatter = FORMATTERS[place]
    path = posixpath.join(site.cwd, snippet.name)
    data = await _formatted(bench, formatter, work, path, snippet.data)
    answer: dict[str, Any] = {"tool": formatter.name, "changed": data != snippet.data}
    return answer if check else answer | {"code": data.decode("utf-8", "replace")}


def _shown(bench: Bench, paths: Any) -> list[str]:
    return sorted(bench.site.shown(path) for path in paths)


def _answer(tally: Tally, answer: dict[str, Any]) -> dict[str, Any]:
    for key, paths in answer.items():
        if isinstance(paths, list) and len(paths) > _MOST_SHOWN:
            answer = {**answer, key: paths[:_MOST_SHOWN], "not_shown": len(paths) - _MOST_SHOWN}
    answer["tools"] = tally.used
    if tally.absent:
        answer["missing"] = [each.as_json() for each in tally.absent]
    if tally.failed:
        answer["failed"] = tally.failed
    if not tally.used and not tally.failed and not tally.absent:
        answer["note"] = "there is nothing here that a formatter knows"
    return answer
