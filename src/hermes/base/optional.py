"""Load by name the modules that need an optional dependency."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from hermes.base.errors import ExtraMissing

DISTRIBUTION = "hermes-tools"


def install_command(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def load(module: str, *, extra: str | None = None) -> ModuleType:
    """Import a module by its dotted name, when a call needs it.

    Raises:
        ExtraMissing: a third-party library that the extra brings is not installed.
    """
    known = sys.modules.get(module)
    if known is not None and not getattr(known.__spec__, "_initializing", False):
        return known  # what another thread still loads is waited for below
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("hermes"):
            raise
        raise ExtraMissing(
            f"this needs the Python package {error.name!r}, which is not installed",
            hint=f"Install it with: {install_command(extra)}",
        ) from error
