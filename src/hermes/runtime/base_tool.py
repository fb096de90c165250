"""Tools that hold something open: set up on first use, closed with the runtime."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import Lazy, Spec, ToolEntry

EMPTY = {"type": "object", "properties": {}, "additionalProperties": False}


class BaseTool:
    """Derive from this for a tool with a life: ``setup`` at first, ``teardown`` at the end.

    ``parameters`` is a JSON Schema; ``params`` arrive fitted to it.
    """

    name: ClassVar[str] = ""
    description: ClassVar[str] = ""
    toolset: ClassVar[str] = "custom"
    parameters: ClassVar[dict[str, Any]] = EMPTY

    async def setup(self) -> None:
        """Open what the tool needs; called once, before its first run."""

    async def run(self, params: dict[str, Any], ctx: ToolContext) -> Any:
        """Do the work."""
        raise NotImplementedError

    async def teardown(self) -> None:
        """Close what setup opened; called when the runtime closes."""


class Openings:
    """Keep the BaseTools of one runtime: opened once, on first use, and closed with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tools: dict[type[BaseTool], _Opening] = {}

    async def run(self, kind: type[BaseTool], params: dict[str, Any], ctx: ToolContext) -> Any:
        """Run a tool, setting it up first when this is its first use."""
        with self._lock:
            opening = self._tools.setdefault(kind, _Opening(kind()))
        await opening.ready()
        return await opening.tool.run(params, ctx)

    @property
    def any_open(self) -> bool:
        """Whether there is anything to tear down."""
        return bool(self._tools)

    async def close(self) -> None:
        """Tear down every tool that was set up, last opened first."""
        while self._tools:
            _, opening = self._tools.popitem()
            await opening.close()


class _Opening:
    """One tool and whether it stands open; concurrent first uses wait for the same setup."""

    def __init__(self, tool: BaseTool) -> None:
        self.tool = tool
        self._turn = threading.Lock()
        self._open = False

    async def ready(self) -> None:
        if self._open:
            return
        async with load("hermes.runtime.bridge").turn(self._turn):
            if not self._open:
                await self.tool.setup()
                self._open = True

    async def close(self) -> None:
        if self._open:
            self._open = False
            await self.tool.teardown()


def entry_of_class(
    kind: type[BaseTool],
    name: str | None,
    description: str | None,
    toolset: str | None,
    traits: dict[str, Any],
) -> ToolEntry:
    """Return the entry of a BaseTool class; each runtime opens an instance of its own."""
    name = name or kind.name or kind.__name__
    if not isinstance(kind.parameters, dict):
        raise ConfigError(f"tool {name!r}: 'parameters' must be a JSON Schema dict")
    words = (
        description
        or kind.description
        or load("hermes.schema.docstrings").parse(kind.__doc__ or "").description
    )
    spec = Spec(words, {"type": "object", **kind.parameters})

    async def handler(args: dict[str, Any], *, ctx: ToolContext, **_: Any) -> Any:
        return await ctx.use(Openings).run(kind, args, ctx)

    return ToolEntry(
        name,
        toolset or kind.toolset,
        Lazy(lambda: handler),
        Lazy(lambda: spec),
        is_async=True,
        raw=True,
        **traits,
    )
