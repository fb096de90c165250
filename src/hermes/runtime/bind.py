"""Fit a call's arguments to its tool: nothing to do when they fit already, repaired when not."""

from __future__ import annotations

from typing import Any

from hermes.base.errors import InvalidArguments
from hermes.base.messages import Json
from hermes.base.optional import load
from hermes.runtime.entry import HARMLESS, Arguments, Spec, ToolEntry


def bind(entry: ToolEntry, spec: Spec, arguments: Json) -> tuple[Arguments, tuple[str, ...]]:
    """Return the arguments as the tool takes them, and what was changed about them.

    Raises:
        InvalidArguments: they do not fit; all problems are named at once.
    """
    if spec.exact(arguments):
        return arguments, ()
    return _fitted(entry, spec, arguments)


def _fitted(entry: ToolEntry, spec: Spec, arguments: Json) -> tuple[Arguments, tuple[str, ...]]:
    given, changes = as_object(entry, arguments)
    if given is not arguments and spec.exact(given):
        return given, changes
    schema = spec.parameters
    if spec.checker is None:
        spec.checker = load("hermes.schema.check").Checker(schema)
    effects = entry.effects
    changes_things = callable(effects) or (effects is not None and not effects <= HARMLESS)
    coerced = load("hermes.schema.coerce").coerce(schema, given, drop_unknown=not changes_things)
    problems = spec.checker.problems(coerced.value)
    if problems:
        raise _invalid(entry, problems)
    return coerced.value, (*changes, *coerced.changes)


def as_object(entry: ToolEntry, arguments: Json) -> tuple[Json, tuple[str, ...]]:
    """Read arguments that came as text; a cut-off one is completed only for a tool that reads."""
    if arguments is None:
        return {}, ()
    if isinstance(arguments, (bytes, bytearray)):
        arguments = bytes(arguments).decode("utf-8", "replace")
    if not isinstance(arguments, str):
        return arguments, ()
    effects = entry.effects
    only_reads = effects is not None and not callable(effects) and effects <= HARMLESS
    repaired = load("hermes.schema.repair").read_arguments(arguments, complete_truncated=only_reads)
    return repaired.value, tuple(repaired.changes)


def _invalid(entry: ToolEntry, problems: list[Any]) -> InvalidArguments:
    sentences: list[str] = load("hermes.schema.check").sentences(problems)
    takes = ", ".join(
        f"{name}{'*' if name in entry.parameters.get('required', ()) else ''}"
        for name in entry.parameters.get("properties", {})
    )
    return InvalidArguments(
        f"{entry.name}: " + "; ".join(sentences),
        problems=sentences,
        hint=f"It takes: {takes} (* required)." if takes else "It takes no arguments.",
    )
