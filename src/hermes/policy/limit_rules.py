"""Read the limits of a permission out of the mapping that a person wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.policy.limits import Limits
from hermes.policy.shipped import PACKAGE_HOSTS

_HOST = re.compile(r"\*|(?:\*\.)?[^\s/*@#?${}]+")
_METHOD = re.compile(r"[A-Za-z]+")


class Wrong(Exception):
    """Say what is wrong with limits, where below them, and the fix."""

    def __init__(self, place: tuple[str | int, ...], message: str, fix: str) -> None:
        super().__init__(message)
        self.place, self.message, self.fix = place, message, fix


def read(given: Mapping[str, Any]) -> Limits:
    """Return the limits that a mapping holds.

    Raises:
        Wrong: a key is unknown, or a value is not what it must be.
    """
    found: dict[str, Any] = {}
    for key, value in given.items():
        if key not in Limits._fields:
            fix = did_you_mean(str(key)[:60], Limits._fields)
            known = f"Known limits: {', '.join(Limits._fields)}."
            raise Wrong((key,), f"unknown limit {key!r:.80}", fix or known)
        if key in ("max", "regex"):
            found[key] = _by_argument(key, value)
        else:
            found[key] = _listed(key, value)
    return Limits(**found)


def _listed(key: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        fix = f"Write it like `{key}: {_EXAMPLES[key]}`."
        raise Wrong((key,), f"{key!r} must be a list of texts, not {given!r:.80}", fix)
    found: list[str] = []
    for at, text in enumerate(given):
        fault = _fault(key, text)
        if fault:
            fix = f"Write it like {_EXAMPLES[key]}."
            raise Wrong((key, at), f"{key!r}: {text[:60]!r} {fault}", fix)
        found += PACKAGE_HOSTS if text == "${package_hosts}" else [text]
    if key == "methods":
        return tuple(text.upper() for text in found)
    return tuple(found)


_EXAMPLES = {
    "allowed_paths": "['${workspace}/**', /tmp/**]",
    "denied_paths": "['${workspace}/.env', '**/*.pem']",
    "allowed_commands": "['git status', 'git log *']",
    "denied_commands": "['git push *', 'rm -rf /']",
    "allowed_hosts": "[example.com, '*.example.org']",
    "denied_hosts": "[example.com, '*.example.org']",
    "methods": "[GET, HEAD]",
}


def _fault(key: str, text: str) -> str | None:
    fault: str | None = None
    if key.endswith("_paths"):
        fault = load("hermes.policy.path_globs").fault(text)
    elif key.endswith("_commands"):
        fault = load("hermes.policy.command_rules").fault(text)
    elif key.endswith("_hosts"):
        is_host = text == "${package_hosts}" or _HOST.fullmatch(text)
        fault = None if is_host else "is no host"
    elif not _METHOD.fullmatch(text):
        fault = "is no method"
    return fault


def _by_argument(key: str, given: Any) -> tuple[tuple[str, Any], ...]:
    example = "{limit: 100}" if key == "max" else "{branch: 'feature/.*'}"
    fix = f"Write it like `{key}: {example}`."
    if not isinstance(given, Mapping):
        raise Wrong((key,), f"{key!r} must map arguments to values, not {given!r:.80}", fix)
    for name, value in given.items():
        fault = _number_fault(value) if key == "max" else _regex_fault(value)
        if not isinstance(name, str) or fault:
            raise Wrong((key, name), f"{key!r}: {name!r:.60} {fault}", fix)
    return tuple(given.items())


def _number_fault(value: Any) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return None if is_number else f"must be a number, not {value!r:.60}"


def _regex_fault(value: Any) -> str | None:
    if not isinstance(value, str):
        return f"must be a regular expression, not {value!r:.60}"
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        return f"is no regular expression: {error}"
    return None
