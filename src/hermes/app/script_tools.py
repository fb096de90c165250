"""Say which tools the settings let scripts call."""

from __future__ import annotations

from hermes.base.errors import HermesError
from hermes.config.settings import Settings
from hermes.runtime.toolsets import Toolsets
from hermes.services.scripting.scope import Scope


def scope(settings: Settings, toolsets: Toolsets) -> Scope:
    """Return which tools the settings let scripts call."""

    def resolve(name: str) -> list[str]:
        try:
            return toolsets.resolve(name)
        except HermesError:
            return []  # one that is not there, such as a tool of an extra

    return Scope(settings.code.tools, resolve)
