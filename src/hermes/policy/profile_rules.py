"""Read a profile out of the mapping that a person wrote; what is wrong is told with its fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.policy import limit_rules
from hermes.policy.limits import Limits
from hermes.policy.permissions import SANDBOX, Profile, choose, folded
from hermes.policy.verdict import CATEGORIES

RULES = ("allow", "deny", "approval_required", "restrictions")
KEYS = (
    "description", "extends", *RULES, "tools", "limits", "sandbox", "headless", "no_human",
    "examples",
)  # fmt: skip
LIMITS = ("timeout_s", "output_kib", "memory_mb", "processes", "calls_per_turn")
_PERMISSION = re.compile(r"\*|[a-z0-9_.*-]+:[a-z0-9_.*-]+")
_DOMAIN = re.compile(r"[a-z0-9_.-]+")
_FORM = "Write it as domain:verb, such as 'file:read', 'file:*', '*:read' or '*'."
_VERBS: Mapping[str, tuple[str, ...]] = {
    "danger": CATEGORIES,
    "file": ("read", "write", "delete"),
    "terminal": ("execute",),
    "network": ("search", "fetch", "lookup", "browse", "send"),
}
"""What is done in the domains that rules are mostly about, to find slips of the pen."""
_WORDS: Mapping[str, Mapping[str, list[str]]] = {
    "allow": {},
    "ask": {"approval_required": ["*"]},
    "deny": {"deny": ["*"]},
}

Place = tuple[str | int, ...]
Locate = Callable[[Place], Mapping[str, Any]]
"""Gives the ``file`` and ``line`` of a part of a profile, for the error about it."""
Known = Mapping[str, Profile]


def profile(
    name: str, rules: Any, locate: Locate | None = None, known: Known | None = None
) -> Profile:
    """Return a profile from its mapping; ``known`` are those that it may extend.

    Raises:
        ConfigError: a key is unknown, or a value is not what it must be; names the fix.
    """
    reader = _Reader(name, rules, locate)
    reader.check_keys((), rules, KEYS)
    wider = reader.extended(known or {})
    made = reader.rules_at((), rules, is_on_top=bool(wider))._replace(
        tools=reader.tools(),
        narrows=wider,
        description=reader.text("description"),
        is_headless=reader.flag("headless"),
        sandbox=reader.sandbox(),
        limits=reader.numbers(),
    )
    reader.check_examples(made)
    return made


def checked(given: Profile) -> Profile:
    """Return a profile that a program made by hand, with its names in the form that is compared.

    Raises:
        ConfigError: a rule is not a list of permissions.
    """
    if given.refusal:
        return given
    rules = {"allow": given.allow, "deny": given.deny, "approval_required": given.ask}
    read = profile(given.name, rules)
    return given._replace(allow=read.allow, deny=read.deny, ask=read.ask)


class _Reader(NamedTuple):
    """One profile as it is written, and where."""

    name: str
    rules: Any
    locate: Locate | None

    def check_keys(self, place: Place, rules: Any, known: tuple[str, ...]) -> None:
        if not isinstance(rules, Mapping):
            fix = "Write it like {allow: [file:read], deny: [file:write]}."
            what = f"must be a mapping of rules, not {_shown(rules)}"
            raise self.wrong(place, f"{_at(place)}{what}", fix)
        for key in rules:
            if key not in known:
                near = did_you_mean(str(key)[:60], known)
                fix = near or f"Known keys: {', '.join(known)}."
                raise self.wrong((*place, key), f"{_at(place)}unknown key {_shown(key)}", fix)

    def text(self, key: str) -> str:
        given = self.rules.get(key)
        if not isinstance(given, str | None):
            raise self.wrong((key,), f"{key!r} must be text, not {_shown(given)}", "Quote it.")
        return given or ""

    def flag(self, key: str) -> bool:
        given = self.rules.get(key, False)
        if not isinstance(given, bool):
            message = f"{key!r} must be true or false, not {_shown(given)}"
            raise self.wrong((key,), message, f"Write `{key}: true`.")
        if self.rules.get("no_human", "deny") != "deny":
            message = "'no_human' can only be deny: without a person, what is asked for is denied"
            raise self.wrong(("no_human",), message, "Allow what may run unasked.")
        return given

    def extended(self, known: Known) -> tuple[Profile, ...]:
        given = self.rules.get("extends")
        names = [given] if isinstance(given, str) else given or []
        if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
            message = f"'extends' must be the name of a profile, not {_shown(given)}"
            raise self.wrong(("extends",), message, "Write it like `extends: developer`.")
        try:
            return tuple(choose(each, known, "the permissions file") for each in names)
        except ConfigError as error:
            raise self.wrong(
                ("extends",), f"'extends': {error.message}", error.hint or ""
            ) from None

    def rules_at(self, place: Place, rules: Mapping[str, Any], *, is_on_top: bool) -> Profile:
        """Return the rules of a mapping; those on top of others allow what they do not mention."""
        is_open = is_on_top and rules.get("allow") is None
        return Profile(
            self.name,
            allow=("*",) if is_open else self.names(place, rules, "allow"),
            deny=self.names(place, rules, "deny"),
            ask=self.names(place, rules, "approval_required"),
            restrictions=self.restrictions(place, rules),
        )

    def names(self, place: Place, rules: Mapping[str, Any], key: str) -> tuple[str, ...]:
        given = rules.get(key)
        if given is None:
            return ()
        if not isinstance(given, list | tuple):
            message = f"{_at(place)}{key!r} must be a list of permissions, not {_shown(given)}"
            fix = f"Write it like `{key}: [file:read, network:*]`."
            raise self.wrong((*place, key), message, fix)
        return tuple(self._permission((*place, key), at, item) for at, item in enumerate(given))

    def restrictions(
        self, place: Place, rules: Mapping[str, Any]
    ) -> tuple[tuple[str, Limits], ...]:
        given = rules.get("restrictions")
        if given is None:
            return ()
        here = (*place, "restrictions")
        fix = "Write it like `restrictions: {file:write: {allowed_paths: [/tmp/**]}}`."
        if not isinstance(given, Mapping):
            message = f"'restrictions' must map permissions to limits, not {_shown(given)}"
            raise self.wrong(here, _at(place) + message, fix)
        found = []
        for name, limits in given.items():
            permission = self._permission(here, name, name)
            if not isinstance(limits, Mapping) or not limits:
                message = f"'restrictions': {_shown(name)} must have a mapping of limits"
                raise self.wrong((*here, name), f"{message}, not {_shown(limits)}", fix)
            found.append((permission, self._limits((*here, name), limits)))
        return tuple(found)

    def tools(self) -> tuple[tuple[str, Profile], ...]:
        given = self.rules.get("tools")
        if given is None:
            return ()
        if not isinstance(given, Mapping):
            message = f"'tools' must map tools to rules, not {_shown(given)}"
            fix = "Write it like `tools: {http_request: {allowed_hosts: [example.com]}}`."
            raise self.wrong(("tools",), message, fix)
        return tuple((str(name), self._tool(str(name), rules)) for name, rules in given.items())

    def _tool(self, name: str, rules: Any) -> Profile:
        place = ("tools", name)
        if isinstance(rules, str):
            if rules not in _WORDS:
                message = f"{_at(place)}{_shown(rules)} is no rule for a tool"
                raise self.wrong(place, message, f"Write {', '.join(_WORDS)}, or a mapping.")
            rules = _WORDS[rules]
        self.check_keys(place, rules, (*RULES, *Limits._fields))
        read = self.rules_at(place, rules, is_on_top=True)
        direct = {key: value for key, value in rules.items() if key in Limits._fields}
        if direct:
            everywhere = ("*", self._limits(place, direct))
            read = read._replace(restrictions=(*read.restrictions, everywhere))
        return read._replace(level="tool", description=name)

    def _limits(self, place: Place, given: Mapping[str, Any]) -> Limits:
        try:
            return limit_rules.read(given)
        except limit_rules.Wrong as wrong:
            message = f"{_at(place)}{wrong.message}"
            raise self.wrong((*place, *wrong.place), message, wrong.fix) from None

    def sandbox(self) -> tuple[tuple[str, str], ...]:
        given = self.rules.get("sandbox")
        if given is None:
            return ()
        self.check_keys(("sandbox",), given, tuple(SANDBOX))
        for key, value in given.items():
            if value not in SANDBOX[key]:
                message = f"'sandbox': {key!r} cannot be {_shown(value)}"
                fix = f"Write one of {', '.join(SANDBOX[key])}, quoted."
                raise self.wrong(("sandbox", key), message, fix)
        return tuple(given.items())

    def numbers(self) -> tuple[tuple[str, float], ...]:
        given = self.rules.get("limits")
        if given is None:
            return ()
        self.check_keys(("limits",), given, LIMITS)
        for key, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
                message = f"'limits': {key!r} must be a number above 0, not {_shown(value)}"
                raise self.wrong(("limits", key), message, f"Write it like `{key}: 120`.")
        return tuple(given.items())

    def check_examples(self, made: Profile) -> None:
        given = self.rules.get("examples")
        if given is None:
            return
        self.check_keys(("examples",), given, tuple(_WORDS))
        fix = "Write it like `examples: {deny: ['git push --force']}`."
        for key, commands in given.items():
            texts = isinstance(commands, list | tuple) and all(
                isinstance(each, str) for each in commands
            )
            if not texts:
                message = f"'examples': {key!r} must be a list of commands"
                raise self.wrong(("examples", key), message, fix)
        found = load("hermes.policy.examples").surprise(made, given)
        if found is not None:
            message = f"'examples': {found.decision!r}: {found.message}"
            fix = "Change the rules until they say what you mean, or the example."
            raise self.wrong(("examples", found.decision, found.at), message, fix)

    def _permission(self, place: Place, at: str | int, given: Any) -> str:
        name = folded(given) if isinstance(given, str) else ""
        if not _PERMISSION.fullmatch(name):
            fix = f"Write {f'{name}:*'!r} for all of it." if _DOMAIN.fullmatch(name) else _FORM
            message = f"{_at(place[:-1])}{place[-1]!r}: {_shown(given)} is not a permission"
            raise self.wrong((*place, at), message, fix)
        if slip := _slip(name):
            message = f"{_at(place[:-1])}{place[-1]!r}: nothing needs {_shown(given)}"
            raise self.wrong((*place, at), message, slip)
        return name

    def wrong(self, place: Place, message: str, fix: str) -> ConfigError:
        where = self.locate(place) if self.locate else {}
        return ConfigError(f"profile {_shown(self.name)}: {message}", hint=fix, **where)


def _slip(permission: str) -> str | None:
    """Return the fix for a permission that is nearly one; tools may have verbs of their own."""
    domain, _, verb = permission.partition(":")
    known = _VERBS.get(domain, ())
    if not known or any(fnmatchcase(each, verb) for each in known):
        return None
    if domain != "danger" and not did_you_mean(verb[:60], known):
        return None
    return f"Write {domain}: and one of {', '.join(known)}."


def _at(place: Place) -> str:
    return "".join(f"{part!r}: " for part in place)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
