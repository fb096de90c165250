"""Show as much of a text as is wanted, from where it is wanted."""

from __future__ import annotations

from typing import Any

from hermes.services.web.excerpts import excerpt


def shown(text: str, offset: int, chars: int, query: str | None = None) -> dict[str, Any]:
    """Return a window of a text that ends with a line, and where the next one begins.

    With a query, the paragraphs that fit it best are shown instead, if there are any.
    """
    total = len(text)
    if query and total > chars:
        best = excerpt(text, query, chars)
        if best:
            return {"content": best, "total_chars": total, "excerpt_for": query}
        note = {"note": f"Nothing in it fits {query!r}; this is its beginning."}
    else:
        note = {}
    window = text[offset : offset + chars]
    end = offset + len(window)
    if end < total:
        cut = max(window.rfind("\n"), window.rfind(". ") + 1)
        if cut > chars // 2:
            window, end = window[:cut], offset + cut
    answer: dict[str, Any] = {"content": window, "total_chars": total} | note
    if end < total:
        answer |= {"truncated": True, "next_offset": end}
    if offset and offset >= total:
        answer["note"] = f"It has {total:,} characters; there is nothing from {offset:,} on."
    return answer
