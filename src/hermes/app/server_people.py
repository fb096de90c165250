"""Who answers what MCP servers ask: those who answer for the calls that a server works for."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from hermes.base.optional import load
from hermes.mcp.people import Limits, People
from hermes.runtime.bridge import loop_thread

if TYPE_CHECKING:
    from hermes.app.runtime import Runtime
    from hermes.llm.contract import Model
    from hermes.mcp.sessions import Sessions

_LEVELS = {"debug": 10, "info": 20, "notice": 20, "warning": 30}
_TOLD_FROM = 20


class Answering:
    """Answer for one server of a runtime."""

    def __init__(self, runtime: Runtime, sessions: Sessions, server: str) -> None:
        self._runtime, self._sessions, self._server = runtime, sessions, server
        self._log = logging.getLogger(f"hermes.mcp.{server}")
        self._models: dict[str, Model] = {}
        self._limits = Limits()

    def people(self) -> People:
        """Return whom the server's requests come to."""
        approver, _ = self._runtime.people
        return People(
            approver=self._runtime.gate.approvals.ask,
            model_of=self.model,
            workspace_of=self.folders,
            on_log=self.log,
            on_progress=self.progress,
            open_url=getattr(approver, "open_url", None),
            form=getattr(approver, "form", None),
            task_of=self.task,
            limits=self._limits,
        )

    def task(self) -> str:
        """Return the task of the latest call that the server works on."""
        working = self._sessions.calls(self._server)
        return working[-1].task_id if working else f"mcp-{self._server}"

    def model(self, name: str) -> Model:
        """Return the model of a name; without one, that of the agent whose call is worked on."""
        found = None if name else self._model_of_agent()
        if found is not None:
            return found
        if name not in self._models:
            runtime = self._runtime
            open_model = load("hermes.app.models").open_model
            self._models[name] = open_model(name or None, runtime.settings, runtime.environment)
        return self._models[name]

    def _model_of_agent(self) -> Model | None:
        kind = load("hermes.agent.roster").Roster
        if not self._runtime.services.has(kind):
            return None
        roster = self._runtime.services.get(kind)
        agents = [roster.find(ctx.task_id) for ctx in self._sessions.calls(self._server)]
        return next((agent.model for agent in reversed(agents) if agent is not None), None)

    def folders(self) -> list[str]:
        """Return the folders of the tasks that the server works for."""
        found = [ctx.workspace for ctx in self._sessions.calls(self._server)]
        return list(dict.fromkeys(found)) or [self._runtime.cwd]

    def log(self, server: str, level: str, text: str) -> None:
        """Write down what the server logs, and tell whoever watches its latest call."""
        number = _LEVELS.get(level, logging.ERROR)
        self._log.log(number, "%s", text)
        if number >= _TOLD_FROM:
            self.progress(server, f"[{server} {level}] {text}")

    def progress(self, server: str, text: str) -> None:
        """Tell whoever watches the latest call how far it is."""
        for ctx in self._sessions.calls(server)[-1:]:
            ctx.progress(text)

    def close(self) -> None:
        """Let go of the models that were opened for the server."""
        models, self._models = self._models, {}
        for model in models.values():
            asyncio.run_coroutine_threadsafe(model.close(), loop_thread().loop)
