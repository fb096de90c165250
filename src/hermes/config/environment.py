"""Read the process environment; the only module that does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from hermes.base.optional import load


def snapshot() -> dict[str, str]:
    """Return a copy of the process environment as it is now."""
    return dict(os.environ)


def live() -> Mapping[str, str]:
    """Return the process environment as it is at each look, read-only."""
    return MappingProxyType(os.environ)


def known_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables whose names say that their values are secret."""
    is_secret_name = load("hermes.base.redact").is_secret_name
    return {name: value for name, value in environ.items() if value and is_secret_name(name)}


def wants_traces(environ: Mapping[str, str]) -> bool:
    """Say whether unexpected errors show their Python trace (``HERMES_DEBUG=1``)."""
    return environ.get("HERMES_DEBUG", "") not in {"", "0"}


def editor(environ: Mapping[str, str]) -> str:
    """Return the command line of the user's text editor."""
    return environ.get("VISUAL") or environ.get("EDITOR") or "vi"
