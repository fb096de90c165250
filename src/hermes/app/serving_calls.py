"""What `hermes mcp serve` needs beyond its first words: calls, questions, resources, a loop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.app import agent_services
from hermes.base.optional import load
from hermes.mcp.serving.asking import Asking, form
from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.offering import Offering
from hermes.mcp.serving.talking import McpClient
from hermes.runtime.bridge import loop_thread

if TYPE_CHECKING:
    from hermes.app.runtime import Runtime
    from hermes.mcp.serving.facts import Facts
    from hermes.mcp.serving.http import Door
    from hermes.mcp.serving.logs import ToClients
    from hermes.mcp.serving.opening import Opening
    from hermes.mcp.serving.shelves import Prompts, Shelf

_LOOK_UP_SECONDS = 0.5
_LEAVE_SECONDS = 10.0


class Ground(NamedTuple):
    """What is served, as a start knows it."""

    runtime: Runtime
    facts: Facts
    prefix: str
    """What the ids of this server's calls begin with."""
    shelves: tuple[Shelf, ...]
    prompts: tuple[Prompts, ...]
    has_sessions: bool
    has_skills: bool


class Company:
    """What calls of clients need around them: services, questions, the log."""

    def __init__(self, ground: Ground) -> None:
        self._runtime = ground.runtime
        self._log: ToClients | None = None
        clients = McpClient()
        self.asking = Asking(clients)
        shelves, prompts = _kept(ground)
        self.offering = Offering(
            ground.runtime,
            ground.facts,
            clients,
            prefix=ground.prefix,
            shelves=(*ground.shelves, *shelves),
            prompts=(*ground.prompts, *prompts),
        )
        self.offering.before_calls.append(self._welcome)

    def close(self) -> None:
        """Leave the log as it was."""
        if self._log is not None:
            self._log.detach()

    def _welcome(self, caller: Caller) -> None:
        """Get ready for a call."""
        if self._log is None:
            agent_services.provide(self._runtime)
            self._log = load("hermes.mcp.serving.logs").ToClients(self._clean())
        self._log.look(caller)
        if caller.client.can("elicitation"):
            self._answer_questions(caller)

    def _answer_questions(self, caller: Caller) -> None:
        """Bring questions of tools to the person at the client."""

        async def ask(question: Any) -> str | None:
            choices = dict(zip(question.choices, question.choices, strict=True))
            return await form(caller, question.text, "answer", "Your answer", choices)

        clarifier = self._runtime.services.get(load("hermes.services.clarify").Clarifier)
        clarifier.answer_with(caller.client.task_id, ask)

    def _clean(self) -> Any:
        environment = load("hermes.config.environment")
        variable = self._runtime.settings.model.key_variable
        secret = environment.known_secrets(self._runtime.environment, variable)
        return load("hermes.base.redact").Redactor(secret).text


def _kept(ground: Ground) -> tuple[list[Shelf], list[Prompts]]:
    """Return what the home folder holds: results, conversations, skills."""
    kept = load("hermes.mcp.serving.kept")
    home = ground.runtime.settings.home
    shelves: list[Shelf] = [kept.Results(home / "results", ground.prefix)]
    prompts: list[Prompts] = []
    if ground.has_sessions:
        conversations = kept.Conversations(lambda: _sessions(ground.runtime))
        shelves.append(conversations)
        prompts.append(kept.Resuming(conversations))
    if ground.has_skills:
        skills = load("hermes.mcp.serving.skills")
        shelf = skills.Skills(home / "skills")
        shelves.append(shelf)
        prompts.append(skills.SkillPrompts(shelf))
    return shelves, prompts


def _sessions(runtime: Runtime) -> Any:
    agent_services.provide(runtime)
    return runtime.services.get(load("hermes.services.sessions").Sessions)


def stdio(offering: Offering, opening: Opening, given: int, taken: int) -> None:
    """Go on with a client after its first words, until it leaves."""
    server = load("hermes.mcp.serving.stdio").Stdio(offering, opening.task_id)
    _wait(server.serve(given, taken, opening))


def http(offering: Offering, door: Door, task_id: str) -> None:
    """Serve clients over HTTP until interrupted."""
    _wait(load("hermes.mcp.serving.http").serve(offering, door, task_id))


def _wait(work: Coroutine[Any, Any, None]) -> None:
    """Wait for a server on the process's loop; an interrupt or a signal to end stops it cleanly."""
    ended = threading.Event()

    async def whole() -> None:
        try:
            await work
        finally:
            ended.set()

    running = loop_thread().submit(whole())
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, lambda *_: running.cancel()) if is_main else None
    try:
        while not ended.wait(_LOOK_UP_SECONDS):
            pass
        if not running.cancelled():
            running.result()
    except KeyboardInterrupt:
        running.cancel()
        ended.wait(_LEAVE_SECONDS)
        raise
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before)
