"""What is asked of the web, and what comes back: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from hermes.policy.urls import UrlRules, parse
from hermes.services.web.charsets import text_of

Pairs = tuple[tuple[str, str], ...]


class Caller(Protocol):
    """Who calls, in the words of the runtime: its context fits."""

    @property
    def task_id(self) -> str:
        """The task that the call belongs to."""

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the call any more."""

    def check_url(self, url: str) -> tuple[UrlRules, ...]:
        """Have an address judged at the moment of its use; gives the rules for connecting."""

    def progress(self, text: str) -> None:
        """Tell whoever watches how far the call has come."""


class Opened:
    """A caller for whom the host of one address that a person configured is open."""

    def __init__(self, caller: Caller, base: str) -> None:
        self._caller = caller
        self._base = base
        self.task_id = caller.task_id

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the call any more."""
        return self._caller.cancelled

    def check_url(self, url: str) -> tuple[UrlRules, ...]:
        """Open what was configured, and have everything else judged as ever."""
        here, there = parse(self._base), parse(url)
        if here[:3] != there[:3]:
            return self._caller.check_url(url)
        return (UrlRules(allow_private=True, allowed_hosts=(f"{_spelt(here.host)}:{here.port}",)),)

    def progress(self, text: str) -> None:
        """Tell whoever watches how far the call has come."""
        self._caller.progress(text)


def _spelt(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class Ask(NamedTuple):
    """One request, and how far to go for its answer."""

    url: str
    method: str = "GET"
    headers: Pairs = ()
    content: bytes | None = None
    seconds: float = 30.0
    """For all of it: redirects, retries and the body."""
    max_bytes: int = 10_000_000
    follows: bool = True
    attempts: int = 3
    """How often a request that may be repeated is sent while the service cannot answer."""
    has_cookies: bool = True
    may_cache: bool = True


class Page(NamedTuple):
    """What came back, the body up to the limit."""

    url: str
    """Where it was found, after all redirects."""
    status: int
    reason: str
    headers: Pairs
    body: bytes
    is_cut: bool = False
    redirects: tuple[str, ...] = ()
    """The addresses that led on, the first asked for first."""
    version: str = "HTTP/1.1"
    seconds: float = 0.0
    is_cached: bool = False

    def header(self, name: str) -> str:
        """Return a header's value, or nothing."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    @property
    def media_type(self) -> str:
        """The type that the service says, in small letters and without parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def is_ok(self) -> bool:
        """Whether the service gave what was asked for."""
        return 200 <= self.status < 300

    def text(self) -> str:
        """Return the body as text, in the character set that it says or shows."""
        return text_of(self.body, self.header("content-type"))

    def header_map(self) -> Mapping[str, str]:
        """Return the headers by name, repeated ones joined."""
        found: dict[str, str] = {}
        for name, value in self.headers:
            key = name.lower()
            found[key] = f"{found[key]}, {value}" if key in found else value
        return found
