"""Read the process environment; the only module that does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from hermes.base.optional import load


def snapshot() -> dict[str, str]:
    """Return a copy of the process environment as it is now."""
    return dict(os.environ)


class Live(Mapping[str, str]):
    """The process environment as it is at each look, read-only."""

    __slots__ = ("_decoded", "_raw")

    def __init__(self) -> None:
        self._raw: object = None
        self._decoded: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        """Return a variable."""
        return os.environ[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(os.environ)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(os.environ)

    def copy(self) -> dict[str, str]:
        """Return all of it; what has not changed since the last look is not decoded again."""
        raw = getattr(os.environ, "_data", None)
        if raw is None or raw != self._raw:
            self._decoded = dict(os.environ)
            self._raw = dict(raw or {})
        return self._decoded.copy()


def live() -> Live:
    """Return the process environment as it is at each look, read-only."""
    return Live()


def known_secrets(environ: Mapping[str, str], *named: str | None) -> dict[str, str]:
    """Return the variables whose names say that their values are secret, and those named."""
    is_secret_name = load("hermes.base.redact").is_secret_name
    return {
        name: value
        for name, value in environ.items()
        if value and (name in named or is_secret_name(name))
    }


def wants_traces(environ: Mapping[str, str]) -> bool:
    """Say whether unexpected errors show their Python trace (``HERMES_DEBUG=1``)."""
    return environ.get("HERMES_DEBUG", "") not in {"", "0"}


def editor(environ: Mapping[str, str]) -> str:
    """Return the command line of the user's text editor."""
    return environ.get("VISUAL") or environ.get("EDITOR") or "vi"
