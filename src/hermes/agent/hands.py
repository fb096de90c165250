"""What an agent needs of the runtime beneath it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hermes.base.messages import Json
from hermes.runtime.context import Services, Task
from hermes.runtime.registry import ToolRegistry

Told = Callable[[int, tuple[str, str] | None], None]
"""Hears of a call by its place: None when it starts to run, then its answer and its code."""


class Hands(Protocol):
    """Tools on offer, and a way to have them called; ``hermes.Runtime`` is one."""

    @property
    def services(self) -> Services:
        """What tools work with."""

    @property
    def registry(self) -> ToolRegistry:
        """All tools by their names."""

    @property
    def gate(self) -> Any:
        """Where calls are judged and people are asked."""

    def definitions(self) -> list[Json]:
        """Return what a model is offered, in OpenAI's form."""

    async def call_many(
        self,
        tool_calls: Any,
        task_id: str | None = None,
        *,
        door: str = "python",
        user_task: str | None = None,
        told: Told | None = None,
    ) -> list[dict[str, Any]]:
        """Run the calls of one message and answer each, in order, under its id."""

    def task(self, task_id: str | None = None) -> Task:
        """Return a task by its id, made when it is new."""

    def end_task(self, task_id: str) -> None:
        """Forget everything that is kept for a task."""
