"""Downloads of a page: waited for, and handed on as bytes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Error

from hermes.services.browser.session import Session

_MOST_SECONDS = 30.0
_MOST_BYTES = 500_000_000
_LONGEST_NAME = 200
_LONGEST_ENDING = 20


class Download(NamedTuple):
    """A file that a page gave."""

    name: str
    data: bytes
    trouble: str = ""


async def taken(session: Session) -> list[Download]:
    """Return the downloads that began since this was asked last, when they are there."""
    waiting, session.events.downloads = session.events.downloads, []
    found = []
    for each in waiting:
        name = _short(Path(each.suggested_filename).name.lstrip(".") or "download")
        try:
            async with asyncio.timeout(_MOST_SECONDS):
                path = Path(await each.path())
            size = (await asyncio.to_thread(path.stat)).st_size
            if size > _MOST_BYTES:
                found.append(Download(name, b"", f"it has {size:,} bytes, too many to keep"))
                continue
            found.append(Download(name, await asyncio.to_thread(path.read_bytes)))
            await each.delete()
        except TimeoutError:
            await each.cancel()
            found.append(Download(name, b"", f"it was not done within {_MOST_SECONDS:g} s"))
        except (Error, OSError) as error:
            found.append(Download(name, b"", _why(error)))
    return found


def _short(name: str) -> str:
    """Return a name that a file system takes, with its ending."""
    ending = Path(name).suffix if len(Path(name).suffix.encode()) <= _LONGEST_ENDING else ""
    stem = name.removesuffix(ending).encode()[: _LONGEST_NAME - len(ending.encode())]
    return stem.decode(errors="ignore") + ending


def _why(error: Exception) -> str:
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return "it was broken off" if said.endswith("canceled") else said[:200]
