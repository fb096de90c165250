"""Scripts that call tools: each in an interpreter of its own, in the sandbox of its task."""

from __future__ import annotations

from typing import Any


class Scripting:
    """Runs scripts for calls of tools."""

    async def run(self, caller: Any, code: str, seconds: float | None) -> dict[str, Any]:
        """Run a script for a call, handed by its context, and return what it came to."""
        raise NotImplementedError
