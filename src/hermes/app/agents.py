"""Agents on a runtime: their model, their services, their session, their prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes.agent.budget import Budget
from hermes.agent.loop import Agent
from hermes.agent.options import AgentOptions
from hermes.agent.recording import Recorder
from hermes.base.messages import Message
from hermes.base.optional import load
from hermes.llm.contract import Model

if TYPE_CHECKING:
    from hermes.app.runtime import Runtime


def make_agent(
    runtime: Runtime,
    model: str | Model | None = None,
    *,
    task_id: str | None = None,
    system: str | None = None,
    session: Recorder | None = None,
    budget: Budget | None = None,
    options: AgentOptions | None = None,
    earlier: Sequence[Message] = (),
) -> Agent:
    """Return an agent that works with a runtime's tools."""
    chosen = options or AgentOptions()
    load("hermes.app.agent_services").provide(runtime)
    agent = Agent(
        runtime,
        _opened(runtime, model) if model is None or isinstance(model, str) else model,
        task_id=task_id,
        system=system,
        session=session,
        budget=budget,
        options=chosen,
        earlier=earlier,
    )
    load("hermes.app.children").adopt(runtime, agent)
    return agent


def _opened(runtime: Runtime, name: str | None) -> Model:
    models = load("hermes.app.models")
    model: Model = models.open_model(name, runtime.settings, runtime.environment)
    return model
