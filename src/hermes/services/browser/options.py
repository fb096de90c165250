"""What a person chose about the browser."""

from __future__ import annotations

from typing import NamedTuple


class Options(NamedTuple):
    """How a browser is found, started and shown."""

    provider: str = "local"
    executable: str = ""
    """The browser to start; empty for whichever is found."""
    cdp_url: str = ""
    """Where a running browser listens."""
    is_headless: bool = True
    idle_seconds: float = 120.0
    action_seconds: float = 15.0
    load_seconds: float = 30.0
    width: int = 1_280
    height: int = 800
    locale: str = "en-US"
    bases: tuple[tuple[str, str], ...] = ()
    """Other addresses of services, by provider."""

    def base(self, provider: str, usual: str) -> str:
        """Return where a provider's service is."""
        return dict(self.bases).get(provider, usual).rstrip("/")
