"""Limits of a permission: which paths, commands, hosts and argument values it stands for."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes.base.optional import load
from hermes.policy.need import Deed, Need

_SUBJECTS = {"file": "path", "network": "host"}
_RUNNING = frozenset({"execute", "run"})
_UNKNOWN = "\ufffc"
_NUMBER = r"[-+]?\d{1,300}(?:\.\d{0,300})?"


class Limits(NamedTuple):
    """What a permission is limited to; all of it must hold, and denied beats allowed."""

    allowed_paths: tuple[str, ...] | None = None
    denied_paths: tuple[str, ...] = ()
    allowed_commands: tuple[str, ...] | None = None
    denied_commands: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] | None = None
    denied_hosts: tuple[str, ...] = ()
    methods: tuple[str, ...] | None = None
    max: tuple[tuple[str, float], ...] = ()
    """The largest value of an argument; of a text or a list, its greatest length."""
    regex: tuple[tuple[str, str], ...] = ()
    """What an argument must match as a whole."""

    @property
    def limits_paths(self) -> bool:
        """Whether paths are limited."""
        return self.allowed_paths is not None or bool(self.denied_paths)

    @property
    def limits_commands(self) -> bool:
        """Whether commands are limited."""
        return self.allowed_commands is not None or bool(self.denied_commands)

    @property
    def limits_hosts(self) -> bool:
        """Whether hosts are limited."""
        return self.allowed_hosts is not None or bool(self.denied_hosts)


class Breach(NamedTuple):
    """The limit that a call goes beyond, and how."""

    limit: str
    what: str


def breach(limits: Limits, need: Need, deed: Deed, *, is_exact: bool) -> Breach | None:
    """Return how a need goes beyond limits; what cannot be checked does.

    ``is_exact`` says that the limits were written for just this permission, so that they must
    have something to check.
    """
    found = None
    if need.kind == "path" and limits.limits_paths:
        found = _path(limits, need, deed)
    elif need.kind == "command" and limits.limits_commands:
        found = _command(limits, need)
    elif need.kind in ("host", "url") and limits.limits_hosts:
        found = _host(limits, need)
    elif not need.kind and need.finding is None:
        found = _unchecked(limits, need, is_exact=is_exact)
    return found or _arguments(limits, deed.arguments)


def _unchecked(limits: Limits, need: Need, *, is_exact: bool) -> Breach | None:
    """Refuse a need whose subject nobody knows where that subject is limited."""
    limited = {
        "path": limits.limits_paths,
        "command": limits.limits_commands,
        "host": limits.limits_hosts,
    }
    domain, _, verb = need.permission.partition(":")
    wanted = _SUBJECTS.get(domain, "command" if verb in _RUNNING else "")
    if not any(limited.values()) or not (is_exact or limited.get(wanted, False)):
        return None
    return Breach("", "nothing can check that here")


def _path(limits: Limits, need: Need, deed: Deed) -> Breach | None:
    globs = load("hermes.policy.path_globs")
    path, places = need.subject, deed.places
    if places is None or (not path.startswith("/") and limits.allowed_paths is not None):
        return Breach("allowed_paths", "the path cannot be known beforehand")
    is_deleted = need.permission == "file:delete"
    if limits.denied_paths and (
        not path.startswith("/")
        or globs.is_touched(path, limits.denied_paths, places, is_deleted=is_deleted)
    ):
        if _UNKNOWN in path:
            return Breach("denied_paths", f"{_shown(path)} may turn out to be a denied path")
        return Breach("denied_paths", f"{path} is a denied path")
    allowed = limits.allowed_paths
    if allowed is not None and (
        _UNKNOWN in path or not globs.is_covered(path, allowed, places, is_deleted=is_deleted)
    ):
        return Breach("allowed_paths", f"{_shown(path)} is not among the allowed paths")
    return None


def _shown(path: str) -> str:
    return path.replace(_UNKNOWN, "…")


def _command(limits: Limits, need: Need) -> Breach | None:
    rules = load("hermes.policy.command_rules")
    allowed = limits.allowed_commands
    if not need.is_understood:
        limit = "denied_commands" if allowed is None else "allowed_commands"
        return Breach(limit, "what it runs cannot be known beforehand")
    for text in limits.denied_commands:
        if rules.is_denied(text, need.commands, need.subject):
            return Breach("denied_commands", f"it runs {text!r}, which is a denied command")
    if allowed is not None and not rules.is_allowed(allowed, need.commands, need.subject):
        return Breach("allowed_commands", "it runs more than the allowed commands")
    return None


def _host(limits: Limits, need: Need) -> Breach | None:
    urls = load("hermes.policy.urls")
    key = "denied_hosts" if limits.allowed_hosts is None else "allowed_hosts"
    if limits.allowed_hosts == ():
        return Breach(key, "no host is allowed")
    if _UNKNOWN in need.subject or not need.subject:
        return Breach(key, "the host cannot be known beforehand")
    address = need.subject if need.kind == "url" else f"http://{need.subject}/"
    allowed, denied = limits.allowed_hosts or (), limits.denied_hosts
    verdict = urls.judge(address, urls.UrlRules(True, allowed, denied))
    return None if verdict.decision == "allow" else Breach(verdict.rule, verdict.reason)


def _arguments(limits: Limits, arguments: Mapping[str, Any]) -> Breach | None:
    if limits.methods is not None:
        method = str(arguments.get("method") or "GET").upper()
        if method not in limits.methods:
            return Breach("methods", f"the method {method[:20]!r} is not among the allowed ones")
    for name, most in limits.max:
        if name in arguments and not _is_within(arguments[name], most):
            return Breach("max", f"{name!r} is above {most:g}")
    for name, wanted in limits.regex:
        if name in arguments and not _fits(arguments[name], wanted):
            return Breach("regex", f"{name!r} does not match {wanted!r}")
    return None


def _is_within(value: Any, most: float) -> bool:
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return value <= most
    if isinstance(value, str) and re.fullmatch(_NUMBER, value.strip()):
        return float(value) <= most
    return not isinstance(value, str | list | dict) or len(value) <= most


def _fits(value: Any, wanted: str) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(_compiled(wanted).fullmatch(str(each)) is not None for each in values)


@functools.lru_cache(maxsize=512)
def _compiled(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)
