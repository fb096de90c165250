"""What the agents of a runtime have beside its tools: children, and other models to ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hermes.agent.delegation import IDENTITY, Children, Limits, Order
from hermes.agent.loop import Agent
from hermes.agent.mixture import Asker, Ensemble
from hermes.agent.mixture import Limits as MixtureLimits
from hermes.agent.options import AgentOptions
from hermes.agent.prompt import build, project_instructions, surroundings
from hermes.agent.recording import Begun
from hermes.agent.roster import Roster
from hermes.base.errors import ConfigError
from hermes.base.messages import Json
from hermes.base.optional import load
from hermes.llm.contract import Model
from hermes.runtime.offer import Catalogue
from hermes.runtime.toolsets import UnknownToolset

if TYPE_CHECKING:
    from hermes.app.runtime import Runtime

OpenModel = Callable[[str], Model]
DOOR = "child"
"""What the journal says of where the calls of children came in."""


def family(runtime: Runtime, open_model: OpenModel | None = None) -> Children:
    """Return what makes the children of a runtime's agents."""
    chosen = runtime.settings.delegation
    approvals: Any = chosen.approvals
    limits = Limits(
        chosen.at_once,
        chosen.max_depth,
        chosen.max_rounds,
        chosen.timeout_seconds,
        chosen.summary_chars,
        approvals,
    )
    opening = open_model or _opening(runtime)
    return Children(runtime, _Tools(runtime), lambda order: _child(runtime, order, opening), limits)


def ensemble(runtime: Runtime, open_model: OpenModel | None = None) -> Ensemble:
    """Return what asks several models for a runtime's agents."""
    chosen = runtime.settings.mixture
    limits = MixtureLimits(chosen.models, chosen.aggregator, chosen.timeout_seconds)

    def asker_of(task_id: str) -> Asker | None:
        agent = runtime.services.get(Roster).find(task_id)
        return Asker(agent.model, agent.charge) if agent else None

    chosen_names = frozenset((*chosen.models, chosen.aggregator))

    def opened(name: str) -> Model:
        if name.partition(":")[0] == "scripted" and name not in chosen_names:
            raise ConfigError("only the settings may name a script: a model would read any file")
        return (open_model or _opening(runtime))(name)

    return Ensemble(opened, asker_of, limits)


class _Tools:
    """The tools of a runtime that children may have."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def names(self, toolsets: Sequence[str] | None) -> frozenset[str]:
        """Return the tools of some toolsets, or of all, that the runtime has on offer itself."""
        groups = self._runtime.toolsets
        own = self._runtime.services.get(Catalogue).names()
        wanted = own if toolsets is None else frozenset(groups.resolve_all(toolsets))
        return (own & wanted) - self._withheld()

    def definitions(self, names: frozenset[str]) -> list[Json]:
        """Return some tools as a model is offered them."""
        return self._runtime.definitions(sorted(names)) if names else []

    def _withheld(self) -> frozenset[str]:
        """Return the tools that no child has; a name may be of a tool that is not there."""
        chosen = self._runtime.settings.delegation.withheld
        return frozenset(chosen).union(*map(self._reached, chosen))

    def _reached(self, name: str) -> Sequence[str]:
        try:
            return self._runtime.toolsets.resolve(name)
        except UnknownToolset:
            return ()


def _child(runtime: Runtime, order: Order, open_model: OpenModel) -> Agent:
    name = runtime.settings.delegation.model
    model = open_model(name) if name else order.parent.model
    task = order.hands.task(order.task_id)
    folder = str(task.cwd)
    system = build(
        surroundings(folder, model=model.name),
        identity=IDENTITY,
        instructions=project_instructions(folder),
        has_tools=bool(order.hands.definitions()),
    )
    return Agent(
        order.hands,
        model,
        task_id=order.task_id,
        system=system,
        session=_recorder(runtime, order, model.name, system),
        budget=order.budget,
        options=AgentOptions(
            door=DOOR,
            closes_model=bool(name),
            picture_folders=(str(runtime.settings.home / "results"), task.root),
        ),
    )


def _recorder(runtime: Runtime, order: Order, model: str, system: str) -> Begun | None:
    """Return where a child's conversation is kept: beside its parent's, if that is."""
    parent = order.parent.session_id
    if not parent:
        return None
    sessions = runtime.services.get(load("hermes.services.sessions").Sessions)

    def begin() -> Any:
        return sessions.start(
            task_id=order.task_id,
            parent=parent,
            model=model,
            source=DOOR,
            system=system,
            workspace=runtime.task(order.task_id).root,
            tools=order.hands.definitions(),
        )

    return Begun(begin)


def _opening(runtime: Runtime) -> OpenModel:
    def opened(name: str) -> Model:
        models = load("hermes.app.models")
        model: Model = models.open_model(name, runtime.settings, runtime.environment)
        return model

    return opened
