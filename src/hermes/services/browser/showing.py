"""Answer with what a page shows: whole, in pages, by a question, or what changed."""

from __future__ import annotations

import re
from typing import Any

from hermes.base.errors import ToolError
from hermes.services.browser.session import Session, View, difference

MOST_CHARS = 15_000


async def shown(
    session: Session, *, full: bool = False, offset: int = 0, query: str = ""
) -> dict[str, Any]:
    """Return the page as it is now."""
    view = session.view = await session.look()
    text = _marked(view.full) if full else "\n".join(view.lines)
    answer = await about(session) | _window(text, offset, query)
    return answer | session.events.told()


async def arrived(session: Session) -> dict[str, Any]:
    """Return the page that was opened, or the dialog that keeps it from being shown."""
    try:
        if not session.events.dialog_opened.is_set():
            return await shown(session)
    except ToolError:
        if not session.events.dialog_opened.is_set():
            raise
    return _waiting(session)


async def after(session: Session) -> dict[str, Any]:
    """Return what an action changed; the whole page when it is another one."""
    before = session.view
    await session.settle()
    if session.events.dialog_opened.is_set():
        return _waiting(session)
    view = session.view = await session.look()
    changed = difference(before, view)
    answer = await about(session)
    if changed is None:
        answer |= _window("\n".join(view.lines), 0, "")
    elif changed:
        answer |= {"changes": _cut("\n".join(changed))}
    else:
        answer |= {"changes": "", "note": "Nothing on the page changed."}
    return answer | session.events.told()


def _waiting(session: Session) -> dict[str, Any]:
    """Return what can be told while a dialog is open."""
    return {"url": session.page.url} | session.events.told()


async def about(session: Session) -> dict[str, Any]:
    """Return where the task's browser is."""
    page = await session.tab()
    answer: dict[str, Any] = {"url": page.url, "title": await session.answer(page.title())}
    tabs = session.context.pages
    if len(tabs) > 1:
        answer["tabs"] = [
            f"{number}{' (shown)' if each is page else ''}: {each.url}"
            for number, each in enumerate(tabs, 1)
        ]
    if refused := session.passage.refused():
        answer["blocked"] = list(refused)
    return answer


def _window(text: str, offset: int, query: str) -> dict[str, Any]:
    if query:
        return _fitting(text, query)
    part = text[offset : offset + MOST_CHARS]
    end = offset + len(part)
    if end < len(text):
        cut = part.rfind("\n")
        if cut > MOST_CHARS // 2:
            part, end = part[:cut], offset + cut + 1
        return {"snapshot": part, "truncated": True, "next_offset": end, "total_chars": len(text)}
    return {"snapshot": part}


def _fitting(text: str, query: str) -> dict[str, Any]:
    """Return the lines that have the words of a question, with those around them."""
    lines = text.splitlines()
    words = [word for word in re.findall(r"\w+", query.lower()) if len(word) > 1]
    scores = [sum(word in line.lower() for word in words) for line in lines]
    best = max(scores, default=0)
    if not best:
        return {"snapshot": "", "note": f"Nothing on the page fits {query!r}."}
    chosen: set[int] = set()
    for place, score in enumerate(scores):
        if score == best:
            chosen.update(range(max(0, place - 1), min(len(lines), place + 2)))
    found = "\n".join(lines[place] for place in sorted(chosen))
    return {"snapshot": _cut(found), "fitting": query}


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}\n… (browser_snapshot has all)"


def _marked(full: str) -> str:
    """Return the whole tree with refs as actions name them."""
    return re.sub(r"\[ref=((?:f\d+)?e\d+)\]", r"[@\1]", full)


__all__ = ["MOST_CHARS", "View", "about", "after", "arrived", "shown"]
