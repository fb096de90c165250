"""Check calls: say what the rules make of them, without running anything."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.app.policies import policy_of
from hermes.app.profiles import resolve_profile
from hermes.base.errors import InvalidArguments, ToolError, UnknownTool
from hermes.base.text import did_you_mean
from hermes.policy.guesses import inferred_permissions, inferred_subjects
from hermes.policy.need import Deed
from hermes.policy.permissions import Profile
from hermes.policy.subjects import subjects_of
from hermes.policy.verdict import Verdict
from hermes.runtime.bind import bind
from hermes.runtime.call_policy import (
    CallPolicy,
    Described,
    declared_subjects,
    names_of,
)

if TYPE_CHECKING:
    from hermes.app.runtime import Runtime
    from hermes.runtime.entry import ToolEntry

_MOST_PROFILES = 100
_MAX_UNWRAPS = 3


class Checked(NamedTuple):
    """What would be said of a call, and what that rests on."""

    verdict: Verdict
    deed: Deed
    profile: Profile
    note: str = ""
    """What a person should know about how the call was read."""


class Checker:
    """Say what the rules make of calls; nothing is run and nobody is asked."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._policies: dict[str | None, CallPolicy] = {}
        self._notes: dict[str, str] = {}

    def check(
        self, name: str, arguments: Any, *, profile: str | None = None, cwd: str | None = None
    ) -> Checked:
        """Return the verdict over a call; a tool that is not registered is judged by its words.

        Raises:
            ConfigError: there is no such profile.
            ToolError: the call is none.
        """
        policy = self._policy(profile)
        folder = os.path.abspath(os.path.join(self._runtime.cwd, cwd or ""))  # noqa: PTH100, PTH118
        call, note = self._described(name, _as_object(arguments), folder)
        deed = policy.deed_of(call)
        return Checked(policy.profile.judge_deed(deed), deed, policy.profile, note)

    def _policy(self, name: str | None) -> CallPolicy:
        found = self._policies.get(name)
        if found is None:
            runtime = self._runtime
            chosen = runtime.profile if name is None else resolve_profile(runtime.settings, name)
            if len(self._policies) >= _MOST_PROFILES:
                self._policies.clear()
            found = policy_of(runtime.settings, runtime.environment, chosen)
            self._policies[name] = found
        return found

    def _note(self, name: str) -> str:
        found = self._notes.get(name)
        if found is None:
            near = did_you_mean(name[:60], self._runtime.registry.names()) or ""
            found = f"{name[:60]!r} is not registered, so its permissions are guessed. {near}"
            if len(self._notes) < _MOST_PROFILES:
                self._notes[name] = found.rstrip()
        return found.rstrip()

    def _described(
        self, name: str, arguments: dict[str, Any], folder: str, depth: int = 0
    ) -> tuple[Described, str]:
        registry = self._runtime.registry
        try:
            entry, alias = registry.find(name)
        except UnknownTool:
            return _guessed(name, arguments, folder), self._note(name)
        if alias is not None:
            arguments = alias.apply(arguments)
        fitted, note = _fitted(entry, arguments)
        if entry.unwrap is not None and depth < _MAX_UNWRAPS:
            inner, inside = entry.unwrap(fitted)
            return self._described(inner, _as_object(inside), folder, depth + 1)
        permissions = entry.permissions_of(fitted)
        subjects = declared_subjects(entry)
        call = Described.of(names_of(entry), permissions, fitted, subjects, (folder, folder))
        return call, note


def _guessed(name: str, arguments: dict[str, Any], folder: str) -> Described:
    declared = inferred_subjects(name)
    subjects = subjects_of(arguments, declared)
    permissions = inferred_permissions(name, subjects, arguments)
    return Described((name,), permissions, arguments, declared, folder, folder, subjects)


def _fitted(entry: ToolEntry, arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
    try:
        return bind(entry, entry.spec(), arguments)[0], ""
    except InvalidArguments as error:
        return arguments, f"The arguments do not fit the tool: {error.message}"


def _as_object(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = ()
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ToolError("the arguments of a call must be an object", hint='Write {"path": "a"}.')
    return given
