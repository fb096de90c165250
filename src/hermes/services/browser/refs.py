"""Find the element that a ref names, or say which one is nearest to it now."""

from __future__ import annotations

import difflib
import re
from typing import Any

from hermes.base.errors import InvalidArguments, ToolError
from hermes.services.browser.session import Session

_REF = re.compile(r"@?((?:f\d+)?e\d+)")
_GONE_SECONDS = 2_000


def plain(ref: str) -> str:
    """Return a ref without its mark.

    Raises:
        InvalidArguments: it is none.
    """
    found = _REF.fullmatch(ref.strip().strip("[]").removeprefix("ref="))
    if found is None:
        raise InvalidArguments(
            f"{ref!r} is no ref", hint="Refs look like @e12; browser_snapshot shows them."
        )
    return found[1]


async def element(session: Session, ref: str) -> Any:
    """Return the element of a ref.

    Raises:
        ToolError: it is not on the page any more; names the nearest one that is.
    """
    page = await session.tab()
    name = plain(ref)
    found = page.locator(f"aria-ref={name}")
    if session.view is None:
        session.view = await session.look()
    if await found.count():
        return found
    before = _line(session.view.lines, name)
    session.view = await session.look()
    found = page.locator(f"aria-ref={name}")
    if await found.count():
        return found
    raise _stale(name, before, session.view.lines)


def _line(lines: list[str], ref: str) -> str:
    return next((line for line in lines if re.search(rf"@{ref}\b", line)), "")


def _words(line: str, ref: str) -> str:
    """Return what a line says of one element."""
    found = re.search(rf"@{ref} ([^@]*)", line)
    return found[1].strip() if found else ""


def _stale(ref: str, before: str, lines: list[str]) -> ToolError:
    wanted = _words(before, ref)
    there = {
        f"@{match[1]} {match[2].strip()}": match[2].strip()
        for line in lines
        for match in re.finditer(r"@((?:f\d+)?e\d+) ([^@]*)", line)
    }
    near = difflib.get_close_matches(wanted, there.values(), n=1, cutoff=0.6) if wanted else []
    nearest = next((shown for shown, said in there.items() if near and said == near[0]), "")
    was = f", which was {wanted}," if wanted else ""
    return ToolError(
        f"@{ref}{was} is not on the page any more",
        code="stale_ref",
        hint=f"The nearest now is {nearest}."
        if nearest
        else "browser_snapshot shows what there is.",
    )
