"""Permission profiles: what a call may do, what is asked for first, and what is never done.

A profile is a list of rules, perhaps on top of others that it narrows. Each level is judged on its
own and the strictest word counts, so that nothing laid on top can ever allow more.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.policy.limits import Breach, Limits, breach
from hermes.policy.need import Deed, Need
from hermes.policy.verdict import ALLOWED, Finding, Verdict, strictest

if TYPE_CHECKING:
    from hermes.policy.urls import UrlRules

_CALLED = (Need("tool:call"),)
"""What a call needs under the rules of its own tool when it needs nothing else."""


class Profile(NamedTuple):
    """A named set of rules; deny beats ask beats allow, and what nothing allows is denied."""

    name: str
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    restrictions: tuple[tuple[str, Limits], ...] = ()
    tools: tuple[tuple[str, Profile], ...] = ()
    """Further rules for the calls of some tools, by a name or a pattern of names."""
    narrows: tuple[Profile, ...] = ()
    """The profiles that must agree as well."""
    level: str = "global"
    description: str = ""
    """In words; of the rules for a tool, its name as it was written."""
    is_headless: bool = False
    """Nobody is there: every question is answered with no."""
    sandbox: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, float], ...] = ()
    refusal: str = ""
    """Why every call is denied, even one that needs no permission; empty when rules decide."""

    @classmethod
    def closed(cls, reason: str) -> Profile:
        """Return a profile that denies every call, for when the rules cannot be known."""
        return cls("closed", refusal=reason)

    def judge(self, permissions: Iterable[str]) -> Verdict:
        """Return the verdict over permissions by their names alone."""
        return _judged(self, tuple(permissions))

    def judge_deed(self, deed: Deed) -> Verdict:
        """Return the verdict over everything that a call would do."""
        if self.refusal:
            return Verdict("deny", self.refusal, "no readable rules", deed.findings)
        floor = next((each for each in deed.findings if each.severity == "floor"), None)
        if floor is not None:
            reason = f"{floor.what}; no profile allows that"
            return Verdict("deny", reason, f"floor: {floor.what}", deed.findings)
        word = strictest(verdict for _, verdict in self.words(deed))
        if deed.findings:
            word = word._replace(findings=tuple(dict.fromkeys((*deed.findings, *word.findings))))
        return word

    def words(self, deed: Deed) -> Iterator[tuple[Profile, Verdict]]:
        """Yield every level with what it says of a call, from the widest to the narrowest."""
        levels = list(self.levels(deed.tool))
        is_headless = any(level.is_headless for level in levels)
        for level in levels:
            needs = deed.needs
            if level.level == "tool" and not any(need.permission for need in needs):
                needs = (*needs, *_CALLED)
            word = strictest(_judge_need(level, need, deed) for need in needs)
            if level.level == "tool" and word.rule:
                word = word._replace(rule=f"tools: {level.description}: {word.rule}")
            if word.decision == "ask" and is_headless:
                word = Verdict("deny", f"{word.reason}, and nobody is there to ask", word.rule)
            yield level, word

    def levels(self, tool: tuple[str, ...] = ()) -> Iterator[Profile]:
        """Yield all rules that a call of a tool must pass."""
        for wider in self.narrows:
            yield from wider.levels(tool)
        yield self
        for pattern, rules in self.tools:
            if any(fnmatchcase(name, pattern) for name in tool):
                yield rules

    def is_plain(self, permissions: Iterable[str], tool: tuple[str, ...]) -> bool:
        """Say whether calls that need just these permissions may run whatever is in them."""
        if self.refusal:
            return False
        for level in self.levels(tool):
            if level.level == "tool" or level.judge_names(permissions).decision != "allow":
                return False
        return True

    def url_rules(
        self, permissions: Iterable[str], tool: tuple[str, ...] = (), *, allows_private: bool
    ) -> tuple[UrlRules, ...]:
        """Return what every level says of the hosts that a call with permissions connects to."""
        kind = load("hermes.policy.urls").UrlRules
        wanted = [folded(name) for name in permissions]
        found: dict[UrlRules, None] = {}
        for level in self.levels(tool):
            allowed: tuple[str, ...] = ()
            denied: tuple[str, ...] = ()
            for pattern, limits in level.restrictions:
                if limits.limits_hosts and any(fnmatchcase(name, pattern) for name in wanted):
                    allowed += limits.allowed_hosts or ()
                    denied += ("*",) if limits.allowed_hosts == () else limits.denied_hosts
            found[kind(allows_private, allowed, denied)] = None
        return tuple(found)

    def judge_names(self, permissions: Iterable[str]) -> Verdict:
        """Return what this level alone says of permissions; any limit on one of them denies."""
        return strictest(
            _judge_need(self, Need(name), Deed(), is_strict=True) for name in permissions
        )


@functools.lru_cache(maxsize=1_024)
def _judged(profile: Profile, permissions: tuple[str, ...]) -> Verdict:
    return profile.judge_deed(Deed(needs=tuple(Need(name) for name in permissions)))


def _judge_need(level: Profile, need: Need, deed: Deed, *, is_strict: bool = False) -> Verdict:
    wanted = folded(need.permission)
    denied = _denied(level, need, wanted) if wanted else None
    denied = denied or _limited(level, need, deed, is_strict=is_strict)
    if denied is not None:
        return denied
    if need.kind == "url":
        address = _judge_address(level, need, deed, wanted)
        if address.decision != "allow":
            return address
    if not wanted:
        return ALLOWED
    if rule := _match(level.ask, wanted):
        wants = f"profile {level.name!r} wants a person to approve {need.permission}"
        reason = need.finding.what if need.finding is not None else _about(need, wants)
        return Verdict("ask", reason, f"approval_required: {rule}")
    if _match(level.allow, wanted):
        return ALLOWED
    reason = _about(need, f"profile {level.name!r} does not allow {need.permission}")
    return Verdict("deny", reason, "default")


def _denied(level: Profile, need: Need, wanted: str) -> Verdict | None:
    rule = _match(level.deny, wanted)
    if rule is None:
        return None
    reason = _about(need, f"profile {level.name!r} denies {need.permission}")
    return Verdict("deny", reason, f"deny: {rule}")


def _limited(level: Profile, need: Need, deed: Deed, *, is_strict: bool) -> Verdict | None:
    wanted = folded(need.permission)
    for pattern, limits in level.restrictions:
        if not fnmatchcase(wanted, pattern):
            continue
        beyond = breach(limits, need, deed, is_exact=pattern == wanted)
        if beyond is None and is_strict:
            beyond = Breach("", "its calls must be looked at one by one")
        if beyond is not None:
            text = f"profile {level.name!r} restricts {need.permission}: {beyond.what}"
            limit = f".{beyond.limit}" if beyond.limit else ""
            return Verdict("deny", _about(need, text), f"restrictions: {pattern}{limit}")
    return None


def _judge_address(level: Profile, need: Need, deed: Deed, wanted: str) -> Verdict:
    """Judge an address; a host that these rules name is open, though its network is private."""
    urls = load("hermes.policy.urls")
    named = tuple(
        host
        for pattern, limits in level.restrictions
        if wanted and fnmatchcase(wanted, pattern)
        for host in limits.allowed_hosts or ()
    )
    verdict: Verdict = urls.judge(need.subject, urls.UrlRules(deed.allows_private, named))
    if verdict.decision == "allow":
        return verdict
    findings = tuple(each._replace(span=(0, len(need.subject))) for each in verdict.findings)
    return verdict._replace(rule=f"urls: {verdict.rule}", findings=findings)


def _match(patterns: tuple[str, ...], permission: str) -> str | None:
    return next((pattern for pattern in patterns if fnmatchcase(permission, pattern)), None)


_VERBS = {
    "file:read": "reads",
    "file:write": "changes",
    "file:delete": "deletes",
    "network:fetch": "fetches from",
    "network:send": "sends data to",
}


def _about(need: Need, text: str) -> str:
    """Return a sentence that begins with what was found out about a call."""
    if need.finding is not None:
        return f"{need.finding.what}, and {text}"
    verb = _VERBS.get(need.permission)
    if not need.is_found or not need.subject or verb is None:
        return text
    subject = need.subject.replace("\ufffc", "…")
    return f"{verb} {subject if len(subject) <= 120 else subject[:119] + '…'}, and {text}"


def folded(name: str) -> str:
    """Return a permission as it is compared: spaces around it and its case do not matter."""
    return name.strip().casefold()


def narrowed(profile: Profile, *others: Profile) -> Profile:
    """Return a profile that allows only what this one and all others allow."""
    refusal = next((each.refusal for each in (profile, *others) if each.refusal), "")
    return Profile(
        profile.name,
        allow=("*",),
        narrows=(profile, *others),
        level="session",
        description=profile.description,
        refusal=refusal,
    )


def choose(name: str, profiles: Mapping[str, Profile], file: object) -> Profile:
    """Return the named profile out of those that ship and those a file declares.

    Raises:
        ConfigError: there is no such profile; the nearest names are in the hint.
    """
    found = profiles.get(name)
    if found is None:
        known = f"Profiles: {', '.join(sorted(profiles)) or 'none'}. More can be put in {file}."
        hint = did_you_mean(name[:60], profiles) or known
        raise ConfigError(f"there is no permission profile {name[:60]!r}", hint=hint)
    return found


def danger(finding: Finding) -> Need:
    """Return the permission that doing a dangerous thing needs."""
    return Need(f"danger:{finding.category}", finding=finding)


def settled(profile: Profile) -> dict[str, Any]:
    """Return the sandbox and the limits that hold under a profile: the strictest of all levels."""
    sandbox: dict[str, str] = {}
    limits: dict[str, float] = {}
    for level in profile.levels():
        for key, value in level.sandbox:
            sandbox[key] = _stricter(key, sandbox.get(key), value)
        for name, most in level.limits:
            limits[name] = min(most, limits.get(name, most))
    return {"sandbox": sandbox, "limits": limits}


SANDBOX: Mapping[str, tuple[str, ...]] = {
    "fs": ("off", "workspace-write", "read-only"),
    "net": ("on", "proxy", "loopback", "off"),
    "on_missing": ("allow", "ask", "deny"),
}
"""What a sandbox can be told, from the widest to the strictest."""


def _stricter(key: str, one: str | None, other: str) -> str:
    order = SANDBOX[key]
    return other if one is None else max(one, other, key=order.index)
