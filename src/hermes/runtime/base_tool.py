"""Tools that hold something open: set up on first use, closed with the runtime."""

from __future__ import annotations

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
    """Keep the BaseTools of one runtime: opened once, on first use, and closed with it.

    They live on the process's own loop, whichever door a call comes in by, because a connection
    that one loop opened is of no use to another.
    """

    def __init__(self) -> None:
        self._tools: dict[type[BaseTool], _Opening] = {}

    async def run(self, kind: type[BaseTool], params: dict[str, Any], ctx: ToolContext) -> Any:
        """Run a tool, setting it up first when this is its first use."""
        return await load("hermes.runtime.bridge").on_own_loop(self._run(kind, params, ctx))

    async def _run(self, kind: type[BaseTool], params: dict[str, Any], ctx: ToolContext) -> Any:
        opening = self._tools.get(kind)
        if opening is None:
            opening = self._tools[kind] = _Opening(kind())
        await opening.ready()
        return await opening.tool.run(params, ctx)

    @property
    def any_open(self) -> bool:
        """Whether there is anything to tear down."""
        return bool(self._tools)

    async def teardown(self) -> None:
        """Tear down every tool that was set up, last opened first; a fault stops none."""
        await load("hermes.runtime.bridge").on_own_loop(self._teardown())

    async def _teardown(self) -> None:
        while self._tools:
            kind, opening = self._tools.popitem()
            try:
                await opening.close()
            except Exception:
                load("logging").getLogger("hermes.tools").exception(
                    "%s did not close", kind.__name__
                )


class _Opening:
    """One tool and whether it stands open; concurrent first uses wait for the same setup."""

    def __init__(self, tool: BaseTool) -> None:
        self.tool = tool
        self._turn = load("asyncio").Lock()
        self._is_open = False

    async def ready(self) -> None:
        if self._is_open:
            return
        async with self._turn:
            if not self._is_open:
                await self.tool.setup()
                self._is_open = True

    async def close(self) -> None:
        if self._is_open:
            self._is_open = False
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
