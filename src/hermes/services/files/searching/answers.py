"""Shape what a search found: a page of it, and what is true of the rest."""

from __future__ import annotations

from typing import Any, NamedTuple

from hermes.environments.inside.searching import Hit, Pick, Tally


class Page(NamedTuple):
    """Which part is shown."""

    offset: int
    limit: int


class Named(NamedTuple):
    """How files are called in an answer: so that the next tool finds them."""

    path: str
    only: str = ""

    def shown(self, path: str) -> str:
        """Return a path below the searched one as a caller names it."""
        above = self.path
        while above.startswith("./"):
            above = above[2:].lstrip("/")
        if self.only:
            return above
        return path if above in ("", ".") else f"{above.rstrip('/')}/{path}"


def picked(counts: dict[str, int], page: Page) -> list[Pick]:
    """Return which hits of which files are on a page; the files come sorted."""
    picks: list[Pick] = []
    skip, left = page.offset, page.limit
    for path, count in counts.items():
        if skip >= count:
            skip -= count
            continue
        take = min(left, count - skip)
        picks.append(Pick(path, skip, take))
        skip, left = 0, left - take
        if not left:
            break
    return picks


def of_hits(tally: Tally, hits: list[Hit], page: Page, named: Named) -> dict[str, Any]:
    """Return a page of lines."""
    answer: dict[str, Any] = {"matches": [_match(hit, named) for hit in hits]}
    total = sum(tally.counts.values())
    answer |= _rest(tally, total, page, files=len(tally.counts))
    if total <= page.limit and tally.binary:
        answer["binary_files"] = tally.binary
    return answer


def of_files(tally: Tally, page: Page, named: Named, *, is_count: bool) -> dict[str, Any]:
    """Return a page of files that have hits, or of how many each has."""
    paths = list(tally.counts)[page.offset : page.offset + page.limit]
    rest = _rest(tally, len(tally.counts), page)
    if not is_count:
        return {"files": [named.shown(path) for path in paths], **rest}
    total = "total" if tally.is_complete else "at_least"
    rest |= {total: sum(tally.counts.values()), "files": len(tally.counts)}
    return {"counts": {named.shown(path): tally.counts[path] for path in paths}, **rest}


def of_names(paths: list[str], page: Page, named: Named) -> dict[str, Any]:
    """Return a page of names."""
    shown = [named.shown(path) for path in paths[page.offset : page.offset + page.limit]]
    return {"files": shown, **_more(len(paths), page)}


def _match(hit: Hit, named: Named) -> dict[str, Any]:
    shown = hit.shown
    match: dict[str, Any] = {"path": named.shown(hit.path), "line": shown.line, "text": shown.text}
    if shown.is_cut:
        match["column"] = shown.column
    if shown.before:
        match["before"] = shown.before
    if shown.after:
        match["after"] = shown.after
    return match


def _rest(tally: Tally, total: int, page: Page, **more: int) -> dict[str, Any]:
    answer: dict[str, Any] = {**_more(total, page), **more}
    if not tally.is_complete:
        answer["at_least"] = answer.pop("total")
        answer["truncated"] = True
        answer["note"] = "Not everything was searched in time; narrow path or file_glob."
    if tally.telling:
        answer["withheld_files"] = len(tally.telling)
    return answer


def _more(total: int, page: Page) -> dict[str, Any]:
    is_cut = page.offset + page.limit < total
    answer: dict[str, Any] = {"total": total, "truncated": is_cut}
    if is_cut:
        answer["next_offset"] = page.offset + page.limit
    return answer
