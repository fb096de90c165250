"""The console of a page: what it said, and expressions run in it."""

from __future__ import annotations

import json
from typing import Any

from hermes.base.errors import ToolError
from hermes.services.browser.session import Session

_LONGEST = 20_000


def messages(session: Session, *, clear: bool) -> dict[str, Any]:
    """Return what the console of the task's pages says."""
    found = [
        {key: value for key, value in each._asdict().items() if value}
        for each in session.events.messages
    ]
    if clear:
        session.events.clear()
    return {"messages": found, "count": len(found)}


async def evaluate(session: Session, expression: str) -> dict[str, Any]:
    """Return the value of a JavaScript expression on the page.

    Raises:
        ToolError: it has none that can be told.
    """
    session.check_dialog()
    page = await session.tab()
    value = await session.answer(page.evaluate(expression))
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError) as error:
        raise ToolError(f"its value cannot be told: {error}", code="no_value") from error
    if len(text) > _LONGEST:
        return {"value": text[:_LONGEST], "truncated": True, "total_chars": len(text)}
    return {"value": value}
