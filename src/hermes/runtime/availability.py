"""Can a tool run here now? Checks are remembered for a while; one that breaks means no."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from hermes.base.optional import install_command, load
from hermes.base.text import harmless
from hermes.runtime.entry import ToolEntry


class Availability:
    """Answer for entries why they are unavailable; a check that several share runs once."""

    def __init__(
        self,
        environment: Callable[[], Mapping[str, str]],
        *,
        ttl_seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._environment = environment
        self._ttl = ttl_seconds
        self._clock = clock
        self._known: dict[Hashable, tuple[float, str | None]] = {}

    def reason(self, entry: ToolEntry) -> str | None:
        """Return why the tool cannot run now, in words for a person; None when it can."""
        for name in entry.requires_env:
            if not self._environment().get(name):
                return f"the environment variable {name} is not set"
        for program in entry.requires_bin:
            why = self._remembered(("bin", program), functools.partial(self._missing, program))
            if why:
                return why
        if entry.requires_extra:
            extra = entry.requires_extra
            why = self._remembered(("extra", extra), lambda: _extra_missing(extra))
            if why:
                return why
        check = entry.check_fn
        return None if check is None else self._remembered(check, lambda: _failed(check))

    def is_known(self, entry: ToolEntry) -> bool:
        """Whether the tool's own check was asked lately, so that asking again costs nothing."""
        check = entry.check_fn
        known = self._known.get(check) if check is not None else None
        return check is None or (known is not None and known[0] > self._clock())

    def forget(self) -> None:
        """Check anew from now on."""
        self._known.clear()

    def _remembered(self, key: Hashable, ask: Callable[[], str | None]) -> str | None:
        now = self._clock()
        known = self._known.get(key)
        if known is None or known[0] <= now:
            known = (now + self._ttl, ask())
            self._known[key] = known
        return known[1]

    def _missing(self, program: str) -> str | None:
        path = self._environment().get("PATH")
        return (
            None
            if load("shutil").which(program, path=path)
            else f"the program {program!r} is not installed"
        )


def _failed(check: Callable[[], Any]) -> str | None:
    try:
        found = check()
    except (Exception, SystemExit) as error:  # a check that breaks means unavailable
        return harmless(str(error)) or f"its check failed: {type(error).__name__}"
    if hasattr(found, "close") and hasattr(found, "__await__"):
        found.close()
        return "its check is an async function; a check must answer at once"
    return None if found else "its check says that it cannot run here"


def _extra_missing(extra: str) -> str | None:
    if load("hermes.runtime.extras").installed(extra):
        return None
    return f"the extra {extra!r} is not installed: {install_command(extra)}"
