"""Try MCP servers for the person at the command line: connect to one, sign in to one."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.app.runtime import Runtime
from hermes.app.servers import of
from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.config.interpolating import resolved
from hermes.config.settings import Settings
from hermes.mcp.faults import Unreachable
from hermes.mcp.scanning import Finding, findings
from hermes.runtime.approvals import Approver
from hermes.runtime.bridge import loop_thread

if TYPE_CHECKING:
    from hermes.mcp.cache import Known

_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "hermes", "version": "1"},
    },
}
_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
_LARGEST = 8_000_000
_SESSION = "mcp-session-id"


class Trial(NamedTuple):
    """How a server did when it was connected to."""

    name: str
    seconds: float
    known: Known
    findings: tuple[tuple[str, Finding], ...]
    """What is suspicious about its tools, each with the tool's name."""
    warnings: tuple[str, ...]


class SignedIn(NamedTuple):
    """What came of signing in: whether a person had to, and what the server then answered."""

    asked: bool
    status: int


def tokens_folder(settings: Settings) -> Path:
    """Return where the tokens of servers are."""
    return settings.home / "mcp" / "tokens"


def pins_folder(settings: Settings) -> Path:
    """Return where it is kept what was approved of servers."""
    return settings.home / "mcp" / "pins"


def builtin_names() -> list[str]:
    """Return the names of the tools that are not a server's."""
    with Runtime(config={"mcp_servers": {}}) as runtime:
        return _own_names(runtime)


def _own_names(runtime: Runtime) -> list[str]:
    return [entry.name for entry in runtime.registry.entries() if ":" not in entry.name]


def try_now(name: str, body: Mapping[str, Any], approver: Approver | None = None) -> Trial:
    """Connect to one server and to no other, and return what it offers.

    Raises:
        HermesError: it cannot be connected to.
    """
    config = {"mcp_servers": {name: {**body, "enabled": True, "eager": False}}}
    load("hermes.mcp.connecting")  # its loading is not the server's time
    heard = _Heard(f"hermes.mcp.{name}")
    with Runtime(config=config, approver=approver) as runtime, heard:
        servers, began = of(runtime), time.monotonic()
        try:
            loop_thread().submit(servers.connect(name)).result()
        except Unreachable as error:
            hint = error.hint or f"Its log is {runtime.settings.home / 'logs' / 'mcp'}."
            raise HermesError(f"{name}: {error.message}", hint=hint) from error
        seconds = time.monotonic() - began
        known = servers.source(name).known
        builtin = _own_names(runtime)
    assert known is not None
    found = [
        (tool.name, one) for tool in known.definitions.tools for one in findings(tool, builtin)
    ]
    return Trial(name, seconds, known, tuple(found), tuple(heard.warnings))


class _Heard(logging.Handler):
    """Collect what is said of a server that a person should know."""

    def __init__(self, logger: str) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[str] = []
        self._logger = logging.getLogger(logger)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one message."""
        self.warnings.append(record.getMessage())

    def __enter__(self) -> _Heard:
        self._logger.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self)


def sign_in(name: str, settings: Settings, show: Callable[[str], Any]) -> SignedIn:
    """Have a person sign in to a server; ``show`` is given the address to visit.

    Raises:
        HermesError: it cannot be reached, or nobody signed in.
    """
    return loop_thread().submit(_sign_in(name, settings, show)).result()


async def _sign_in(name: str, settings: Settings, show: Callable[[str], Any]) -> SignedIn:
    httpx2, guarded = load("httpx2"), load("hermes.mcp.guarded")
    server = resolved(name, settings.mcp_servers[name], load("hermes.config.environment").live())
    asked: list[str] = []

    def shown(url: str) -> Any:
        asked.append(url)
        return show(url)

    auth = load("hermes.mcp.oauth").provider(name, server, tokens_folder(settings), shown)
    client = httpx2.AsyncClient(auth=auth, headers={**server.headers, **_HEADERS}, timeout=30.0)
    reach = load("hermes.app.reaching").reach(settings.urls)
    try:
        async with guarded.guarded_client(client, server.url, reach, _LARGEST) as guard:
            status = await _knock(guard, server)
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise HermesError(f"{name}: {error or type(error).__name__}") from error
    return SignedIn(bool(asked), status)


async def _knock(client: Any, server: Any) -> int:
    """Ask the server for anything; return the status of its answer."""
    method, body = ("GET", None) if server.transport == "sse" else ("POST", _INITIALIZE)
    async with client.stream(method, server.url, json=body, follow_redirects=False) as response:
        session = response.headers.get(_SESSION)
        status: int = response.status_code
    if session:
        await client.delete(server.url, headers={_SESSION: session})
    return status
