"""The calling half of a runtime, made by its first call: gate, journal, dispatcher, services."""

from __future__ import annotations

import functools
import itertools
import logging
import secrets
import sys
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from hermes.app import logs
from hermes.app.policies import policy_of
from hermes.base.optional import load
from hermes.base.redact import Redactor
from hermes.config.environment import Live, known_secrets
from hermes.config.settings import Settings
from hermes.policy.permissions import Profile
from hermes.policy.verdict import Verdict
from hermes.runtime import bridge
from hermes.runtime.approvals import Approvals, Approver, Consult, Grants, Manner
from hermes.runtime.base_tool import Openings
from hermes.runtime.boundary import Boundary
from hermes.runtime.calls import run_calls
from hermes.runtime.context import Services, TaskVariables
from hermes.runtime.dispatch import Dispatcher
from hermes.runtime.gate import Gate, Request
from hermes.runtime.hooks import Hooks
from hermes.runtime.journal import Journal, ReticentJournal
from hermes.runtime.reach import Reach
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.results import Limits, Shaper, Store
from hermes.services.clipboard import Clipboard
from hermes.services.machine import Machine
from hermes.services.notifications import Notifications
from hermes.services.variables import Variables

_TEARDOWN_SECONDS = 10
_log = logging.getLogger("hermes.app")


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
            try:
                self.submit(self.teardown()).result(timeout=_TEARDOWN_SECONDS)
            except TimeoutError:
                _log.error("tools did not close within %s seconds", _TEARDOWN_SECONDS)
        if self.journal is not None:
            self.journal.close()


class Ground(NamedTuple):
    """What the calling half of a runtime stands on."""

    settings: Settings
    environment: Live
    registry: ToolRegistry
    services: Services


class People(NamedTuple):
    """Who answers when a rule wants a yes."""

    approver: Approver | None = None
    consult: Consult | None = None
    """An auxiliary model that may approve what is low risk, in the mode ``smart``."""
    unattended: bool = False
    """A child or a run with nobody watching, where no mode approves by itself."""


def start(ground: Ground, profile: Profile | None, people: People) -> Calling:
    """Make the calling half of a runtime; without a profile, the shipped default is in force."""
    settings = ground.settings
    redactor = Redactor(known_secrets(ground.environment, settings.model.key_variable))
    limits = Limits(settings.results.per_result_chars, settings.results.per_turn_chars)
    approvals = _approvals(settings, people)
    journal = None
    if settings.journal.enabled:
        kind = Journal if settings.journal.capture_arguments else ReticentJournal
        journal = kind(settings.home / "state.db", redactor=redactor)
    logs.attach(settings.home / "logs" / "hermes.log", redactor)
    dispatcher = _dispatcher_class(settings)(
        ground.registry,
        Gate(policy_of(settings, ground.environment, profile), approvals),
        Hooks(),
        journal,
        Shaper(Store(settings.home / "results"), redactor),
        limits=limits.scaled(settings.results.context_tokens),
        timeout_seconds=settings.tools.timeout_seconds or None,
    )
    bridge.workers().widen(settings.tools.max_workers)
    openings = Openings()
    _provide(ground, redactor, openings)
    _confine(ground.services, dispatcher.gate)
    ground.services.provide_named(
        "hermes.app.passwords:Passwords",
        lambda: load("hermes.app.passwords").Passwords(
            approvals, functools.partial(redactor.add, "secret")
        ),
    )
    ground.services.provide_named(
        "hermes.services.scripting:Scripting",
        lambda: load("hermes.app.scripting").TaskScripts(ground, dispatcher),
    )
    return Calling(dispatcher, journal, openings)


def _confine(services: Services, gate: Gate) -> None:
    """Have programs run inside the boundary, which is made by the first call that starts one."""

    def judge(request: Request) -> Verdict:
        verdict: Verdict = services.get(Boundary).judge(request)  # type: ignore[attr-defined]  # ours
        return verdict

    services.provide(Boundary, lambda: load("hermes.app.boundaries").Boxes(lambda: gate.policy))
    gate.judge_of_programs = judge


def _approvals(settings: Settings, people: People) -> Approvals:
    chosen = settings.approvals
    mode: Any = chosen.mode
    manner = Manner(mode, chosen.timeout_seconds, chosen.expire_seconds, people.unattended)
    grants = Grants(settings.command_allowlist, functools.partial(_remember, settings))
    return Approvals(people.approver, manner, grants, consult=people.consult)


def _remember(settings: Settings, rule: str) -> None:
    """Write a permanent approval into config.yaml."""
    load("hermes.config.edit_list").add_item(settings.file, "command_allowlist", rule)


def _dispatcher_class(settings: Settings) -> type[Dispatcher]:
    """Return the dispatcher that makes spans when this program listens to OpenTelemetry."""
    if not settings.telemetry.enabled or "opentelemetry.trace" not in sys.modules:
        return Dispatcher
    tracing = load("hermes.runtime.tracing", extra="otel")
    listener = tracing.tracer()
    if listener is None:
        return Dispatcher
    traits = {"listener": listener, "capture_content": settings.telemetry.capture_content}
    return type("TracedDispatcher", (tracing.TracedDispatcher,), traits)


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
        Reach: lambda: load("hermes.app.reaching").reach(ground.settings.urls),
    }
    for kind, make in services.items():
        ground.services.provide(kind, make)
    for name, make_of in _BY_NAME.items():
        ground.services.provide_named(name, functools.partial(make_of, ground))


def _home(ground: Ground) -> str:
    return ground.environment.get("HOME", "/")


_BY_NAME: Mapping[str, Callable[[Ground], Any]] = {
    "hermes.environments.inside.pump:Pump": (
        lambda _: load("hermes.environments.inside.pump").Pump()
    ),
    "hermes.services.files:Files": (
        lambda on: load("hermes.app.file_work").files(on.services, on.settings, _home(on))
    ),
    "hermes.services.checkpoints:Checkpoints": (
        lambda on: load("hermes.app.file_work").checkpoints(on.settings)
    ),
    "hermes.services.running:Runner": (
        lambda on: load("hermes.app.running").runner(on.services, on.settings, _home(on))
    ),
    "hermes.services.repl:Repls": (
        lambda on: load("hermes.app.running").repls(on.services, on.settings)
    ),
    "hermes.services.terminal:Terminal": (
        lambda on: load("hermes.app.terminals").terminal(on.services, on.settings, _home(on))
    ),
    "hermes.services.web:Web": lambda on: load("hermes.app.web").web(on.environment, on.settings),
    "hermes.services.web.searching:Searching": (
        lambda on: load("hermes.app.web").searching(on.services, on.settings)
    ),
    "hermes.services.web.crawler:Crawler": (
        lambda on: load("hermes.app.web").crawler(on.services, on.settings)
    ),
    "hermes.services.web.extract.many:Reader": (
        lambda on: load("hermes.app.web").reader(on.services, on.settings, on.environment)
    ),
    "hermes.services.browser:Browsers": (
        lambda on: load("hermes.app.browsers").browsers(on.services, on.settings, on.environment)
    ),
    "hermes.services.browser.seeing:Eyes": (
        lambda on: load("hermes.app.browsers").eyes(on.settings, on.environment)
    ),
    "hermes.services.checking:Checks": (
        lambda on: load("hermes.app.developing").checks(on.services, on.settings)
    ),
    "hermes.services.testing:Tests": (
        lambda on: load("hermes.app.developing").tests(on.services, on.settings)
    ),
    "hermes.services.debugging:Debugging": (
        lambda on: load("hermes.app.developing").debugging(on.services, on.settings)
    ),
}
"""How services are made whose classes are not loaded before their use."""
