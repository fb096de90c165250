"""Make what code is run by: where it runs, and what is kept before it does."""

from __future__ import annotations

from hermes.app.developing import sites
from hermes.config.settings import Settings
from hermes.runtime.bridge import loop_thread
from hermes.runtime.context import Services
from hermes.services.repl import Repls


def repls(services: Services, settings: Settings) -> Repls:
    """Return the sessions of a runtime."""
    return Repls(sites(services, settings), loop_thread().submit)
