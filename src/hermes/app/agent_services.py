"""What the tools of an agent work with; a runtime without an agent has none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes.agent.roster import Roster
from hermes.base.optional import load

if TYPE_CHECKING:
    from hermes.app.runtime import Runtime


def provide(runtime: Runtime) -> None:
    """Let the agents of a runtime plan, remember, ask and delegate.

    What a program provided itself stays.
    """
    for kind, make in _makers(runtime).items():
        if not runtime.services.has(kind):
            runtime.services.provide(kind, make)
    children = "hermes.app.children"  # loaded by the first call that needs it
    runtime.services.provide_named(
        "hermes.services.delegation:Delegation", lambda: load(children).family(runtime)
    )
    runtime.services.provide_named(
        "hermes.services.mixture:Mixture", lambda: load(children).ensemble(runtime)
    )


def _makers(runtime: Runtime) -> dict[type[Any], Any]:
    settings = runtime.settings
    memory, clarify = load("hermes.services.memory"), load("hermes.services.clarify")
    todos = load("hermes.services.todo").Todos
    sessions = load("hermes.services.sessions").Sessions
    limits = {"memory": settings.memory.memory_chars, "user": settings.memory.user_chars}
    return {
        Roster: Roster,
        todos: todos,
        memory.Memories: lambda: memory.Memories(settings.home, limits),
        clarify.Clarifier: lambda: clarify.Clarifier(settings.clarify.timeout_seconds),
        sessions: lambda: sessions(settings.home / "state.db", redactor=_redactor(runtime)),
    }


def _redactor(runtime: Runtime) -> Any:
    variable = runtime.settings.model.key_variable
    known = load("hermes.config.environment").known_secrets(runtime.environment, variable)
    return load("hermes.base.redact").Redactor(known)
