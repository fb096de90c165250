"""Read several addresses at once; one that fails spoils nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from hermes.base.errors import HermesError, Unavailable
from hermes.services.web.asking import Caller
from hermes.services.web.extract.paging import shown
from hermes.services.web.extract.reading import Content, Tools, read

_log = logging.getLogger("hermes.web")
Summarise = Callable[[str, str], Awaitable[str]]
"""Has a model answer a question by a text; the question may be empty."""


_PAGE_SECONDS = 150.0
"""How long one page may take: less than the call, so that those which were read are told."""


class Wanted(NamedTuple):
    """What is to be read, and how it is shown."""

    urls: tuple[str, ...]
    char_limit: int = 20_000
    format: str = "markdown"
    offset: int = 0
    query: str | None = None
    summarize: bool = False


class Reader:
    """Read pages with what a runtime has."""

    def __init__(
        self, tools: Tools, summarise: Summarise | None = None, *, seconds: float = _PAGE_SECONDS
    ) -> None:
        self._tools = tools
        self._seconds = seconds
        self._summarise = summarise

    async def read(self, wanted: Wanted, caller: Caller) -> dict[str, Any]:
        """Return what each address says, in the order asked, with how many failed."""
        urls = tuple(dict.fromkeys(wanted.urls))
        reading = (self._one(url, wanted, caller) for url in urls)
        found = await asyncio.gather(*reading, return_exceptions=True)
        pages = [_broken(url, one) if isinstance(one, BaseException) else one
                 for url, one in zip(urls, found, strict=True)]  # fmt: skip
        failed = sum("error" in page for page in pages)
        answer: dict[str, Any] = {"pages": pages}
        if failed:
            answer["failed"] = failed
        return answer

    async def content(self, url: str, format: str, caller: Caller) -> Content:
        """Return all that one address says."""
        return await read(self._tools, url, format, caller)

    async def _one(self, url: str, wanted: Wanted, caller: Caller) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._told(url, wanted, caller)
        except TimeoutError:
            message = f"{url} was not read within {self._seconds:g} s"
            return {"url": url, "error": message, "code": "timeout"}
        except HermesError as error:
            failure = {"url": url, "error": error.message, "code": error.code}
            return failure | ({"hint": error.hint} if error.hint else {})

    async def _told(self, url: str, wanted: Wanted, caller: Caller) -> dict[str, Any]:
        content = await self.content(url, wanted.format, caller)
        told = {"url": content.url, "type": content.kind} | content.about
        if content.url != url:
            told["asked_for"] = url
        if wanted.summarize:
            return told | {"summary": await self._summary(content.text, wanted.query or "")}
        return told | shown(content.text, wanted.offset, wanted.char_limit, wanted.query)

    async def _summary(self, text: str, question: str) -> str:
        if self._summarise is None:
            raise Unavailable(
                "no model is configured to sum pages up",
                hint="Leave summarize out, or use query for the fitting paragraphs.",
            )
        return await self._summarise(text, question)


def _broken(url: str, error: BaseException) -> dict[str, Any]:
    """Tell that reading one page failed as nobody foresaw; the others are told all the same."""
    if not isinstance(error, Exception):
        raise error
    _log.warning("%s could not be read", url, exc_info=error)
    message = f"{url} could not be read: {type(error).__name__}"
    return {"url": url, "error": message, "code": "not_readable"}
