"""Agents on a runtime: their model, their services, their session, their prompt."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from hermes.agent.loop import Agent
from hermes.agent.options import AgentOptions
from hermes.agent.prompt import build, project_instructions, surroundings
from hermes.agent.recording import Begun, Recorder
from hermes.agent.roster import Roster
from hermes.base.messages import Message
from hermes.base.optional import load
from hermes.llm.contract import Model

if TYPE_CHECKING:
    from hermes.agent.budget import Budget
    from hermes.app.runtime import Runtime

Kept = str | Recorder | Literal[False] | None
"""Which session: one to resume, by id or title, one that is open, none at all, or a new one."""


def make_agent(
    runtime: Runtime,
    model: str | Model | None = None,
    *,
    session: Kept = None,
    task_id: str | None = None,
    system: str | None = None,
    budget: Budget | None = None,
    options: AgentOptions | None = None,
    source: str = "python",
) -> Agent:
    """Return an agent that works with a runtime's tools, remembers, and is recorded.

    Without a model the one that is configured or found is opened, and closed with the agent. A
    ``session`` is the id or title of one to resume, or False to record nothing.
    """
    load("hermes.app.agent_services").provide(runtime)
    if runtime.joined is not None:
        runtime.joined.wait_for_unseen()
    task = task_id or f"agent-{secrets.token_hex(6)}"
    chosen = _options(runtime, task, options)
    if model is None or isinstance(model, str):
        model = _opened(runtime, model)
        chosen = replace(chosen, closes_model=True)
    prompt = _prompt(runtime, task) if system is None else system
    about = {"model": model.name, "source": source, "system": prompt}
    recorder = _recorder(runtime, session, task, about)
    earlier = recorder.messages() if recorder is not None and _is_kept(recorder) else ()
    _recall(runtime, task, earlier)
    agent = Agent(
        runtime,
        model,
        task_id=task,
        system=prompt,
        session=recorder,
        budget=budget,
        options=chosen,
        earlier=earlier,
    )
    runtime.services.get(Roster).add(agent)
    return agent


def _recall(runtime: Runtime, task_id: str, earlier: Sequence[Message]) -> None:
    """Take up the plan of a conversation that goes on."""
    if earlier:
        answers = (message.text for message in reversed(earlier) if message.role == "tool")
        runtime.services.get(load("hermes.services.todo").Todos).recall(task_id, answers)


def _is_kept(recorder: Any) -> bool:
    """Say whether a recorder can tell what was said before."""
    return callable(getattr(recorder, "messages", None))


def _recorder(runtime: Runtime, session: Kept, task_id: str, about: dict[str, Any]) -> Any:
    if session is False or (session is None and not runtime.settings.agent.record):
        return None
    if session is not None and not isinstance(session, str):
        return session
    sessions = runtime.services.get(load("hermes.services.sessions").Sessions)
    if session is not None:
        return sessions.resume(session, task_id=task_id)
    folder = runtime.task(task_id).root

    def begin() -> Any:
        tools = runtime.definitions()
        return sessions.start(task_id=task_id, workspace=folder, tools=tools, **about)

    return Begun(begin)


def _prompt(runtime: Runtime, task_id: str) -> str:
    """Return the system prompt as it stays for the whole session."""
    folder = runtime.task(task_id).root
    memories = runtime.services.get(load("hermes.services.memory").Memories)
    today = datetime.datetime.now().astimezone().date()
    return build(
        surroundings(folder, day=today.isoformat()),
        instructions=project_instructions(folder),
        memory=memories.snapshot(task_id),
        has_tools=bool(runtime.definitions()),
    )


def _options(runtime: Runtime, task_id: str, given: AgentOptions | None) -> AgentOptions:
    settings = runtime.settings.agent
    chosen = given or AgentOptions(
        rounds=settings.max_rounds,
        tokens=settings.max_tokens,
        compact_at=settings.compact_percent / 100,
    )
    todos = load("hermes.services.todo").Todos

    def open_todos() -> str:
        found = runtime.services.get(todos).open(task_id)
        return "\n".join(f"- [{todo.status}] {todo.content}" for todo in found)

    folders = (str(runtime.settings.home / "results"), runtime.task(task_id).root)
    return replace(chosen, reminder=open_todos, picture_folders=folders)


def _opened(runtime: Runtime, name: str | None) -> Model:
    models = load("hermes.app.models")
    model: Model = models.open_model(name, runtime.settings, runtime.environment)
    return model
