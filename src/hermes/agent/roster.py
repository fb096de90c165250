"""Which agents work on a runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes.agent.loop import Agent


class Roster:
    """Know the agents of a runtime by their tasks, until those end."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {}

    def add(self, agent: Agent) -> None:
        """Note an agent."""
        self._agents[agent.task_id] = agent

    def find(self, task_id: str) -> Agent | None:
        """Return the agent of a task, if it has one."""
        return self._agents.get(task_id)

    def forget(self, task_id: str) -> None:
        """Drop the agent of a task that ends."""
        self._agents.pop(task_id, None)
