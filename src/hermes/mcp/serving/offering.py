"""What is served: a runtime's tools, and resources and prompts, as plain values of the wire.

No transport is known here. One hands in requests with who made them, and takes results out.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from hermes.base import json
from hermes.base.errors import UnknownTool
from hermes.mcp.serving import methods
from hermes.mcp.serving.answers import Shape, shaped
from hermes.mcp.serving.caller import CURRENT, Caller
from hermes.mcp.serving.changes import KINDS, Changes, Listener
from hermes.mcp.serving.exchanges import Exchanges
from hermes.mcp.serving.facts import Facts
from hermes.mcp.serving.library import Library
from hermes.mcp.serving.shelves import Prompts, Shelf
from hermes.mcp.serving.talking import McpClient
from hermes.mcp.serving.wire import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SUBSCRIPTION_KEY,
    Json,
    RpcError,
    Wire,
    invalid,
    object_of,
    text_of,
)
from hermes.runtime.bridge import aside
from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.registry import ToolRegistry

_UNKNOWN = frozenset({"unknown_tool", "not_offered"})


class Served(Protocol):
    """What is needed of a runtime."""

    registry: ToolRegistry
    services: Services

    def definitions(self, *, format: str) -> list[dict[str, Any]]:
        """Return what is on offer, up to date."""

    async def call(
        self, name: str, args: Any, task_id: str | None, *, call_id: str | None, door: str | None
    ) -> str:
        """Call a tool and return its answer, a JSON object as text."""

    def task(self, task_id: str | None) -> Task:
        """Return a task by its id."""


class Offering:
    """Answer the requests of clients."""

    def __init__(
        self,
        runtime: Served,
        facts: Facts,
        clients: McpClient,
        *,
        prefix: str = "mcp-",
        shelves: Sequence[Shelf] = (),
        prompts: Sequence[Prompts] = (),
    ) -> None:
        """Serve a runtime; the ids of its calls begin with ``prefix``."""
        self.facts = facts
        self._library = Library(shelves, prompts)
        self._prefix = prefix
        self.told_tools: list[Wire] | None = None
        """The tools that a client was told of before anything else."""
        self.before_calls: list[Callable[[Caller], None]] = []
        """Told of every call's caller before it runs."""
        self._runtime = runtime
        self._clients = clients
        self._count = itertools.count(1)
        self._exchanges = Exchanges()
        self._changes: Changes | None = None
        runtime.services.on_progress = self._on_progress
        runtime.services.provide(McpClient, lambda: clients)

    @property
    def changes(self) -> Changes:
        """Who is told of changes; made on the loop, by the first who listens."""
        if self._changes is None:
            told = self.told_tools
            seen = {
                "tools": self._runtime.definitions(format="mcp") if told is None else told,
                "prompts": self._library.prompts(),
            }
            self._changes = Changes(self._looks, aside, seen)
        return self._changes

    def answer(self, method: str, params: Wire, caller: Caller) -> Wire | Awaitable[Wire]:
        """Return the result of a request, at once where nothing has to be waited for.

        Raises:
            RpcError: there is no such method in the client's era, or it cannot be done.
        """
        name = methods.handler(method, caller.client.version)
        if name is None:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}", method)
        work: Callable[[Wire, Caller], Any] = getattr(self, name)
        if name in methods.AT_ONCE:
            return self.facts.finished(method, work(params, caller), caller.client)
        return self._later(method, work, params, caller)

    async def _later(
        self, method: str, work: Callable[[Wire, Caller], Any], params: Wire, caller: Caller
    ) -> Wire:
        return self.facts.finished(method, await work(params, caller), caller.client)

    def schema_of(self, name: str) -> Wire | None:
        """Return what a tool takes, as clients are told; None for one that is not there."""
        found = self._runtime.definitions(format="mcp")
        return next((one["inputSchema"] for one in found if one["name"] == name), None)

    def close(self) -> None:
        """Give up what waits, and end what listens."""
        self._exchanges.close()
        if self._changes is not None:
            self._changes.close()

    def on_ping(self, params: Wire, caller: Caller) -> Wire:  # noqa: ARG002 - every method's form
        """Answer that we are there."""
        return {}

    def on_discover(self, params: Wire, caller: Caller) -> Wire:  # noqa: ARG002 - every method's form
        """Say what we speak and can do."""
        return self.facts.discovered()

    def on_level(self, params: Wire, caller: Caller) -> Wire:
        """Note what a client wants to hear of what is logged."""
        caller.client.level = methods.level_of(params)
        return {}

    def on_tools(self, params: Wire, caller: Caller) -> Wire:  # noqa: ARG002 - every method's form
        """Return a page of the tools."""
        return self.facts.paged("tools", self._runtime.definitions(format="mcp"), params)

    async def on_call(self, params: Wire, caller: Caller) -> Wire:
        """Have a tool called."""
        name, arguments = text_of(params, "name"), object_of(params, "arguments")
        work = functools.partial(self._call, name, arguments)
        try:
            return await self._exchanges.run("tools/call", params, caller, work)
        finally:
            if self._changes is not None:
                self._changes.stir()

    async def _call(self, name: str, arguments: Wire, caller: Caller) -> Wire:
        call_id = f"{self._prefix}{next(self._count)}"
        for tell in self.before_calls:
            tell(caller)
        self._clients.begin(call_id, caller)
        CURRENT.set(caller)
        task_id = caller.client.task_id
        try:
            answer = await self._runtime.call(name, arguments, task_id, call_id=call_id, door="mcp")
        finally:
            self._clients.end(call_id)
            caller.close()
        if answer[:10] == '{"error":"':
            _refuse_unknown(answer)
        places = (
            (self._runtime.task(task_id).root, self.facts.results) if '"parts"' in answer else ()
        )
        return shaped(answer, Shape(caller.client.version, self._promised(name), places))

    def _promised(self, name: str) -> Mapping[str, Any] | None:
        """Return how a tool promises that its answers are built, if it does."""
        try:
            return self._runtime.registry.find(name)[0].output_schema
        except UnknownTool:  # it was taken out while it ran
            return None

    def _on_progress(self, ctx: ToolContext, text: str) -> None:
        caller = self._clients.of(ctx.call_id)
        if caller is not None:
            caller.progress(text)

    async def on_resources(self, params: Wire, caller: Caller) -> Wire:  # noqa: ARG002 - every method's form
        """Return a page of the resources."""
        return self.facts.paged("resources", await aside(self._library.resources), params)

    def on_templates(self, params: Wire, caller: Caller) -> Wire:  # noqa: ARG002 - every method's form
        """Return a page of the templates of resources."""
        return self.facts.paged("resourceTemplates", self._library.templates(), params)

    async def on_read(self, params: Wire, caller: Caller) -> Wire:
        """Read a resource."""
        work = functools.partial(self._library.read, text_of(params, "uri"))
        return await self._exchanges.run("resources/read", params, caller, work)

    def on_subscribe(self, params: Wire, caller: Caller) -> Wire:
        """Tell a client from now on when a resource changed."""
        uri = text_of(params, "uri")
        if len(caller.client.subscribed) >= methods.MOST_SUBSCRIBED:
            raise invalid(f"{methods.MOST_SUBSCRIBED} resources are subscribed to already")
        self.changes.note(uri, self._library.stamp(uri))
        caller.client.subscribed.add(uri)
        return {}

    def on_unsubscribe(self, params: Wire, caller: Caller) -> Wire:
        """Tell a client no longer when a resource changed."""
        caller.client.subscribed.discard(text_of(params, "uri"))
        return {}

    def on_prompts(self, params: Wire, caller: Caller) -> Wire:  # noqa: ARG002 - every method's form
        """Return a page of the prompts."""
        return self.facts.paged("prompts", self._library.prompts(), params)

    async def on_prompt(self, params: Wire, caller: Caller) -> Wire:
        """Return a prompt's messages."""
        name, arguments = text_of(params, "name"), object_of(params, "arguments")
        if not all(isinstance(value, str) for value in arguments.values()):
            raise invalid("the arguments of a prompt must be texts")
        work = functools.partial(self._library.prompt, name, arguments)
        return await self._exchanges.run("prompts/get", params, caller, work)

    async def on_complete(self, params: Wire, caller: Caller) -> Wire:  # noqa: ARG002 - every method's form
        """Return the values that an argument may go on to."""
        return {"completion": await self._library.complete(*methods.completion_of(params))}

    async def listen(self, params: Wire, caller: Caller, id: Json) -> Wire:
        """Tell a client of what it wants to hear of, until it leaves or the server ends."""
        wanted = methods.wanted_of(params)
        meta = {SUBSCRIPTION_KEY: id}
        kinds = frozenset(kind for kind in KINDS if wanted.get(f"{kind}ListChanged") is True)
        uris = frozenset(wanted.get("resourceSubscriptions", ()))

        def tell(method: str, body: Wire) -> None:
            caller.tell(method, {**body, "_meta": meta})

        for uri in uris:  # how things are now is noted before the client can count on it
            self.changes.note(uri, self._library.stamp(uri))
        changes = self.changes
        tell("notifications/subscriptions/acknowledged", {"notifications": wanted})
        stop = changes.listen(Listener(kinds, lambda: uris, tell))
        try:
            await changes.closing.wait()
        finally:
            stop()
        return self.facts.finished("subscriptions/listen", {"_meta": meta}, caller.client)

    def _looks(self, uris: Collection[str]) -> dict[str, Json]:
        return {
            "tools": self._runtime.definitions(format="mcp"),
            "resources": self._library.addresses(),
            "prompts": self._library.prompts(),
            **{uri: self._library.stamp(uri) for uri in uris},
        }


def _refuse_unknown(answer: str) -> None:
    """Raise the protocol's own error for a tool that is not there."""
    value = json.decode(answer)
    if value.get("code") in _UNKNOWN:
        hint = value.get("hint")
        text = f"{value['error']}. {hint}" if hint else value["error"]
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {text}")
