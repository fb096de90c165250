"""Where a person sits: the runtime, the agent they talk to, and what is known of both."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from hermes.agent.events import CallDone
from hermes.base.errors import HermesError, ServiceMissing
from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.chat.status import Budget
from hermes.cli.chat.work import About, Work

if TYPE_CHECKING:
    from hermes.agent.events import Event, Spent
    from hermes.agent.loop import Agent
    from hermes.app import Runtime
    from hermes.base.messages import Media
    from hermes.llm.contract import Model
    from hermes.services.todo import Todo

BUILTIN = "hermes:builtin"


class Seat:
    """Hold the agent, which may be exchanged for another while the person stays."""

    def __init__(self, runtime: Runtime, agent: Agent) -> None:
        self.runtime, self.agent = runtime, agent
        self.work = Work(self._about)
        self.budget = Budget(window=agent.model.window)
        self._ask: Any = None

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.agent.model.name

    @property
    def profile(self) -> str:
        """The name of the permission profile in force."""
        found = self.runtime.gate.profile
        return found.name if found is not None else ""

    @property
    def folder(self) -> str:
        """Where the task works now."""
        return str(self.runtime.task(self.agent.task_id).cwd)

    def _about(self, name: str) -> About:
        try:
            entry, _ = self.runtime.registry.find(name)
        except HermesError:
            return About(_sign(""))
        return About(_sign(entry.emoji), entry.parameters)

    def todos(self) -> Sequence[Todo]:
        """Return what the agent has to do."""
        todos = load("hermes.services.todo").Todos
        try:
            found: Sequence[Todo] = self.runtime.services.get(todos).read(self.agent.task_id)
        except HermesError:
            return ()
        return found

    def run(self, text: str, media: Sequence[Media] = ()) -> AsyncGenerator[Event, None]:
        """Say something to the agent."""
        return self.agent.run(text, media)

    def note(self, event: Spent) -> None:
        """Keep what a round cost."""
        self.budget = self.budget.after(event)

    async def attach(self, path: str) -> str | Media:
        """Return the text or the picture of a file, if it may be read."""
        found: str | Media = await load("hermes.app.attaching").attach(
            self.runtime, path, self.agent.task_id
        )
        return found

    async def call(self, name: str, args: dict[str, Any]) -> CallDone:
        """Call a tool by hand, in the agent's task."""
        started = time.monotonic()
        answer = await self.runtime.call(name, args, self.agent.task_id, door="chat")
        is_error = load("hermes.cli.call").exit_code(answer) != 0
        return CallDone("by hand", name, args, answer, is_error, time.monotonic() - started)

    def answer_with(self, ask: Any) -> None:
        """Have questions of the agent answered by somebody."""
        self._ask = ask
        clarifier = load("hermes.services.clarify").Clarifier
        with contextlib.suppress(ServiceMissing):
            self.runtime.services.get(clarifier).answer_with(self.agent.task_id, ask)

    async def change_model(self, name: str) -> None:
        """Have another model go on with the conversation.

        Raises:
            ConfigError: there is no such model.
        """
        model = open_model(self.runtime, name)
        before, self.agent.model = self.agent.model, model
        self.budget = self.budget._replace(window=model.window)
        await before.close()

    def change_profile(self, name: str) -> None:
        """Have calls judged by another profile, from the next one on.

        Raises:
            ConfigError: there is no such profile.
        """
        profiles = load("hermes.app.profiles")
        self.runtime.gate.profile = profiles.resolve_profile(self.runtime.settings, name)

    def sit_with(self, agent: Agent) -> None:
        """Go on with another agent of the same task."""
        self.agent = agent
        self.budget = self.budget.handed_on()
        self.answer_with(self._ask)

    async def replace(self, agent: Agent) -> None:
        """Go on with another agent, and let go of the one before."""
        before, self.agent = self.agent, agent
        self.budget = self.budget.handed_on()
        self.answer_with(self._ask)
        await before.close()

    async def close(self) -> None:
        """Let go of the agent and of its model."""
        await self.agent.close()
        await self.agent.model.close()


def _sign(emoji: str) -> str:
    """Return what a tool's line begins with, where the terminal can show it."""
    return next(sign for sign in (emoji or "•", "•", "*") if output.can_show(sign))


def open_model(runtime: Runtime, name: str) -> Model:
    """Return a model by its name.

    Raises:
        ConfigError: it is not there; says what to do.
    """
    found: Model = load("hermes.app.models").open_model(name, runtime.settings, runtime.environment)
    return found


def choose_model(runtime: Runtime, name: str | None) -> tuple[str, bool]:
    """Return the name of the model that answers, and whether one was chosen or found at all."""
    wanted = name or runtime.settings.model.name
    if wanted is not None:
        return wanted, True
    found = load("hermes.app.models").find_models(runtime.settings, runtime.environment)
    return (found[0].name, True) if found else (BUILTIN, False)


def take_seat(runtime: Runtime, name: str | None, session: str | None = None) -> tuple[Seat, bool]:
    """Return a seat, and whether a model was found; the one that is built in answers if not.

    Raises:
        ConfigError: the named model is not there.
    """
    wanted, is_found = choose_model(runtime, name)
    model = open_model(runtime, wanted)
    if session is not None:
        load("hermes.app.agent_services").provide(runtime)
        past = load("hermes.cli.chat.past")
        sessions = runtime.services.get(load("hermes.services.sessions").Sessions)
        session = past.named(sessions, session)
    return Seat(runtime, runtime.agent(model, session=session, source="cli")), is_found
