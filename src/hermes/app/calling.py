"""The calling half of a runtime, made by its first call: gate, journal, dispatcher, services."""

from __future__ import annotations

import functools
import itertools
import secrets
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.base.redact import Redactor
from hermes.config.environment import known_secrets
from hermes.config.settings import Settings
from hermes.policy.permissions import Profile, choose, profile
from hermes.runtime import bridge
from hermes.runtime.approvals import Approvals, Approver
from hermes.runtime.base_tool import Openings
from hermes.runtime.calls import run_calls
from hermes.runtime.context import Services, TaskVariables
from hermes.runtime.dispatch import Dispatcher
from hermes.runtime.gate import Gate
from hermes.runtime.hooks import Hooks
from hermes.runtime.journal import Journal
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.results import Limits, Shaper, Store
from hermes.services.clipboard import Clipboard
from hermes.services.machine import Machine
from hermes.services.notifications import Notifications
from hermes.services.variables import Variables

PERMISSIONS_FILE = "hermes_permissions.yaml"


class Calling:
    """What a runtime needs to have tools called."""

    here, on_loop = bridge.HERE, bridge.ON_LOOP
    wait = staticmethod(bridge.step_through)
    run_calls = staticmethod(run_calls)

    def __init__(self, dispatcher: Dispatcher, journal: Journal | None, openings: Openings) -> None:
        self.dispatcher = dispatcher
        self.journal = journal
        self._openings = openings
        self.prefix = f"{secrets.token_hex(4)}-"
        """With a number of ``count`` behind it, an id that no call of any process has."""
        self.count = itertools.count(1)

    def submit(self, coroutine: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run a coroutine on the process's loop thread."""
        return bridge.loop_thread().submit(coroutine)

    async def teardown(self) -> None:
        """Close the tools that were opened."""
        await self._openings.teardown()

    def close(self) -> None:
        """Close opened tools and the journal."""
        if self._openings.any_open:
            self.submit(self.teardown()).result(timeout=10)
        if self.journal is not None:
            self.journal.close()


class Ground(NamedTuple):
    """What the calling half of a runtime stands on."""

    settings: Settings
    environment: Mapping[str, str]
    registry: ToolRegistry
    services: Services


def start(ground: Ground, rules: Any, approver: Approver | None) -> Calling:
    """Make the calling half of a runtime."""
    settings = ground.settings
    redactor = Redactor(known_secrets(ground.environment))
    limits = Limits(settings.results.per_result_chars, settings.results.per_turn_chars)
    approvals = Approvals(approver, timeout_seconds=settings.approvals.timeout_seconds)
    journal = None
    if settings.journal.enabled:
        journal = Journal(settings.home / "state.db", redactor=redactor)
    dispatcher = Dispatcher(
        ground.registry,
        Gate(chosen_profile(settings, rules), approvals),
        Hooks(),
        journal,
        Shaper(Store(settings.home / "results"), redactor),
        limits=limits.scaled(settings.results.context_tokens),
        timeout_seconds=settings.tools.timeout_seconds or None,
    )
    bridge.workers().widen(settings.tools.max_workers)
    openings = Openings()
    _provide(ground, redactor, openings)
    return Calling(dispatcher, journal, openings)


def _provide(ground: Ground, redactor: Redactor, openings: Openings) -> None:
    environment = ground.environment
    variables = Variables(
        environment,
        allowed=ground.settings.environment.pass_names,
        on_secret=functools.partial(redactor.add, "secret"),
    )
    services: dict[type[Any], Callable[[], Any]] = {
        Openings: lambda: openings,
        TaskVariables: lambda: variables,
        Variables: lambda: variables,
        Machine: lambda: Machine(environment),
        Clipboard: lambda: Clipboard(environment),
        Notifications: lambda: Notifications(environment),
    }
    for kind, make in services.items():
        ground.services.provide(kind, make)


def chosen_profile(settings: Settings, rules: Any) -> Profile | None:
    """Return the permission profile in force: handed in, named by config, or none."""
    rules = rules if rules is not None else settings.permissions.profile
    if rules is None or isinstance(rules, Profile):
        return rules
    if isinstance(rules, Mapping):
        return profile("inline", rules)
    file = settings.home / PERMISSIONS_FILE
    return choose(rules, _profiles(file) if file.exists() else {})


def _profiles(file: Path) -> Mapping[str, Any]:
    documents = load("hermes.base.yaml_lines").read(file.read_text(encoding="utf-8"), file=file)
    written = documents[0].value if documents else {}
    found = written.get("profiles") if isinstance(written, Mapping) else None
    if not isinstance(found, Mapping):
        raise ConfigError(
            "the file must map 'profiles' to profile names",
            file=file,
            hint="profiles: {name: {allow: [...]}}",
        )
    return found
