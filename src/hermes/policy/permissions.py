"""Permission profiles: which ``domain:verb`` names may be used, asked for, or never."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.text import did_you_mean
from hermes.policy.verdict import ALLOWED, Verdict, strictest

_KEYS = ("allow", "deny", "approval_required", "restrictions", "description")


class Profile(NamedTuple):
    """A named set of rules; deny beats ask beats allow, and what nothing allows is denied."""

    name: str
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()

    def judge(self, permissions: Iterable[str]) -> Verdict:
        """Return the verdict over all permissions a call needs; one that needs none may run."""
        return _judged(self, tuple(permissions))

    def judge_one(self, permission: str) -> Verdict:
        """Return the verdict over one permission."""
        rule = _match(self.deny, permission)
        if rule:
            return Verdict("deny", f"profile {self.name!r} denies {permission}", f"deny: {rule}")
        rule = _match(self.restricted, permission)
        if rule:
            reason = f"profile {self.name!r} restricts {permission} and nothing can check that here"
            return Verdict("deny", reason, f"restrictions: {rule}")
        rule = _match(self.ask, permission)
        if rule:
            reason = f"profile {self.name!r} wants a person to approve {permission}"
            return Verdict("ask", reason, f"approval_required: {rule}")
        if _match(self.allow, permission):
            return ALLOWED
        return Verdict("deny", f"profile {self.name!r} does not allow {permission}", "default")


@functools.lru_cache(maxsize=1_024)
def _judged(profile: Profile, permissions: tuple[str, ...]) -> Verdict:
    return strictest(profile.judge_one(permission) for permission in permissions)


def _match(patterns: tuple[str, ...], permission: str) -> str | None:
    return next((pattern for pattern in patterns if fnmatchcase(permission, pattern)), None)


def profile(name: str, rules: Mapping[str, Any]) -> Profile:
    """Return a profile from its mapping.

    Raises:
        ConfigError: a key is unknown or is not a list of permission names.
    """
    for key in rules:
        if key not in _KEYS:
            raise ConfigError(
                f"profile {name!r} has an unknown key {key!r}", hint=did_you_mean(key, _KEYS)
            )
    restrictions = rules.get("restrictions") or {}
    if not isinstance(restrictions, Mapping):
        raise ConfigError(f"profile {name!r}: 'restrictions' must map permissions to limits")
    return Profile(
        name,
        allow=_names(name, rules, "allow"),
        deny=_names(name, rules, "deny"),
        ask=_names(name, rules, "approval_required"),
        restricted=tuple(restrictions),
    )


def _names(profile_name: str, rules: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = rules.get(key) or ()
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise ConfigError(
            f"profile {profile_name!r}: {key!r} must be a list of names such as 'file:read'"
        )
    return tuple(given)


def choose(name: str, profiles: Mapping[str, Any]) -> Profile:
    """Return the named profile out of the mapping of a permissions file.

    Raises:
        ConfigError: there is no such profile.
    """
    if name not in profiles or not isinstance(profiles[name], Mapping):
        known = ", ".join(sorted(profiles)) or "none are defined"
        raise ConfigError(
            f"there is no permission profile {name!r}",
            hint=did_you_mean(name, profiles) or f"Known profiles: {known}.",
        )
    return profile(name, profiles[name])
