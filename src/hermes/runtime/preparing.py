"""Make a call ready to run: find its tool, fit its arguments, have it judged. No effect yet."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from hermes.base.errors import Denied, InvalidArguments, ToolError, Unavailable, UnknownTool
from hermes.base.messages import Json
from hermes.runtime.bind import as_object, bind
from hermes.runtime.bridge import Way
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import Alias, Arguments, ToolEntry
from hermes.runtime.gate import Gate
from hermes.runtime.hooks import Hooks
from hermes.runtime.plan import Plan, Ready
from hermes.runtime.registry import ToolRegistry

_MAX_UNWRAPS = 3
_UNCHANGED: tuple[str, ...] = ()


class Preparer:
    """Take calls through the first half of the pipeline, up to the verdict.

    Each step is a plain function that gives its result at once when nothing has to be waited for,
    and an awaitable of it otherwise; so a call that waits for nothing needs no event loop.
    """

    timeout_seconds: float | None = None
    """How long a call may take that says nothing of its own."""

    def __init__(self, registry: ToolRegistry, gate: Gate, hooks: Hooks) -> None:
        self.registry = registry
        self.gate = gate
        self.hooks = hooks
        self.permitted: Callable[[ToolEntry], bool] | None = None
        """Whether a tool is within this runtime's toolsets; None when all are."""
        self.unavailable: Callable[[ToolEntry], str | None] = lambda _: None
        """Why a tool cannot run here now."""
        self.is_checked: Callable[[ToolEntry], bool] = lambda _: True
        """Whether that is known without running a check."""
        self.look_again: Callable[[], object] = lambda: None
        """Bring the tools up to date, before a name is called unknown."""
        self._plans: dict[str, Plan] = {}
        self._planned = -1

    def prepare(
        self, name: str, arguments: Json, ctx: ToolContext, way: Way
    ) -> Ready | Awaitable[Ready]:
        """Find the tool, fit the arguments, run the before-hooks, and have the call judged.

        Raises:
            ToolError: the call cannot or may not run; nothing has happened.
        """
        plan = self._plans.get(name) if self._planned == self.registry.generation else None
        if plan is None or not plan.is_direct or self.permitted is not None:
            plan, arguments = self._find(name, arguments)
            if plan.has_needs:
                waits = not way.is_inline and not self.is_checked(plan.entry)
                if waits:
                    return self._check_first(plan.entry, arguments, ctx, way)
                self._check_available(plan.entry)
        if plan.spec.exact(arguments):
            fitted, changes = plan.copy(arguments) if plan.nests else arguments, _UNCHANGED
        else:
            fitted, changes = bind(plan.entry, plan.spec, arguments)
        if plan.has_rules:
            plan.check_rules(fitted)
        gate = self.gate
        try:
            if self.hooks.before:
                hooked = self.hooks.run_before(plan.name, fitted, plan.copy, ctx, way)
                if hooked is not fitted:
                    return self._rewrite(plan, hooked, changes, ctx, way)
            if plan.cleared_by is gate.policy and not gate.judges:
                ctx.tool = plan.name
                return plan, fitted, changes, "allow", ctx
            return self._judge(plan, fitted, changes, ctx, way)
        except Denied as denied:
            raise _told(denied, plan, fitted) from denied

    async def _rewrite(
        self,
        plan: Plan,
        hooked: Arguments | Awaitable[Arguments],
        changes: tuple[str, ...],
        ctx: ToolContext,
        way: Way,
    ) -> Ready:
        """Take what the hooks made of the arguments, fit that again, and have it judged."""
        arguments = hooked if isinstance(hooked, dict) else await hooked
        fitted, more = bind(plan.entry, plan.spec, arguments)
        changes = (*changes, "arguments went through a hook", *more)
        try:
            ready = self._judge(plan, fitted, changes, ctx, way)
            return ready if isinstance(ready, tuple) else await ready
        except Denied as denied:
            raise _told(denied, plan, fitted) from denied

    def _judge(
        self,
        plan: Plan,
        arguments: Arguments,
        changes: tuple[str, ...],
        ctx: ToolContext,
        way: Way,
    ) -> Ready | Awaitable[Ready]:
        policy = self.gate.policy
        if policy is not None and plan.looked_at_by is not policy:
            plan.cleared_by = policy if policy.clears(plan.entry) else None
            plan.looked_at_by = policy
        arguments = plan.copy(arguments)  # what was judged is what runs, whatever others do
        verdict = self.gate.admit(plan.entry, plan.copy(arguments), ctx, way)
        if isinstance(verdict, str):
            return plan, arguments, changes, verdict, ctx
        return _approved(plan, arguments, changes, verdict, ctx)

    def _find(self, name: str, arguments: Json) -> tuple[Plan, Json]:
        for _ in range(_MAX_UNWRAPS):
            plan = self._plan(name)
            self._check_offered(plan.entry)
            if plan.alias is not None:
                arguments = plan.alias.apply(as_object(plan.entry, arguments)[0])
            unwrap = plan.entry.unwrap
            if unwrap is None:
                return plan, arguments
            name, arguments = unwrap(bind(plan.entry, plan.spec, arguments)[0])
        raise InvalidArguments("a call inside a call inside a call is not taken apart any further")

    def _plan(self, name: str) -> Plan:
        generation = self.registry.generation
        if self._planned != generation:
            self._plans, self._planned = {}, generation
        plans = self._plans
        plan = plans.get(name) if isinstance(name, str) else None
        if plan is None:
            plan = Plan(*self._entry(name))
            if len(plans) < 2 * len(self.registry):
                plans[name] = plan  # into the table of its own generation, never a later one
        return plan

    def _entry(self, name: str) -> tuple[ToolEntry, Alias | None]:
        try:
            return self.registry.find(name)
        except UnknownTool:
            self.look_again()
            return self.registry.find(name)

    def _check_offered(self, entry: ToolEntry) -> None:
        if self.permitted is not None and not self.permitted(entry):
            raise ToolError(
                f"{entry.name!r} is not among the tools on offer here",
                code="not_offered",
                hint="Use one of the tools on offer, or ask the user to enable its toolset.",
            )

    def _check_available(self, entry: ToolEntry) -> None:
        reason = self.unavailable(entry)
        if reason:
            raise Unavailable(f"{entry.name} cannot run here now: {reason}")

    async def _check_first(
        self, entry: ToolEntry, arguments: Json, ctx: ToolContext, way: Way
    ) -> Ready:
        """Have a check that may take its time run in a thread, then go on; it is remembered."""
        reason = await way.run_sync(lambda: self.unavailable(entry), ctx, self.timeout_seconds)
        if reason:
            raise Unavailable(f"{entry.name} cannot run here now: {reason}")
        ready = self.prepare(entry.name, arguments, ctx, way)
        return ready if isinstance(ready, tuple) else await ready


def _told(denied: Denied, plan: Plan, arguments: Arguments) -> Denied:
    """Return a denial that knows what was judged, so that this is what gets written down."""
    denied.judged = (plan.name, arguments)
    return denied


async def _approved(
    plan: Plan,
    arguments: Arguments,
    changes: tuple[str, ...],
    verdict: Awaitable[str],
    ctx: ToolContext,
) -> Ready:
    try:
        return plan, arguments, changes, await verdict, ctx
    except Denied as denied:
        raise _told(denied, plan, arguments) from denied
