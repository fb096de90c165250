"""May this call run? Rules first, a person last, and any doubt means no."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from hermes.base.errors import Denied, HermesError
from hermes.policy.need import Deed, Need
from hermes.policy.permissions import Profile
from hermes.policy.verdict import ALLOWED, Verdict, strictest
from hermes.runtime.approvals import ApprovalRequest, Approvals
from hermes.runtime.bridge import Way, gives_up
from hermes.runtime.call_policy import CallPolicy, declared_subjects, described, names_of
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import ToolEntry


class Request(NamedTuple):
    """What a judge is shown: the tool, the fitted arguments, the permissions, whose call it is."""

    entry: ToolEntry
    arguments: dict[str, Any]
    permissions: tuple[str, ...]
    ctx: ToolContext


Judge = Callable[[Request], Verdict]


class Gate:
    """Admit a call or refuse it; with neither a policy nor a judge, there is nothing to ask."""

    def __init__(self, policy: CallPolicy | None, approvals: Approvals) -> None:
        self.policy = policy
        self.approvals = approvals
        self.judges: list[Judge] = []
        """Further judges; the strictest word counts."""
        self.judge_of_programs: Judge | None = None
        """Judges the calls that start programs: there may be no sandbox for them."""

    @property
    def profile(self) -> Profile | None:
        """The profile that calls are judged by; another one is in force from the next call on."""
        return self.policy.profile if self.policy else None

    @profile.setter
    def profile(self, profile: Profile) -> None:
        self.policy = self.policy.under(profile) if self.policy else CallPolicy(profile)

    def admit(
        self, entry: ToolEntry, arguments: dict[str, Any], ctx: ToolContext, way: Way
    ) -> str | Awaitable[str]:
        """Return how the call was admitted: ``allow``, or, awaitable, the scope a person granted.

        Raises:
            Denied: a rule or a person says no, or a judge broke.
        """
        ctx.tool = entry.name
        ctx.permissions = permissions = entry.permissions_of(arguments)
        request = Request(entry, arguments, permissions, ctx)
        verdict = self.judge(request)
        if verdict.decision == "allow":
            return "allow"
        if verdict.decision == "deny":
            raise Denied(verdict.reason, hint=_hint(verdict), rule=verdict.rule)
        return way.value(self.approvals.ask(self._question(request, verdict)))

    def judge(self, request: Request) -> Verdict:
        """Return the strictest verdict of the profile and all judges; one that breaks says no."""
        try:
            own = ALLOWED
            if self.policy is not None:
                entry, arguments, permissions, ctx = request
                call = described(entry, arguments, permissions, ctx.task)
                if entry.starts_programs:
                    ctx.deed = self.policy.deed_of(call)
                    own = self.policy.profile.judge_deed(ctx.deed)
                else:
                    call = self.policy.without_denied(call)
                    own = self.policy.judge(call)
                    is_free = own.decision == "allow"
                    ctx.path_check = self.policy.path_check(call, is_free=is_free)
                    ctx.has_path_rules = self.policy.has_path_rules(call)
                    if any(name.startswith("network:") for name in permissions):
                        ctx.url_check = self.policy.url_check(call, is_free=is_free)
            judges = self.judges
            if request.entry.starts_programs and self.judge_of_programs is not None:
                judges = [*judges, self.judge_of_programs]
            return strictest([own, *(judge(request) for judge in judges)])
        except HermesError as error:
            return Verdict(
                "deny", f"the policy could not be applied: {error.message}", "broken judge"
            )
        except BaseException as error:  # a guard that breaks means no
            if gives_up(error):
                raise
            return Verdict("deny", f"the policy broke: {type(error).__name__}", "broken judge")

    def _question(self, request: Request, verdict: Verdict) -> ApprovalRequest:
        entry, arguments, permissions, ctx = request
        declared, folder = declared_subjects(entry), str(ctx.task.cwd)
        tool = names_of(entry)
        deed = Deed(tool, tuple(map(Need, permissions)), (), arguments)
        if self.policy is not None:
            deed = self.policy.deed_of(described(entry, arguments, permissions, ctx.task))
        return ApprovalRequest(
            tool=entry.name,
            arguments=arguments,
            permissions=permissions,
            reason=verdict.reason,
            rule=verdict.rule,
            task_id=ctx.task.id,
            call_id=ctx.call_id,
            findings=verdict.findings or deed.findings,
            deed=deed,
            declared=declared,
            cwd=folder,
            user_task=ctx.user_task,
        )


def _hint(verdict: Verdict) -> str | None:
    if verdict.rule.startswith("floor:"):
        return "No profile and no answer allows this; do something else."
    return f"The rule is {verdict.rule!r}; only the user can change it." if verdict.rule else None
