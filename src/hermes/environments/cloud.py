"""A machine of a service that costs while it runs: made when needed, resting when idle."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from hermes.base.errors import ExtraMissing
from hermes.base.optional import install_command, load
from hermes.config.environment import live
from hermes.environments.contract import Refused
from hermes.environments.engine import owner
from hermes.environments.inside.line import BEAT_SECONDS
from hermes.environments.link import Link, Program, settled
from hermes.environments.sideloop import SideLoop

T = TypeVar("T")
Environ = Mapping[str, str]


class Service(Protocol):
    """What is asked of a service, all of it on the loop that its client lives on."""

    async def start(self, argv: Sequence[str]) -> Program:
        """Start a program in the sandbox of the task, which is made or woken first."""

    async def snapshot(self) -> str:
        """Keep the sandbox's files, and return the name to start from them again."""

    async def close(self) -> None:
        """Remove the sandbox and let go of the client."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A service by name, and the module that alone imports its library."""

    name: str
    title: str
    module: str
    lacks: Callable[[Any, Environ], Refused | None]


class CloudChannel:
    """Start programs in the sandbox of a task, which is made when first needed."""

    def __init__(self, provider: Provider, options: object, report: Callable[[str], None]) -> None:
        self.name = provider.name
        self.where = f"the sandbox of {provider.title}"
        self._provider, self._options, self._report = provider, options, report
        self._making = threading.Lock()
        self._side: SideLoop | None = None
        self._service: Service | None = None

    def _submit(self, work: Callable[[Service], Coroutine[Any, Any, T]]) -> Future[T]:
        with self._making:
            if self._side is None:
                self._side = SideLoop(f"hermes-{self.name}")
        return self._side.submit(self._with_service(work))

    async def _with_service(self, work: Callable[[Service], Coroutine[Any, Any, T]]) -> T:
        if self._service is None:
            self._service = self._made()
        return await work(self._service)

    def _made(self) -> Service:
        """Load the service's library, on a thread that may wait for it."""
        if lacking := self._provider.lacks(None, live()):
            raise lacking
        try:
            module = load(self._provider.module, extra=self._provider.name)
        except ExtraMissing as error:
            raise Refused(error.message, error.hint or "") from None
        except ImportError as error:
            hint = f"Install it again: {install_command(self._provider.name)}"
            raise Refused(
                f"the library of {self._provider.title} is of no use: {error}", hint
            ) from None
        made: Service = module.service(self._options, live(), self._report)
        return made

    async def start(self, argv: Sequence[str]) -> Program:
        """Start a program in the sandbox; one that rests is woken."""
        starting = self._submit(lambda service: service.start(argv))
        try:
            return await settled(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(_let_go)
            raise

    def refusal(self, code: int | None, words: str) -> Refused | None:
        """Leave it to what is said of every machine."""
        del code, words
        return None

    async def snapshot(self) -> str:
        """Keep the sandbox's files, and return the name to start from them again."""
        return await settled(self._submit(lambda service: service.snapshot()))

    async def close(self) -> None:
        """Remove the sandbox."""
        with self._making:
            side, self._side = self._side, None
        if side is None:
            return
        await settled(side.submit(self._leave()))
        await asyncio.to_thread(side.close)

    async def _leave(self) -> None:
        service, self._service = self._service, None
        if service is not None:
            await service.close()


def _let_go(starting: Future[Program]) -> None:
    """End a program that nobody waits for any more, away from the loop that it needs."""
    if starting.cancelled() or starting.exception() is not None:
        return
    program = starting.result()

    def end() -> None:
        program.kill()
        program.release()

    threading.Thread(target=end, daemon=True).start()


def labels(task: str) -> dict[str, str]:
    """Return the words by which a later hermes knows a sandbox of ours."""
    return {"hermes": "1", "hermes.owner": owner(), "hermes.task": task}


async def tend(link: Link, idle_minutes: float, beat: Callable[[bool], Awaitable[None]]) -> bool:
    """Beat, told whether something is going on; true once the link was idle for so long.

    It takes no more requests then. False if it was lost in another way.
    """
    longest = idle_minutes * 60
    while not link.lost.is_set():
        idle = link.idle_seconds()
        if longest and idle >= longest and link.retire():
            return True
        left = longest - idle if longest else BEAT_SECONDS
        await asyncio.sleep(max(0.01, min(BEAT_SECONDS, left)))
        await beat(idle == 0)
    return False
