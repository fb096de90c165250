"""Find the element that a ref names, or say which one is nearest to it now."""

from __future__ import annotations

import difflib
import re
from typing import Any

from hermes.base.errors import InvalidArguments, ToolError
from hermes.services.browser.session import Session, words_by_ref

_REF = re.compile(r"@?((?:f\d+)?e\d+)")


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
    if await session.answer(found.count()):
        return found
    session.view = await session.look()
    found = page.locator(f"aria-ref={name}")
    if await session.answer(found.count()):
        return found
    raise _stale(name, session.known.get(name, ""), session.view.lines)


def _stale(ref: str, wanted: str, lines: list[str]) -> ToolError:
    there = {said: f"@{each} {said}" for line in lines for each, said in words_by_ref(line)}
    near = difflib.get_close_matches(wanted, there, n=1, cutoff=0.6) if wanted else []
    was = f", which was {wanted}," if wanted else ""
    return ToolError(
        f"@{ref}{was} is not on the page any more",
        code="stale_ref",
        hint=f"The nearest now is {there[near[0]]}."
        if near
        else "browser_snapshot shows what there is.",
    )
