"""One task's browser: its own context with cookies and storage, its tabs, what it last saw."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

from playwright.async_api import Error

from hermes.base.errors import TimedOut, ToolError
from hermes.policy.urls import UrlRules
from hermes.services.browser.aria import parse
from hermes.services.browser.compact import changes, lines_of
from hermes.services.browser.contract import Connected
from hermes.services.browser.events import Events, titled
from hermes.services.browser.guarding import Guard
from hermes.services.browser.noticing import mark
from hermes.services.browser.options import Options
from hermes.services.browser.passage import Passage

T = TypeVar("T")
_MOST_TABS = 20
_MOST_PAGES_IN_A_ROW = 5
_SETTLE_SECONDS = 1.5
_MOST_KNOWN = 50_000
_SAID = re.compile(r"@((?:f\d+)?e\d+) ([^@]*)")


class View:
    """What a page looked like at a moment."""

    __slots__ = ("full", "lines", "url")

    def __init__(self, url: str, full: str, lines: list[str]) -> None:
        self.url, self.full, self.lines = url, full, lines


class Session:
    """The browser of one task."""

    def __init__(
        self, connected: Connected, context: Any, options: Options, passage: Passage | Guard
    ) -> None:
        self.connected = connected
        self.context = context
        self.options = options
        self.passage = passage
        """What judges the connections or the requests of its pages."""
        self.is_given = False
        """Whether the context came with the browser and stays with it."""
        self.rules: tuple[UrlRules, ...] = (UrlRules(),)
        """What its pages may reach."""
        self.events = Events()
        self.lock = asyncio.Lock()
        self.tab_opened = asyncio.Event()
        self.view: View | None = None
        """What its model has seen of the page."""
        self.last: View | None = None
        """What the page looked like the last time."""
        self.known: dict[str, str] = {}
        """What was said of elements, by their refs, whether or not they are still there."""
        self.used_at = time.monotonic()
        self.page: Any = None
        self.stuck: Any = None
        """The page that answers no more."""
        context.set_default_timeout(options.action_seconds * 1_000)
        context.set_default_navigation_timeout(options.load_seconds * 1_000)
        context.on("page", self._on_page)
        for page in context.pages:
            self.events.follow(page)
            self.page = page

    def _on_page(self, page: Any) -> None:
        self.events.follow(page)
        if self.page is not None:
            self.events.note("a new tab opened")
            if len(self.context.pages) > _MOST_TABS:
                asyncio.ensure_future(page.close())  # noqa: RUF006 - the context keeps it
                return
        self.page = page
        self.tab_opened.set()
        page.on("close", self._on_close)

    def _on_close(self, page: Any) -> None:
        if page is self.page:
            others = [each for each in self.context.pages if each is not page]
            self.page = others[-1] if others else None
            if others:
                self.events.note("the tab closed; the one before it is shown")

    def allow(self, rules: tuple[UrlRules, ...]) -> None:
        """Have the connections of its pages judged by these rules from now on."""
        self.rules = rules or (UrlRules(),)
        self.passage.rules = self.rules

    async def act(self, action: Coroutine[Any, Any, T]) -> T | None:
        """Do something to a page, and go on without it where a dialog opens over it."""
        doing = await self._begun(action)
        return doing.result() if doing.done() else None

    async def answer(self, question: Coroutine[Any, Any, T]) -> T:
        """Return what a page answers, which neither a dialog nor an endless script holds up.

        Raises:
            ToolError: a dialog opened over it.
            TimedOut: it does not answer.
        """
        page, seconds = self.page, self.options.action_seconds
        doing = await self._begun(question, seconds)
        if doing.done():
            return doing.result()
        doing.cancel()
        self.check_dialog()
        self.stuck = page
        raise TimedOut(
            f"the page did not answer within {seconds:g} s: a script of it is busy or waits",
            hint="Ask again later, or navigate, which opens the address in a new tab.",
        )

    async def _begun(
        self, action: Coroutine[Any, Any, T], seconds: float | None = None
    ) -> asyncio.Future[T]:
        """Begin something, and wait until it is done, a dialog opens or the time is up."""
        doing = asyncio.ensure_future(action)
        waiting = asyncio.ensure_future(self.events.dialog_opened.wait())
        try:
            await asyncio.wait(
                {doing, waiting}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:
            doing.cancel()
            raise
        finally:
            waiting.cancel()
        if not doing.done():
            doing.add_done_callback(lambda done: done.cancelled() or done.exception())
        return doing

    async def wait_for_tab(self) -> None:
        """Wait for the tab that an action opens, if it does."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE_SECONDS):
                await self.tab_opened.wait()

    async def tab(self) -> Any:
        """Return the tab that is shown; a first one is opened."""
        page = self.page
        if page is None or page.is_closed() or page in self.events.crashed:
            self.page = None
            self.page = await self.context.new_page()
            if page is not None and not page.is_closed():
                await page.close()
        return self.page

    async def tab_that_answers(self) -> Any:
        """Return the tab that is shown; a new one for one that answers no more."""
        if self.stuck is not None and self.stuck is self.page:
            self.events.crashed.add(self.page)
        self.stuck = None
        return await self.tab()

    def check_dialog(self) -> None:
        """Refuse to act on a page that waits for a dialog.

        Raises:
            ToolError: it does.
        """
        dialog = self.events.dialog
        if dialog is not None:
            raise ToolError(
                f"{titled(dialog)} is open: {dialog.message[:200]!r}",
                code="dialog_open",
                hint="Answer it with browser_dialog first.",
            )

    async def look(self) -> View:
        """Return what the page looks like now."""
        page = await self.tab()
        self.check_dialog()
        full = await self._tree(page)
        last = self.last
        if last is not None and last.full == full:  # as when it is read in parts
            self.last = View(page.url, full, last.lines)
            return self.last
        self.last = view = View(page.url, full, await asyncio.to_thread(_lines, full))
        if len(self.known) > _MOST_KNOWN:
            self.known.clear()
        for line in view.lines:
            self.known.update(words_by_ref(line))
        return view

    async def _tree(self, page: Any) -> str:
        """Return the accessibility tree; that of the next page, when one comes in the meantime."""
        for _ in range(_MOST_PAGES_IN_A_ROW):
            try:
                return await self.answer(_tree(page))
            except Error as error:
                if "context was destroyed" not in error.message:
                    raise
                await self.settle()
        return await self.answer(_tree(page))

    async def leave(self) -> None:
        """Show nothing instead of a page that may not be worked on."""
        self.view = None
        await self.page.goto("about:blank")

    async def settle(self) -> None:
        """Wait until what an action began is done: a load, a new tab, or the page drawn anew."""
        shown = None
        while shown is not self.page and not self.events.dialog_opened.is_set():
            shown = await self.tab()
            try:
                async with asyncio.timeout(_SETTLE_SECONDS):
                    await self.act(_drawn(shown))
            except (TimeoutError, Error):
                continue  # it is shown as it is then

    async def close(self) -> None:
        """Close the task's pages and let go of its context."""
        with contextlib.suppress(Error):
            if not self.is_given:
                await self.context.close()
            else:
                for page in self.context.pages:
                    await page.close()
        await self.passage.close()


_NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))"


async def _drawn(page: Any) -> None:
    await page.evaluate(_NEXT_FRAME)
    await page.wait_for_load_state("domcontentloaded")


async def _tree(page: Any) -> str:
    """Return the accessibility tree of a page; that of a drawing or data alone is its text."""
    text: str | None = await mark(page)
    if text is not None:
        return f"- text: {json.dumps(text, ensure_ascii=False)}"
    return str(await page.aria_snapshot(mode="ai"))


def _lines(full: str) -> list[str]:
    return lines_of(parse(full))


def words_by_ref(line: str) -> Iterator[tuple[str, str]]:
    """Yield the refs of a line with what it says of each."""
    return ((ref, said.strip()) for ref, said in _SAID.findall(line))


def difference(before: View | None, after: View) -> list[str] | None:
    """Return what changed on the same page; None when it is another one, or changed mostly."""
    if before is None or before.url.partition("#")[0] != after.url.partition("#")[0]:
        return None
    return changes(before.lines, after.lines)
