"""An open connection to a server, in plain values: what can be asked of it, and how it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, NoReturn, TypeVar, cast

import mcp_types as types
from mcp import Client, MCPError
from mcp.client.session import ElicitationFnT
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    REQUEST_TIMEOUT,
    URL_ELICITATION_REQUIRED,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from hermes.mcp.definitions import ServerDefinitions, ToolDefinition, Wire
from hermes.mcp.faults import Answered, Lost
from hermes.mcp.shortcut import Shortcut, Told
from hermes.runtime.bridge import on_own_loop
from hermes.schema.check import problems, sentences

T = TypeVar("T")
LOG_LEVEL: types.LoggingLevel = "info"
_MOST_PAGES = 100
_MOST_ITEMS = 10_000
_FORGOTTEN = "Session terminated"
_STAND_INS = ("Server returned an error", "Not Found", "Redirect to", _FORGOTTEN)
"""What the SDK says where the server's HTTP answer says nothing of the protocol."""
_AGAIN_SECONDS = 1.0


class Seen:
    """What was seen of the HTTP answer to one request, which the SDK does not tell."""

    __slots__ = ("status",)

    def __init__(self) -> None:
        self.status = 0


seen: ContextVar[Seen | None] = ContextVar("seen", default=None)
"""Where the status of an answer is noted for whoever asked."""


class Link:
    """Ask a connected server; every answer is a plain JSON object.

    Raises of each request:
        Answered: the server answered with an error.
        Lost: there will be no answer.
    """

    def __init__(
        self, client: Client, why: Callable[[], str], shortcut: Shortcut | None = None
    ) -> None:
        self._client = client
        self._why = why
        self._shortcut = shortcut
        self._asking: set[str] = set()
        """Tools that ask something back, which the SDK knows how to answer."""
        self.elicit: ElicitationFnT | None = None
        """Puts a question of the server to the person."""
        self.is_lost = False
        """Whether somebody found out that the connection is of no more use."""

    @property
    def reason(self) -> str:
        """Why the connection ended, as far as it is known."""
        return self._why()

    async def definitions(self) -> ServerDefinitions:
        """Return all that the server offers, every page of it."""
        client, can = self._client, self._client.server_capabilities
        info = client.server_info
        tools: tuple[Wire, ...] = ()
        resources: tuple[Wire, ...] = ()
        templates: tuple[Wire, ...] = ()
        prompts: tuple[Wire, ...] = ()
        if can.tools is not None:
            tools = await self._all(client.list_tools, "tools")
        if can.resources is not None:
            resources = await self._all(client.list_resources, "resources")
            templates = await self._all(
                client.list_resource_templates, "resource_templates", is_optional=True
            )
        if can.prompts is not None:
            prompts = await self._all(client.list_prompts, "prompts")
        return ServerDefinitions(
            _wire(info) if info is not None else {},
            client.instructions or "",
            client.protocol_version,
            tuple(map(ToolDefinition.from_wire, tools)),
            resources,
            templates,
            prompts,
            _wire(can),
        )

    async def call_tool(
        self, name: str, arguments: dict[str, Any], told: Told | None, schema: Wire | None = None
    ) -> Wire:
        """Call a tool; being cancelled cancels it there, too.

        May be called on any loop where the link ``is_direct``; otherwise on the loop of the link.
        A call that the person has to visit an address for first is repeated once they did.
        """
        try:
            return await self._called(name, arguments, told, schema)
        except Answered as error:
            if error.code != URL_ELICITATION_REQUIRED:
                raise
            if not await on_own_loop(self._visited(error.data)):
                raise
        return await self._called(name, arguments, told, schema)

    async def _visited(self, data: Any) -> bool:
        """Send the person to the addresses that a refusal names, and say whether they went."""
        wanted = data.get("elicitations") if isinstance(data, dict) else None
        if self.elicit is None or not isinstance(wanted, list) or not wanted:
            return False
        for one in wanted:
            try:
                params = types.ElicitRequestURLParams.model_validate(one)
            except ValidationError:
                return False
            answer: Any = await self.elicit(cast("Any", None), params)
            if getattr(answer, "action", "") != "accept":
                return False
        return True

    async def _called(
        self, name: str, arguments: dict[str, Any], told: Told | None, schema: Wire | None
    ) -> Wire:
        shortcut = self._shortcut
        if shortcut is None or name in self._asking:
            return await self._call_tool(name, arguments, told)
        said = await shortcut.ask("tools/call", {"name": name, "arguments": arguments}, told)
        if said.get("resultType") == "input_required":
            self._asking.add(name)
            return await on_own_loop(self._call_tool(name, arguments, told))
        _check_result(said, schema)
        return cast("Wire", said)

    @property
    def is_direct(self) -> bool:
        """Whether tools can be called on any loop."""
        return self._shortcut is not None

    async def _call_tool(self, name: str, arguments: dict[str, Any], told: Told | None) -> Wire:
        async def tell(progress: float, total: float | None, message: str | None) -> None:
            if told is not None:
                told(progress, total, message)

        callback = tell if told is not None else None
        calling = self._client.call_tool(name, arguments, progress_callback=callback)
        return _wire(await self._asked(calling))

    async def read_resource(self, uri: str) -> Wire:
        """Read a resource."""
        return _wire(await self._asked(self._client.read_resource(uri)))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Wire:
        """Fetch a prompt, filled in."""
        return _wire(await self._asked(self._client.get_prompt(name, arguments)))

    async def listen_to_logs(self) -> None:
        """Have a server of the older era tell what it logs, if it can."""
        client = self._client
        if (
            client.server_capabilities.logging is None
            or client.protocol_version in MODERN_PROTOCOL_VERSIONS
        ):
            return
        wanted = types.SetLevelRequest(params=types.SetLevelRequestParams(level=LOG_LEVEL))
        try:
            await self._asked(client.session.send_request(wanted, types.EmptyResult))
        except Answered:
            return  # it has no levels after all

    async def follow(self, on_change: Callable[[], object]) -> None:
        """Be told of changed lists by a server of the newer era, for as long as it lasts."""
        can = self._client.server_capabilities
        tools, prompts, resources = (
            bool(getattr(each, "list_changed", False))
            for each in (can.tools, can.prompts, can.resources)
        )
        is_modern = self._client.protocol_version in MODERN_PROTOCOL_VERSIONS
        if not is_modern or not (tools or prompts or resources):
            return
        while not self.is_lost:
            try:
                async with self._client.listen(
                    tools_list_changed=tools,
                    prompts_list_changed=prompts,
                    resources_list_changed=resources,
                ) as changes:
                    async for _ in changes:
                        on_change()
            except (MCPError, TimeoutError):
                return  # it offers no subscriptions, whatever it claims
            except RuntimeError:  # the stream broke; what happened meanwhile is not told again
                on_change()
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _all(
        self, ask: Callable[..., Awaitable[Any]], kind: str, *, is_optional: bool = False
    ) -> tuple[Wire, ...]:
        found: list[Wire] = []
        cursor, before = None, set[str]()
        for _ in range(_MOST_PAGES):
            try:
                page = await self._asked(ask(cursor=cursor))
            except Answered:
                if is_optional:
                    return tuple(found)
                raise
            found += [_wire(item) for item in getattr(page, kind)]
            cursor = page.next_cursor
            if cursor is None or cursor in before or len(found) >= _MOST_ITEMS:
                break
            before.add(cursor)
        return tuple(found[:_MOST_ITEMS])

    async def _asked(self, work: Awaitable[T]) -> T:
        noted = Seen()
        token = seen.set(noted)
        try:
            return await work
        except MCPError as error:
            self._fail(error, noted.status)
        except ValidationError as error:
            what = str(error).partition("\n")[0]
            raise Answered(
                INTERNAL_ERROR, f"its answer is not one of the protocol: {what}"
            ) from None
        except RuntimeError as error:  # an answer that does not fit what the tool promised
            raise Answered(INTERNAL_ERROR, str(error)) from None
        finally:
            seen.reset(token)

    def _fail(self, error: MCPError, status: int) -> NoReturn:
        code, message = error.error.code, error.error.message
        if status == 404 and message == _FORGOTTEN:
            self.is_lost = True
            raise Lost("the server has forgotten the session", was_refused=True) from None
        if status >= 300 and message.startswith(_STAND_INS):
            raise Answered(status, f"the server answered HTTP {status}: {message}") from None
        if code == CONNECTION_CLOSED:
            self.is_lost = self.is_lost or bool(self.reason)
            raise Lost(self.reason or message) from None
        if code == REQUEST_TIMEOUT:
            raise Lost(message) from None
        raise Answered(code, message, error.error.data) from None


def _wire(value: BaseModel) -> Wire:
    made: dict[str, Any] = value.model_dump(by_alias=True, mode="json", exclude_none=True)
    return made


def _check_result(said: Any, schema: Wire | None) -> None:
    """Refuse an answer that is none, or that does not fit what the tool promised.

    Raises:
        Answered: says what is wrong with it.
    """
    if not isinstance(said.get("content", []), list):
        raise Answered(INTERNAL_ERROR, "its answer is not one of the protocol: content is no list")
    if schema is None or said.get("isError"):
        return
    if "structuredContent" not in said:
        raise Answered(INTERNAL_ERROR, "its answer lacks the structured content that it promises")
    found = problems(schema, said["structuredContent"])
    if found:
        text = "; ".join(sentences(found))
        raise Answered(INTERNAL_ERROR, f"its answer does not fit what it promises: {text}")
