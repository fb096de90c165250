"""What a tool may do with the MCP client that called it: ask it, tell it, show how far it is."""

from __future__ import annotations

from typing import Any, ClassVar

from hermes.base.errors import ToolError
from hermes.mcp.serving.caller import CURRENT, Caller
from hermes.mcp.serving.wire import LEVELS, Json, RpcError, Wire, is_since
from hermes.runtime.context import ToolContext

_NOBODY = "Do without it, or call the tool from an MCP client."


class McpClient:
    """Reach the MCP client whose call is running: ``ctx.use(McpClient)``.

    What a client does not support is answered to it as the protocol wants; a handler need not
    catch it.
    """

    provided_by: ClassVar[str] = "`hermes mcp serve`"

    def __init__(self) -> None:
        self._callers: dict[str, Caller] = {}

    def begin(self, call_id: str, caller: Caller) -> None:
        """Remember whose call it is."""
        self._callers[call_id] = caller

    def end(self, call_id: str) -> None:
        """Forget a call."""
        self._callers.pop(call_id, None)

    def of(self, call_id: str) -> Caller | None:
        """Return who made a call, or the call that it is made for, if that came from a client."""
        return self._callers.get(call_id) or CURRENT.get()

    def capabilities(self, ctx: ToolContext) -> Wire:
        """Return what the client declared that it can do."""
        return dict(self._caller(ctx).client.capabilities)

    def can(self, ctx: ToolContext, capability: str) -> bool:
        """Say whether the client can be asked: ``elicitation``, ``sampling`` or ``roots``."""
        return self._caller(ctx).client.can(capability)

    async def elicit(
        self, ctx: ToolContext, message: str, schema: Wire, *, key: str = ""
    ) -> dict[str, Any]:
        """Have the client show a form to its person; returns ``action`` and ``content``."""
        params = {"message": message, "requestedSchema": schema}
        if is_since(self._caller(ctx).client.version, "2025-11-25"):
            params = {"mode": "form", **params}
        return await self.ask(ctx, "elicitation/create", params, key=key)

    async def sample(self, ctx: ToolContext, params: Wire, *, key: str = "") -> dict[str, Any]:
        """Have the client's model go on with messages: ``messages``, ``maxTokens`` and so on."""
        return await self.ask(ctx, "sampling/createMessage", params, key=key)

    async def roots(self, ctx: ToolContext, *, key: str = "") -> list[dict[str, Any]]:
        """Return the folders that the client works in."""
        found = (await self.ask(ctx, "roots/list", {}, key=key)).get("roots")
        return found if isinstance(found, list) else []

    async def ask(
        self, ctx: ToolContext, method: str, params: Wire, *, key: str = ""
    ) -> dict[str, Any]:
        """Ask the client with any method that it takes, and return its result.

        Raises:
            ToolError: it cannot be asked, or answered with an error.
        """
        caller = self._caller(ctx)
        try:
            return await caller.ask(method, params, key)
        except RpcError as error:
            if caller.client.is_modern:
                caller.refusal = error
            raise ToolError(error.message, hint=_NOBODY, code="client_error") from error

    def log(self, ctx: ToolContext, level: str, data: Json, *, logger: str = "") -> None:
        """Pass on something worth knowing to the client, if it wants to know of such."""
        if level not in LEVELS:
            raise ToolError(f"there is no level {level!r}", hint=f"Levels: {', '.join(LEVELS)}.")
        self._caller(ctx).log(level, data, logger)

    def progress(
        self, ctx: ToolContext, done: float, total: float | None = None, message: str = ""
    ) -> None:
        """Tell the client in numbers how far the call has come."""
        self._caller(ctx).progress(message, done=done, total=total)

    def _caller(self, ctx: ToolContext) -> Caller:
        caller = self.of(ctx.call_id)
        if caller is None:
            raise ToolError("no MCP client made this call", hint=_NOBODY, code="client_error")
        return caller
