"""One task for each server: it connects, keeps the connection, and ends it, all in one place.

Callers only wait for the connection that this task holds. Nothing is started before somebody asks.
A connection that breaks is made anew when it is needed, ever more slowly; a server that fails time
after time is parked, answers at once that it is, and is tried again now and then.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hermes.mcp.definitions import ServerDefinitions
from hermes.mcp.faults import Answered, Lost, Unreachable

if TYPE_CHECKING:
    from hermes.mcp.links import Link

T = TypeVar("T")
_log = logging.getLogger("hermes.mcp")


class Patience(NamedTuple):
    """How long is waited for what."""

    first_seconds: float = 0.5
    """Before the second attempt; each further one waits twice as long."""
    longest_seconds: float = 60.0
    most_failures: int = 5
    """In a row; then the server is parked."""
    probe_seconds: float = 300.0
    """Between attempts while it is parked."""
    stable_seconds: float = 30.0
    """How long a connection has to last to make up for what failed before."""
    quiet_seconds: float = 0.1
    """After a change of its lists, before they are asked for."""
    busy_seconds: float = 10.0
    """The same for a server that changes them all the time."""


class Tie(NamedTuple):
    """How a supervisor reaches its server, and who is told what it offers."""

    open: Callable[[Supervisor], AbstractAsyncContextManager[Link]]
    learn: Callable[[ServerDefinitions], Awaitable[object]]
    note: Callable[[str], object]
    """Told why there is no connection; nothing when there is one."""
    connect_seconds: float


class Supervisor:
    """Hold the connection to one server; every method belongs to one and the same loop."""

    def __init__(
        self,
        name: str,
        tie: Tie,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self._tie, self._patience, self._clock = tie, patience, clock
        self._link: Link | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiters: list[asyncio.Future[Link]] = []
        self._bell = asyncio.Event()
        self._failures = 0
        self._next_try = 0.0
        self._has_changed = False
        self._changes = 0
        self._is_closing = False
        self._over = asyncio.Event()
        self.is_legacy = False
        """Whether the server breaks when it is asked in the words of the newer era."""
        self.trouble: Unreachable | None = None
        """Why the last attempt failed; None when it did not."""

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""
        return self._link is not None

    @property
    def is_parked(self) -> bool:
        """Whether the server failed so often that callers are not kept waiting."""
        return self._failures >= self._patience.most_failures

    async def ask(self, work: Callable[[Link], Awaitable[T]], *, is_idempotent: bool) -> T:
        """Have something asked of the server; what a crash lost is asked again if that is safe.

        Raises:
            Unreachable: there is no connection.
            Answered: the server answered with an error.
            Lost: the connection broke, and nobody knows whether it was done.
        """
        link = await self.ready()
        try:
            return await self.heard(work(link))
        except Lost as lost:
            return await self.recover(work, link, lost, is_idempotent=is_idempotent)

    @property
    def direct(self) -> Link | None:
        """The connection, if there is one now that can be asked on any loop."""
        link = self._link
        return link if link is not None and link.is_direct and not link.is_lost else None

    async def heard(self, answer: Awaitable[T]) -> T:
        """Return an answer, and note that the server gave one: an error is one, too."""
        try:
            value = await answer
        except Answered:
            self._failures = 0
            raise
        self._failures = 0
        return value

    async def recover(
        self,
        work: Callable[[Link], Awaitable[T]],
        link: Link,
        lost: Lost,
        *,
        is_idempotent: bool,
    ) -> T:
        """Ask again what a link lost, once and only if that is safe; see ``ask``."""
        if link.is_lost:
            self.ring()
        if not (is_idempotent or lost.was_refused):
            raise Lost(await self._why(link, lost)) from None
        again = await self.ready()
        try:
            return await self.heard(work(again))
        except Lost as second:
            raise Lost(await self._why(again, second)) from None

    async def ready(self) -> Link:
        """Return the connection, made if there is none.

        Raises:
            Unreachable: it cannot be made.
        """
        if self._link is not None and not self._link.is_lost:
            return self._link
        if self._is_closing:
            raise Unreachable("hermes is closing")
        if self.is_parked and self._clock() < self._next_try and self.trouble is not None:
            raise self._parked(self.trouble)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(
                self._supervise(), name=f"mcp {self.name}"
            )
        waiter: asyncio.Future[Link] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self.ring()
        return await waiter

    def changed(self) -> None:
        """Note that the server's lists are not what they were."""
        self._has_changed = True
        self.ring()

    def lost(self) -> None:
        """Note that there is no connection any more."""
        if self._link is not None:
            self._link.is_lost = True
        self.ring()

    def ring(self) -> None:
        """Have the supervising task look up."""
        self._bell.set()

    async def close(self, seconds: float = 5.0) -> None:
        """End the connection and whatever was started for it."""
        self._is_closing = True
        self.ring()
        self._fail(Unreachable("hermes is closing"))
        if self._task is not None:
            done, _ = await asyncio.wait({self._task}, timeout=seconds)
            if not done:
                self._task.cancel()
                await asyncio.wait({self._task}, timeout=seconds)

    async def _supervise(self) -> None:
        while not self._is_closing:
            if not (self._waiters or self._wants_again()):
                await self._heard(None)
                continue
            if (wait := self._next_try - self._clock()) > 0:
                await self._heard(wait)
                continue
            began = self._clock()
            try:
                reason = await self._live()
            except Unreachable as trouble:
                self._failed(trouble)
            except Exception as error:  # noqa: BLE001 - a fault of the SDK's must not end the task
                _log.warning("the connection to %s broke", self.name, exc_info=error)
                self._failed(Unreachable(f"the connection broke: {type(error).__name__}"))
            else:
                self._ended(self._clock() - began, reason)

    def _wants_again(self) -> bool:
        """Say whether to connect though nobody waits: what failed in passing is tried again."""
        return self._failures > 0 and (self.trouble is None or not self.trouble.is_lasting)

    async def _live(self) -> str:
        """Connect, and keep the connection until it is lost; return why it was."""
        self._over = asyncio.Event()
        seconds = self._tie.connect_seconds
        link: Link | None = None
        is_open = False
        try:
            async with asyncio.timeout(seconds) as clock, self._tie.open(self) as link:
                await self._learn(link)
                clock.reschedule(None)
                is_open = True
                self._serve_waiters(link)
                await self._keep(link)
        except TimeoutError:
            raise Unreachable(
                f"it did not answer within {seconds:g} seconds",
                hint=f"Look at its log, or raise mcp_servers.{self.name}.connect_timeout.",
            ) from None
        except (Answered, Lost) as error:
            raise Unreachable((link.reason if link else "") or error.message) from None
        except (Exception, BaseExceptionGroup) as error:
            if not is_open:
                raise
            _log.info("the connection to %s broke: %s", self.name, error)
        finally:
            self._link = None
            self._over.set()
        return link.reason if link is not None else ""

    def _serve_waiters(self, link: Link) -> None:
        self._link, self.trouble = link, None
        self._tie.note("")
        for waiter in self._take_waiters():
            waiter.set_result(link)

    async def _keep(self, link: Link) -> None:
        following = asyncio.get_running_loop().create_task(link.follow(self.changed))
        try:
            while not (link.is_lost or self._is_closing):
                await self._heard(None)
                if self._has_changed and not link.is_lost:
                    await self._catch_up(link)
        finally:
            following.cancel()
            await asyncio.wait({following}, timeout=1.0)

    async def _catch_up(self, link: Link) -> None:
        """Ask for lists that changed; the more often they do, the less often."""
        patience = self._patience
        pause = min(patience.quiet_seconds * 2**self._changes, patience.busy_seconds)
        until = self._clock() + pause
        while (left := until - self._clock()) > 0 and not (link.is_lost or self._is_closing):
            await self._heard(left)
        self._has_changed = False
        self._changes = min(self._changes + 1, 20)
        try:
            async with asyncio.timeout(self._tie.connect_seconds):
                await self._learn(link)
        except (Answered, Lost, TimeoutError) as error:
            _log.warning("the lists of %s could not be fetched: %s", self.name, error)

    async def _learn(self, link: Link) -> None:
        await self._tie.learn(await link.definitions())

    async def _heard(self, seconds: float | None) -> None:
        """Wait for the bell, at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._bell.wait()
        self._bell.clear()

    def _ended(self, lasted: float, reason: str) -> None:
        """Count a connection that broke as a failure, so that a crash loop gets slower."""
        if self._is_closing:
            return
        if lasted >= self._patience.stable_seconds:
            self._failures = 0
        self._changes = 0
        self.trouble = Unreachable(f"its connection broke: {reason or 'nobody knows why'}")
        self._back_off(is_free=self._failures == 0)

    def _failed(self, trouble: Unreachable) -> None:
        if trouble.may_be_old and not self.is_legacy:
            self.is_legacy = True
            return
        self.is_legacy = False
        self.trouble = trouble
        if not trouble.is_lasting:
            self._back_off()
        self._tie.note(trouble.message)
        _log.warning("%s is not reachable: %s", self.name, trouble.message)
        self._fail(self._parked(trouble) if self.is_parked else trouble)

    def _back_off(self, *, is_free: bool = False) -> None:
        """Count a failure, and wait longer after each; the first that follows a success is free."""
        patience = self._patience
        pause = min(patience.first_seconds * 2**self._failures, patience.longest_seconds)
        self._failures += 1
        if self.is_parked:
            pause = patience.probe_seconds
        self._next_try = self._clock() + (0.0 if is_free else pause)
        if self.is_parked and self.trouble is not None:
            self._fail(self._parked(self.trouble))

    def _parked(self, trouble: Unreachable) -> Unreachable:
        left = max(1, round(self._next_try - self._clock()))
        return Unreachable(
            f"{trouble.message} (it failed {self._failures} times in a row and is left alone; "
            f"the next attempt is in {left} seconds)",
            hint=trouble.hint,
        )

    def _fail(self, trouble: Unreachable) -> None:
        for waiter in self._take_waiters():
            waiter.set_exception(trouble)

    def _take_waiters(self) -> list[asyncio.Future[Link]]:
        waiting, self._waiters = self._waiters, []
        return [waiter for waiter in waiting if not waiter.done()]

    async def _why(self, link: Link, lost: Lost) -> str:
        """Return why an answer was lost; how a process ended is known a moment later."""
        if link.is_lost:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._over.wait()
        return link.reason or lost.message
