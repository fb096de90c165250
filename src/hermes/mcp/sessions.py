"""Open the connections of a runtime's servers, and know for which task each of them works."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from hermes.base.errors import Denied, HermesError
from hermes.base.optional import load
from hermes.mcp.faults import Unreachable
from hermes.mcp.people import People
from hermes.mcp.source import Places, ServerSource
from hermes.runtime.context import ToolContext

if TYPE_CHECKING:
    from hermes.mcp.connecting import Around
    from hermes.mcp.links import Link
    from hermes.mcp.supervisor import Supervisor


class Sessions:
    """Connect servers with what the runtime hands them."""

    def __init__(
        self,
        around: Callable[[], Around],
        people: Callable[[str], People],
        environ: Mapping[str, str],
        places: Places,
    ) -> None:
        self._around, self._people = around, people
        self._environ, self._places = environ, places
        self._working: dict[str, list[ToolContext]] = {}
        self._lock = threading.Lock()
        self._is_checked: set[str] = set()

    @contextmanager
    def working(self, server: str, ctx: ToolContext) -> Iterator[None]:
        """Note that a server works for a call for as long as the context lasts."""
        with self._lock:
            self._working.setdefault(server, []).append(ctx)
        try:
            yield
        finally:
            with self._lock:
                self._working[server].remove(ctx)

    def calls(self, server: str) -> list[ToolContext]:
        """Return the calls that a server works for now, oldest first."""
        with self._lock:
            return list(self._working.get(server, ()))

    @asynccontextmanager
    async def opened(self, source: ServerSource, supervisor: Supervisor) -> AsyncIterator[Link]:
        """Connect a supervisor to its server.

        Raises:
            Unreachable: says why it cannot be connected to.
        """
        connecting = load("hermes.mcp.connecting")
        try:
            settings, server = self._made(connecting, source)
            around = self._around()
            if settings.command is not None and source.server not in self._is_checked:
                await self._check(source, settings)
        except HermesError as error:
            raise Unreachable(error.message, hint=error.hint or "", is_lasting=True) from error
        news = connecting.News(supervisor.changed, supervisor.lost)
        mode = "legacy" if supervisor.is_legacy else "auto"
        async with connecting.opened(server, around, news, mode=mode) as link:
            yield link

    def _made(self, connecting: Any, source: ServerSource) -> tuple[Any, Any]:
        filling = load("hermes.config.interpolating")
        settings = filling.resolved(source.server, source.settings, self._environ)
        secrets = filling.secrets_of(source.settings, self._environ)
        file = load("pathlib").Path(self._places.logs) / f"{source.server.lower()}.log"
        log = load("hermes.mcp.server_log").ServerLog(file, secrets)
        people = self._people(source.server)
        return settings, connecting.Server(source.server, settings, people, log)

    async def _check(self, source: ServerSource, settings: Any) -> None:
        """Have the packages that a command fetches checked for malware, before its first start."""
        advisories = load("hermes.mcp.advisories")
        advice = await advisories.check(
            settings.command,
            settings.args,
            folder=load("pathlib").Path(self._places.advisories),
            policy=settings.advisories,
            fetch=load("hermes.mcp.fetching").poster(self._around().web),
        )
        people = self._people(source.server)
        for warning in advice.warnings:
            if people.on_log is not None:
                people.on_log(source.server, "warning", warning)
        if not advice.ok:
            await self._agreed(people, source, advice)
        self._is_checked.add(source.server)

    async def _agreed(self, people: People, source: ServerSource, advice: Any) -> None:
        """Take a person's yes to a start that is in doubt, where their yes is enough."""
        if not advice.question:
            raise Unreachable(advice.reason, is_lasting=True)
        made = source.settings.as_dict()
        shown = {"starts": [made["command"], *made["args"]]}
        try:
            await load("hermes.mcp.consent").agree(
                people, source.server, "start", shown, reason=advice.question
            )
        except Denied as error:
            hint = f"mcp_servers.{source.server}.advisories: warn starts it all the same."
            raise Unreachable(
                f"{advice.reason}, and {error.message}", hint=hint, is_lasting=True
            ) from error
