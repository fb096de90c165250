"""Browsers for tasks: one process, a context for each task, closed when nobody uses it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from hermes.base.errors import Denied, InvalidArguments, ToolError, Unavailable
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.policy.urls import UrlRules
from hermes.services.browser.options import Options

if TYPE_CHECKING:
    from hermes.services.browser.contract import Connected, Post
    from hermes.services.browser.session import Session

T = TypeVar("T")
PROVIDERS = ("local", "cdp", "browserbase", "browser_use", "firecrawl")
_CLOSE_SECONDS = 10.0
_PLACES = "hermes.services.browser"


class Caller(Protocol):
    """Who calls, in the words of the runtime: its context fits."""

    @property
    def task_id(self) -> str:
        """The task that the call belongs to."""

    def check_url(self, url: str) -> tuple[UrlRules, ...]:
        """Have an address judged at the moment of its use; gives the rules for connecting."""


class Surroundings(NamedTuple):
    """What browsers are handed by whoever has it."""

    on_loop: Callable[[Coroutine[Any, Any, Any]], Awaitable[Any]]
    """Runs a coroutine on the one loop that browsers live on, awaited from any."""
    submit: Callable[[Coroutine[Any, Any, Any]], Future[Any]]
    """Starts a coroutine there from another thread."""
    environment: Mapping[str, str]
    secret: Callable[[str], str]
    own: Callable[[], frozenset[str]]
    """Gives this machine's own addresses."""
    ask: Post
    keep: Callable[[Any, str, bytes], dict[str, Any]]
    """Writes a download into the workspace of the caller's task: name and bytes."""
    fetch: Callable[[Any, str], tuple[str, bytes, str]]
    """Reads a file of the caller's task: gives its name, bytes and type."""
    note: Callable[[int | None], None] = lambda _: None
    """Told the process of a browser that was started here, and None when it ended."""


class Browsers:
    """Hand each task a browser of its own."""

    def __init__(self, options: Options, around: Surroundings) -> None:
        self.options = options
        self.around = around
        self._driver: Any = None
        self._connected: Connected | None = None
        self._sessions: dict[str, Session] = {}
        self._opening: asyncio.Lock | None = None
        self._making: set[asyncio.Future[Session]] = set()
        self._idle: asyncio.TimerHandle | None = None

    async def use(
        self, caller: Caller, work: Callable[[Session], Awaitable[T]], *, is_leaving: bool = False
    ) -> T:
        """Do something with the task's browser, on the loop that it lives on.

        A page that the rules of this call deny is left; only what leaves it anyway goes on.

        Raises:
            Denied: the rules are against the page that is shown.
            ToolError: it cannot be done; says why.
        """
        done: T = await self.around.on_loop(self._worked(caller, work, is_leaving=is_leaving))
        return done

    def has(self, task_id: str) -> bool:
        """Say whether a task has a browser open."""
        return task_id in self._sessions

    async def _worked(
        self, caller: Caller, work: Callable[[Session], Awaitable[T]], *, is_leaving: bool
    ) -> T:
        session = await self._session(caller.task_id)
        troubles = load(f"{_PLACES}.troubles")
        async with session.lock:
            session.used_at = time.monotonic()
            try:
                try:
                    self._judge(session, caller)
                except Denied:
                    await session.leave()
                    if not is_leaving:
                        raise
                return await work(session)
            except troubles.Error as error:
                is_alive = self._is_alive()
                if is_alive and not await troubles.still_answers(self._connected, error):
                    is_alive = False
                    driver, self._driver = self._driver, None
                    await troubles.stopped(driver)
                if not is_alive:
                    await self._drop_all()
                raise troubles.said(error, is_alive=is_alive) from error
            finally:
                session.used_at = time.monotonic()
                self._watch()

    def _judge(self, session: Session, caller: Caller) -> None:
        """Take over the rules of this call, and refuse to work on a page that they deny."""
        page = session.page
        url = page.url if page is not None and not page.is_closed() else ""
        if url.startswith(("http://", "https://")):
            session.allow(caller.check_url(url))

    async def _session(self, task_id: str) -> Session:
        """Return a task's browser; what was begun for it is finished, though the caller gives up.

        A driver or a browser that nobody knows of would stay behind.
        """
        making = asyncio.ensure_future(self._made(task_id))
        self._making.add(making)
        making.add_done_callback(self._noticed)
        return await asyncio.shield(making)

    def _noticed(self, made: asyncio.Future[Session]) -> None:
        self._making.discard(made)
        if not made.cancelled():
            made.exception()

    async def _made(self, task_id: str) -> Session:
        async with self._changing():
            known = self._sessions.get(task_id)
            if known is not None and self._is_alive():
                known.used_at = time.monotonic()
                return known
            if self._connected is not None and not self._is_alive():
                await self._drop_all()
            connected = self._connected or await self._connect()
            session = await self._open(connected)
            self._sessions[task_id] = session
            return session

    def _changing(self) -> asyncio.Lock:
        """Return what keeps opening and closing apart; made on the loop that it belongs to."""
        if self._opening is None:
            self._opening = asyncio.Lock()
        return self._opening

    def _is_alive(self) -> bool:
        return self._connected is not None and self._connected.browser.is_connected()

    async def _connect(self) -> Connected:
        name = self.options.provider
        if name not in PROVIDERS:
            near = did_you_mean(name, PROVIDERS) or f"There are: {', '.join(PROVIDERS)}."
            raise InvalidArguments(f"there is no browser provider {name!r}", hint=near)
        playwright = load("playwright.async_api", extra="browser")
        provider = load(f"{_PLACES}.providers.{name}", extra="browser")
        missing = [key for key in provider.KEYS if not self.around.secret(key)]
        if missing:
            raise Unavailable(
                f"{name} needs {' and '.join(missing)}", hint="A person must set it first."
            )
        if self._driver is None:
            self._driver = await playwright.async_playwright().start()
        contract = load(f"{_PLACES}.contract")
        around = self.around
        means = contract.Means(
            self._driver, self.options, around.environment, around.secret, around.ask
        )
        connected: Connected = await provider.open(means)
        self._connected = connected
        if connected.is_local:
            self.around.note(await load(f"{_PLACES}.processes").process_of(connected.browser))
        return connected

    async def _open(self, connected: Connected) -> Session:
        sessions = load(f"{_PLACES}.session")
        options = self.options
        size = {"width": options.width, "height": options.height}
        wanted: dict[str, Any] = {
            "viewport": size, "locale": options.locale, "accept_downloads": True,
            "service_workers": "block",
        }  # fmt: skip
        way: Any = load(f"{_PLACES}.guarding").Guard(self.around.own)
        if connected.is_local:
            way = load(f"{_PLACES}.passage").Passage(self.around.own)
            # without the second word, this machine's own addresses would go around it
            wanted["proxy"] = {"server": await way.open(), "bypass": "<-loopback>"}
        used = [each.context for each in self._sessions.values()]
        given = connected.browser.contexts[:1] if connected.has_context else []
        if given and given[0] not in used:
            context = given[0]
        else:
            context = await connected.browser.new_context(**wanted)
        await load(f"{_PLACES}.noticing").notice(context)
        session: Session = sessions.Session(connected, context, options, way)
        session.is_given = context in given
        if not connected.is_local:
            await way.watch(context)
        return session

    def _watch(self) -> None:
        """Have the browser closed when nobody used it for a while."""
        loop = asyncio.get_running_loop()
        if self._idle is not None:
            self._idle.cancel()
        wait = self.options.idle_seconds
        self._idle = loop.call_later(wait, lambda: loop.create_task(self._close_idle()))

    async def _close_idle(self) -> None:
        async with self._changing():
            now = time.monotonic()
            for task_id, session in list(self._sessions.items()):
                is_idle = now - session.used_at >= self.options.idle_seconds * 0.99
                if is_idle and not session.lock.locked():
                    del self._sessions[task_id]
                    await session.close()
            if self._sessions:
                self._watch()
            else:
                await self._disconnect()

    async def close_task(self, task_id: str) -> bool:
        """Close a task's browser; say whether it had one."""
        return bool(await self.around.on_loop(self._closed(task_id)))

    async def _closed(self, task_id: str) -> bool:
        async with self._changing():
            session = self._sessions.pop(task_id, None)
            if session is None:
                return False
            await session.close()
            if not self._sessions:
                await self._disconnect()
            return True

    async def _drop_all(self) -> None:
        """Forget a browser that is gone."""
        sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            await session.passage.close()
        self._connected = None
        self.around.note(None)

    async def _disconnect(self) -> None:
        connected, self._connected = self._connected, None
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if connected is not None:
            with contextlib.suppress(load(f"{_PLACES}.troubles").Error, ToolError, OSError):
                await connected.close()
            self.around.note(None)
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.stop()

    def forget(self, task_id: str) -> None:
        """Close the browser of a task that ended."""
        if task_id not in self._sessions:
            return
        try:
            self.around.submit(self._closed(task_id))
        except ToolError:  # this is that loop itself
            asyncio.ensure_future(self._closed(task_id))  # noqa: RUF006 - the session holds it

    def close(self) -> None:
        """Close everything, and wait for it."""
        if self._connected is None and self._driver is None and not self._making:
            return
        with contextlib.suppress(TimeoutError):
            self.around.submit(self._all_closed()).result(_CLOSE_SECONDS)

    async def _all_closed(self) -> None:
        async with self._changing():
            for session in self._sessions.values():
                await session.close()
            self._sessions.clear()
            await self._disconnect()
