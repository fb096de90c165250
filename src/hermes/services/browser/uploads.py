"""Files that a page is given, read as the task's own file tools would read them."""

from __future__ import annotations

import asyncio
from typing import Any

from hermes.services.browser import Browsers
from hermes.services.browser.driving import Caller


async def read(caller: Caller, text: str) -> list[dict[str, Any]]:
    """Return the files that a text names, several with a | between them.

    Raises:
        ToolError: one cannot be read, or the policy is against it.
    """
    paths = [path.strip() for path in text.split("|") if path.strip()]
    fetch = caller.use(Browsers).around.fetch
    found = [await asyncio.to_thread(fetch, caller, path) for path in paths]
    return [{"name": name, "mimeType": kind, "buffer": data} for name, data, kind in found]
