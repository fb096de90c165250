"""Permission profiles: which ``domain:verb`` names may be used, asked for, or never."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.text import did_you_mean
from hermes.policy.verdict import ALLOWED, Verdict, strictest

KEYS = ("description", "allow", "deny", "approval_required", "restrictions")
_PERMISSION = re.compile(r"\*|[a-z0-9_.*-]+:[a-z0-9_.*-]+")
_DOMAIN = re.compile(r"[a-z0-9_.-]+")
_FORM = "Write it as domain:verb, such as 'file:read', 'file:*', '*:read' or '*'."

Place = tuple[str | int, ...]
Locate = Callable[[Place], Mapping[str, Any]]
"""Gives the ``file`` and ``line`` of a part of a profile, for the error about it."""


class Profile(NamedTuple):
    """A named set of rules; deny beats ask beats allow, and what nothing allows is denied."""

    name: str
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()
    refusal: str = ""
    """Why every call is denied, even one that needs no permission; empty when rules decide."""

    @classmethod
    def closed(cls, reason: str) -> Profile:
        """Return a profile that denies every call, for when the rules cannot be known."""
        return cls("closed", refusal=reason)

    def judge(self, permissions: Iterable[str]) -> Verdict:
        """Return the verdict over all permissions a call needs; one that needs none may run."""
        if self.refusal:
            return Verdict("deny", self.refusal, "no readable rules")
        return _judged(self, tuple(permissions))

    def judge_one(self, permission: str) -> Verdict:
        """Return the verdict over one permission."""
        wanted = folded(permission)
        rule = _match(self.deny, wanted)
        if rule:
            return Verdict("deny", f"profile {self.name!r} denies {permission}", f"deny: {rule}")
        rule = _match(self.restricted, wanted)
        if rule:
            reason = f"profile {self.name!r} restricts {permission} and nothing can check that here"
            return Verdict("deny", reason, f"restrictions: {rule}")
        rule = _match(self.ask, wanted)
        if rule:
            reason = f"profile {self.name!r} wants a person to approve {permission}"
            return Verdict("ask", reason, f"approval_required: {rule}")
        if _match(self.allow, wanted):
            return ALLOWED
        return Verdict("deny", f"profile {self.name!r} does not allow {permission}", "default")


@functools.lru_cache(maxsize=1_024)
def _judged(profile: Profile, permissions: tuple[str, ...]) -> Verdict:
    return strictest(profile.judge_one(permission) for permission in permissions)


def _match(patterns: tuple[str, ...], permission: str) -> str | None:
    return next((pattern for pattern in patterns if fnmatchcase(permission, pattern)), None)


def folded(name: str) -> str:
    """Return a permission as it is compared: spaces around it and its case do not matter."""
    return name.strip().casefold()


def profile(name: str, rules: Any, locate: Locate | None = None) -> Profile:
    """Return a profile from its mapping.

    Raises:
        ConfigError: a key is unknown, or a value is not what it must be; names the fix.
    """
    reader = _Reader(name, rules, locate)
    reader.check_keys()
    return Profile(
        name,
        allow=reader.names("allow"),
        deny=reader.names("deny"),
        ask=reader.names("approval_required"),
        restricted=reader.restricted(),
    )


def checked(given: Profile) -> Profile:
    """Return a profile that a program made by hand, with its names in the form that is compared.

    Raises:
        ConfigError: a rule is not a list of permissions.
    """
    if given.refusal:
        return given
    read = profile(
        given.name,
        {"allow": given.allow, "deny": given.deny, "approval_required": given.ask},
    )
    restricted = _Reader(given.name, {"restrictions": given.restricted}, None).names("restrictions")
    return read._replace(restricted=restricted)


def choose(name: str, profiles: Mapping[str, Profile], file: object) -> Profile:
    """Return the named profile out of those a file declares.

    Raises:
        ConfigError: there is no such profile; the nearest names are in the hint.
    """
    found = profiles.get(name)
    if found is None:
        known = f"Profiles in {file}: {', '.join(sorted(profiles)) or 'none'}."
        hint = did_you_mean(name[:60], profiles) or known
        raise ConfigError(f"there is no permission profile {_shown(name)}", hint=hint)
    return found


class _Reader(NamedTuple):
    """One profile as it is written, and where."""

    name: str
    rules: Any
    locate: Locate | None

    def check_keys(self) -> None:
        if not isinstance(self.rules, Mapping):
            fix = "Write it like {allow: [file:read], deny: [file:write]}."
            raise self._wrong((), f"must be a mapping of rules, not {_shown(self.rules)}", fix)
        for key in self.rules:
            if key not in KEYS:
                near = did_you_mean(str(key)[:60], KEYS)
                fix = near or f"Known keys: {', '.join(KEYS)}."
                raise self._wrong((key,), f"unknown key {_shown(key)}", fix)
        description = self.rules.get("description")
        if not isinstance(description, str | None):
            message = f"'description' must be text, not {_shown(description)}"
            raise self._wrong(("description",), message, "Quote it.")

    def names(self, key: str) -> tuple[str, ...]:
        given = self.rules.get(key)
        if given is None:
            return ()
        if not isinstance(given, list | tuple):
            message = f"{key!r} must be a list of permissions, not {_shown(given)}"
            raise self._wrong((key,), message, f"Write it like `{key}: [file:read, network:*]`.")
        return tuple(self._permission(key, at, item) for at, item in enumerate(given))

    def restricted(self) -> tuple[str, ...]:
        key = "restrictions"
        given = self.rules.get(key)
        if given is None:
            return ()
        fix = "Write it like `restrictions: {file:write: {allowed_paths: [/tmp/**]}}`."
        if not isinstance(given, Mapping):
            message = f"{key!r} must map permissions to limits, not {_shown(given)}"
            raise self._wrong((key,), message, fix)
        for name, limits in given.items():
            if not isinstance(limits, Mapping):
                message = f"{key!r}: {_shown(name)} must have a mapping of limits"
                raise self._wrong((key, name), f"{message}, not {_shown(limits)}", fix)
        return tuple(self._permission(key, name, name) for name in given)

    def _permission(self, key: str, at: str | int, given: Any) -> str:
        name = folded(given) if isinstance(given, str) else ""
        if not _PERMISSION.fullmatch(name):
            fix = f"Write {f'{name}:*'!r} for all of it." if _DOMAIN.fullmatch(name) else _FORM
            raise self._wrong((key, at), f"{key!r}: {_shown(given)} is not a permission", fix)
        return name

    def _wrong(self, place: Place, message: str, fix: str) -> ConfigError:
        where = self.locate(place) if self.locate else {}
        return ConfigError(f"profile {_shown(self.name)}: {message}", hint=fix, **where)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
