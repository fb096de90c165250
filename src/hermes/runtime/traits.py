"""Bring what authors say about a tool into the forms that an entry holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.policy.effects import unknown_effect
from hermes.runtime.entry import Alias, By, ToolEntry

_READING = {"read", "list", "search", "lookup"}
_RUNNING = {"execute", "run"}
_TRAITS = frozenset(ToolEntry._fields) - {"name", "toolset", "load", "spec", "is_async", "raw"}


def normalised(traits: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return traits in the entry's own forms; a misspelt one is refused."""
    known = dict(traits)
    _check_known(name, known)
    for key in ("timeout_seconds", "max_result_size_chars"):
        if key in known and known[key] is not None:
            _check_number(name, key, known[key])
    for key in ("requires_env", "requires_bin", "tags", "paths"):
        if key in known:
            known[key] = _words(known[key])
    if "permissions" in known and not callable(known["permissions"]):
        known["permissions"] = _words(known["permissions"])
    if "aliases" in known:
        known["aliases"] = tuple(_alias(given) for given in known["aliases"])
    for key, checked in (("subjects", _subjects), ("output_schema", _output_schema)):
        if known.get(key) is not None:
            known[key] = checked(name, known[key])
    known["effects"] = _effects(known.get("effects"), known.get("permissions", ()))
    return known


def _check_known(name: str, traits: Iterable[str]) -> None:
    for key in traits:
        if key not in _TRAITS:
            near = did_you_mean(key, _TRAITS)
            raise ConfigError(f"tool {name!r}: there is no option {key!r}", hint=near)


def _subjects(name: str, given: Any) -> dict[str, str]:
    if not isinstance(given, Mapping):
        fix = "Write it like subjects={'command': 'command'}."
        raise ConfigError(f"tool {name!r}: subjects must map parameters to kinds", hint=fix)
    subjects = load("hermes.policy.subjects")
    for parameter, kind in given.items():
        if not subjects.is_kind(kind):
            message = f"tool {name!r}: {parameter!r} cannot be declared as {kind!r}"
            known = ", ".join(subjects.KINDS)
            raise ConfigError(message, hint=f"Known kinds: {known}, code:<language>.")
    return dict(given)


def _output_schema(name: str, given: Any) -> dict[str, Any]:
    """An answer is an object on the wire, so that is what its schema must describe."""
    if not isinstance(given, Mapping) or given.get("type") != "object":
        fix = "Answers that are no object are {'result': …} on the wire; describe that."
        raise ConfigError(f"tool {name!r}: output_schema must describe an object", hint=fix)
    faults = load("hermes.schema.faults").schema_faults(dict(given))
    if faults:
        raise ConfigError(f"tool {name!r}: output_schema is broken: {'; '.join(faults[:5])}")
    return dict(given)


def _check_number(name: str, key: str, given: Any) -> None:
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if not is_number or not 0 < given < float("inf"):
        raise ConfigError(f"tool {name!r}: {key} must be a number above 0, not {given!r}")


def _words(given: str | Iterable[str] | None) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())


def _alias(given: str | Mapping[str, Any] | Alias) -> Alias:
    if isinstance(given, Alias):
        return given
    return Alias(given) if isinstance(given, str) else Alias(**given)


def _effects(given: Any, permissions: Any) -> Any:
    """Return declared effects; without any, what the permissions imply; without those, None."""
    if callable(given):
        return given
    if given is not None:
        words = frozenset(_words(given))
        for word in words:
            fix = unknown_effect(word)
            if fix:
                raise ConfigError(f"there is no effect {word!r}", hint=fix)
        return words
    if isinstance(permissions, By):
        implied = {value: tuple(_implied(words)) for value, words in permissions.choices.items()}
        return By(permissions.parameter, implied, permissions.otherwise)
    if callable(permissions):
        return lambda arguments: _implied(permissions(arguments))
    return _implied(permissions) if permissions else None


def _implied(permissions: Iterable[str]) -> frozenset[str]:
    effects = set()
    for permission in permissions:
        domain, _, verb = permission.partition(":")
        if domain == "network":
            effects.add("network")
        elif verb in _READING:
            effects.add("read")
        else:
            effects.add("exec" if verb in _RUNNING else "write")
    return frozenset(effects)
