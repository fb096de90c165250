"""The seam where tools come in: a source yields entries, refreshes them and withdraws them."""

from __future__ import annotations

from typing import Protocol

from hermes.runtime.registry import ToolRegistry


class Source(Protocol):
    """Bring tools into a registry and keep them true: YAML files, an MCP server, a plugin."""

    name: str

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Where and what is wrong with tools that could not be brought in."""

    def refresh(self, registry: ToolRegistry) -> bool:
        """Bring the registry up to date when the source changed; say whether it did. Cheap."""

    def close(self) -> None:
        """Let go of what the source holds and withdraw its entries."""
