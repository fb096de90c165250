"""The runtime: everything a program needs to offer tools and to have them called."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from hermes import tools
from hermes.app.grouping import toolsets_of, within
from hermes.app.profiles import PERMISSIONS_FILE, resolve_profile
from hermes.base.optional import load
from hermes.base.text import said
from hermes.config.environment import live
from hermes.config.load import load as load_settings
from hermes.runtime.availability import Availability
from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.discovery import discover
from hermes.runtime.offer import Catalogue, Deferral, Definition, Names, Offer, ToolStatus
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.registry import registry as process_registry
from hermes.runtime.sources import Source

if TYPE_CHECKING:
    from pathlib import Path

    from hermes.agent.loop import Agent
    from hermes.app.calling import Calling
    from hermes.llm.contract import Model
    from hermes.runtime.approvals import ApprovalRequest
    from hermes.runtime.journal import Journal
    from hermes.runtime.search import Hit

_LOOK_AGAIN_SECONDS = 0.1
_MOST_TASKS = 10_000
_new = object.__new__


class Runtime:
    """Offer tools to a model and run what it calls.

    A context manager, sync or async; ``close`` it when done. Everything that a call needs is made
    by the first call, so a runtime that only lists tools starts at once.
    """

    def __init__(
        self,
        profile: str | Mapping[str, Any] | None = None,
        toolsets: Sequence[str] | None = None,
        cwd: str | Path | None = None,
        approver: Callable[[ApprovalRequest], Awaitable[Any]] | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        registry: ToolRegistry | None = None,
        restrict: Mapping[str, Any] | None = None,
        consult: Callable[[ApprovalRequest], Awaitable[str]] | None = None,
    ) -> None:
        self.settings = load_settings(overrides=config)
        self.environment = live()
        self.registry = process_registry if registry is None else registry
        self.services = Services()
        self.profile = resolve_profile(self.settings, profile, restrict)
        """The profile that was chosen; None when it is the one that ships as default."""
        self.people = (approver, consult)
        """Who answers when a rule wants a yes, and the model that may answer for them."""
        self.cwd = os.path.abspath(cwd or os.curdir)  # noqa: PTH100 - a start loads no pathlib
        self._tasks: dict[str, Task] = {}
        self._broken: list[tuple[str, str]] = []
        self._faults: dict[str, str] = {}
        self._sources: list[Source] = []
        self.joined: Any = None
        self._yaml_folder: str | None = None
        self._look_at = 0.0
        self._calling: Calling | None = None
        self._starting = threading.Lock()
        if registry is None:
            self._find_tools()
        if self.settings.mcp_servers:
            self.joined = load("hermes.app.servers").Joined(self)
            self.add_source(self.joined)
        self.toolsets = toolsets_of(self.registry, self.settings)
        chosen = self.settings.tools.enabled if toolsets is None else toolsets
        self._enabled: Names = [chosen] if isinstance(chosen, str) else list(chosen)
        self._disabled: Names = list(self.settings.tools.disabled)
        self.offer = self._make_offer()
        self.offer.services = self.services
        self.services.provide_named(
            "hermes.services.scripting.scope:Scope",
            lambda: load("hermes.app.script_tools").scope(self.settings, self.toolsets),
        )
        self.services.provide(
            Catalogue, lambda: Catalogue(self.offer, self._enabled, self._disabled)
        )
        self.toolsets.resolve_all(self._enabled, self._disabled)  # a misspelt name is told at once
        if self.settings.terminal.environment != "local":
            load("hermes.app.backends").find(self.settings.terminal.environment)

    def _find_tools(self) -> None:
        found = discover(tools, f"{self.settings.folder}/cache/tools")
        self._broken = found.problems
        for entry in found.entries:
            if entry.name not in self.registry:
                self.registry.add(entry)
        self._yaml_folder = f"{self.settings.folder}/tools"
        self.refresh()

    def _make_offer(self) -> Offer:
        settings = self.settings.tools
        availability = Availability(
            lambda: self.environment, ttl_seconds=settings.check_ttl_seconds
        )
        return Offer(
            self.registry,
            self.toolsets,
            availability,
            deferral=Deferral(tuple(settings.defer), settings.defer_over_tokens),
            ttl_seconds=settings.check_ttl_seconds,
            strict=self.settings.model.strict_schemas,
        )

    def add_source(self, source: Source) -> None:
        """Bring in the tools of a source and keep them up to date."""
        self._sources.append(source)
        source.refresh(self.registry)

    def refresh(self) -> None:
        """Bring the tools of all sources up to date."""
        self._look_at = time.monotonic() + _LOOK_AGAIN_SECONDS
        if self._yaml_folder is not None and os.path.isdir(self._yaml_folder):  # noqa: PTH112
            folder = self.settings.home / "tools"
            self._sources.append(load("hermes.runtime.yaml_tools").YamlSource(folder))
            self._yaml_folder = None
        for source in self._sources:
            try:
                source.refresh(self.registry)
                self._faults.pop(source.name, None)
            except Exception as error:  # one source that breaks must not stop the others' tools
                self._faults[source.name] = said(error) or type(error).__name__

    def _look(self) -> None:
        if time.monotonic() > self._look_at:
            self.refresh()

    def definitions(
        self, enabled: Names = None, disabled: Names = None, *, format: str = "openai"
    ) -> list[Definition]:
        """Return what a model is offered, in a provider's format.

        Without lists of toolsets, the runtime's own are meant. Read the dicts, do not change them.
        """
        self._look()
        if self.joined is not None:
            self.joined.begin_unseen()
        if enabled is None:
            enabled = self._enabled
        if disabled is None:
            disabled = self._disabled
        return self.offer.definitions(enabled, disabled, format=format)

    def status(self) -> list[ToolStatus]:
        """Return every tool with whether it can run here now, and why not."""
        self._look()
        return self.offer.status()

    def search(self, query: str, limit: int = 5) -> list[Hit]:
        """Return the tools that best match a few words."""
        self._look()
        return self.offer.index().search(query, limit=limit)

    def problems(self) -> list[tuple[str, str]]:
        """Return where and what is wrong with tools that could not be brought in."""
        self._look()
        of_sources = [problem for source in self._sources for problem in source.problems]
        if self.profile is not None and self.profile.refusal:
            of_sources.append((PERMISSIONS_FILE, self.profile.refusal))
        return [*self._broken, *self._faults.items(), *of_sources, *self.offer.problems()]

    def register_yaml(self, path: str | Path, *, replace: bool = False) -> list[str]:
        """Check a YAML tool file, keep a copy in the home's tools folder, and load it."""
        yaml_tools = load("hermes.runtime.yaml_tools")
        folder = self.settings.home / "tools"
        file = load("pathlib").Path(path).expanduser()
        names: list[str] = yaml_tools.install(
            file, folder, replace=replace, owner=self.registry.get
        )
        if not any(source.name == f"yaml:{folder}" for source in self._sources):
            self._yaml_folder = f"{self.settings.folder}/tools"
        self.refresh()
        return names

    async def call(
        self,
        name: str,
        args: Any = None,
        task_id: str | None = None,
        *,
        call_id: str | None = None,
        door: str | None = None,
        user_task: str | None = None,
        timeout_seconds: float | None = None,
    ) -> str:
        """Call a tool on the running loop and return its answer, always a JSON object as text."""
        calling = self._calling or self._start()
        ctx = self._context(calling, task_id, call_id)
        joined = self.joined
        if joined and (server := joined.unseen(name)) and (trouble := await joined.meet(server)):
            return calling.dispatcher.refuse(name, args, ctx, trouble)[0]
        if door or user_task or timeout_seconds:
            ctx.come_by(door, user_task, timeout_seconds)
        answer = calling.dispatcher.call(name, args, ctx, calling.on_loop)
        if type(answer) is tuple:  # answered at once; the commonest case comes cheapest
            return answer[0]
        return (await cast("Awaitable[tuple[str, str]]", answer))[0]

    def call_sync(
        self,
        name: str,
        args: Any = None,
        task_id: str | None = None,
        *,
        call_id: str | None = None,
        door: str | None = None,
        user_task: str | None = None,
        timeout_seconds: float | None = None,
    ) -> str:
        """Call a tool from synchronous code; a tool without a timeout runs in this very thread."""
        calling = self._calling or self._start()
        ctx = self._context(calling, task_id, call_id)
        joined = self.joined
        if joined and (server := joined.unseen(name)) and (trouble := joined.met(server)):
            return calling.dispatcher.refuse(name, args, ctx, trouble)[0]
        if door or user_task or timeout_seconds:
            ctx.come_by(door, user_task, timeout_seconds)
        answer = calling.dispatcher.call(name, args, ctx, calling.here)
        if type(answer) is tuple:
            return answer[0]
        return calling.wait(cast("Awaitable[tuple[str, str]]", answer))[0]

    async def call_many(
        self,
        tool_calls: Any,
        task_id: str | None = None,
        *,
        door: str = "python",
        user_task: str | None = None,
        told: Callable[[int, tuple[str, str] | None], None] | None = None,
    ) -> list[dict[str, Any]]:
        """Run the calls of one message and answer each, in order, under its id.

        ``told`` hears of each, by its place, when it starts to run (None) and when it is answered.
        """
        calling = self._calling or self._start()

        def make(call_id: str) -> ToolContext:
            ctx = self._context(calling, task_id, call_id)
            ctx.door = door
            ctx.user_task = user_task
            return ctx

        hearing = (told,) if told else ()
        return await calling.run_calls(calling.dispatcher, tool_calls, make, *hearing)

    async def tool_results(
        self, message: Any, task_id: str | None = None, *, door: str = "python"
    ) -> dict[str, Any]:
        """Run the calls of a message in any dialect; answer ``{"tool_results": […]}``."""
        protocol = load("hermes.runtime.protocol")
        calls = protocol.as_plain(protocol.read(message))
        found: dict[str, Any] = protocol.results(await self.call_many(calls, task_id, door=door))
        return found

    def call_many_sync(
        self, tool_calls: Any, task_id: str | None = None, *, door: str = "python"
    ) -> list[dict[str, Any]]:
        """Run the calls of one message from synchronous code."""
        calling = self._calling or self._start()
        many = self.call_many(tool_calls, task_id, door=door)
        answers: list[dict[str, Any]] = calling.submit(many).result()
        return answers

    def _context(self, calling: Calling, task_id: str | None, call_id: str | None) -> ToolContext:
        if self._sources and time.monotonic() > self._look_at:
            self.refresh()
        task = self._tasks.get(task_id or "default") or self.task(task_id)
        ctx: ToolContext = _new(ToolContext)  # spares every call the constructor's own call
        ctx.task = task
        ctx.call_id = call_id or f"{calling.prefix}{next(calling.count)}"
        ctx.services = self.services
        return ctx

    def agent(self, model: str | Model | None = None, **choices: Any) -> Agent:
        """Return an agent that works with these tools; without a model, the one configured.

        Its ``choices`` are those of ``hermes.app.agents.make_agent``; close it before the runtime.
        """
        agent: Agent = load("hermes.app.agents").make_agent(self, model, **choices)
        return agent

    def task(self, task_id: str | None = None) -> Task:
        """Return a task by its id; a new one starts in the runtime's folder."""
        name = task_id or "default"
        if len(self._tasks) >= _MOST_TASKS:
            self.end_task(next(iter(self._tasks)))
        return self._tasks.setdefault(name, Task(name, load("pathlib").Path(self.cwd)))

    def use_environment(self, name: str, task_id: str | None = None) -> None:
        """Have the commands of a task run in a backend of its own, from its first command on.

        Raises:
            ConfigError: there is no such backend, or the task's commands run elsewhere already.
        """
        self._calling or self._start()
        load("hermes.app.terminals").choose(self.services, self.settings, self.task(task_id), name)

    def end_task(self, task_id: str) -> None:
        """Forget everything that is kept for a task."""
        self._tasks.pop(task_id, None)
        self.services.forget(task_id)
        if self._calling is not None:
            self._calling.dispatcher.gate.approvals.forget(task_id)

    def _start(self) -> Calling:
        with self._starting:
            return self._calling or self._make_calling()

    def _make_calling(self) -> Calling:
        half = load("hermes.app.calling")
        ground = half.Ground(self.settings, self.environment, self.registry, self.services)
        calling: Calling = half.start(ground, self.profile, half.People(*self.people))
        calling.dispatcher.permitted = within(
            self.toolsets, self.registry, self._enabled, self._disabled
        )
        calling.dispatcher.unavailable = self.offer.availability.reason
        calling.dispatcher.look_again = self.refresh
        calling.dispatcher.is_checked = self.offer.availability.is_known
        self._calling = calling
        return calling

    @property
    def journal(self) -> Journal:
        """The journal of this runtime's home, for reading; calls are written by the pipeline."""
        if self._calling is not None and self._calling.journal is not None:
            return self._calling.journal
        journal: Journal = load("hermes.runtime.journal").Journal(self.settings.home / "state.db")
        return journal

    @property
    def hooks(self) -> Any:
        """The hook points of this runtime: ``runtime.hooks.add("pre_tool_call", function)``."""
        return (self._calling or self._start()).dispatcher.hooks

    @property
    def gate(self) -> Any:
        """The gate of this runtime, where judges are added."""
        return (self._calling or self._start()).dispatcher.gate

    def close(self) -> None:
        """Tear down opened tools, close services, and write down what is still to be written."""
        for source in self._sources:
            source.close()
        calling, self._calling = self._calling, None
        if calling is not None:
            calling.close()
        self.services.close()

    async def aclose(self) -> None:
        """Close from asynchronous code."""
        calling = self._calling
        if calling is not None:
            await calling.teardown()
        await self.services.aclose()
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
