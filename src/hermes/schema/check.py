"""Check values against compiled schemas, and schemas against the rules of JSON Schema."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

import jsonschema_rs

from hermes.base.errors import ConfigError
from hermes.base.messages import Json
from hermes.base.text import plural
from hermes.schema.fitting.explain import MAX_PROBLEMS, Problem, explain, look_up_any
from hermes.schema.fitting.shape import mapping
from hermes.schema.fitting.wash import wash
from hermes.schema.fitting.words import Path, place, shown

MAX_SHOWN = 20
_LATEST = "https://json-schema.org/draft/2020-12/schema"
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*", re.S)
_DATA = frozenset({"default", "enum", "const", "examples"})

__all__ = ["MAX_SHOWN", "Checker", "Problem", "compile", "problems", "schema_problems", "sentences"]


class Checker:
    """Hold one schema compiled, to check any number of values.

    Raises:
        ConfigError: the schema itself is broken; the message says where.
    """

    def __init__(self, schema: Json) -> None:
        clean, faults = wash(schema)
        if faults:
            raise _broken(schema)
        self.schema = _without_nullable(clean)
        try:
            self._validator = _validator(self.schema)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            raise _broken(schema) from error

    def problems(self, value: Json) -> list[Problem]:
        """Return everything wrong with a value, in the order of its places; empty when it fits."""
        washed, faults = wash(value)
        if faults:
            return [Problem(place(path), message) for path, message in faults]
        if self._validator.is_valid(washed):
            return []
        errors = islice(self._validator.iter_errors(washed), MAX_PROBLEMS)
        return explain(self.schema, washed, errors)


def compile(schema: Json) -> Checker:
    """Return the checker of a schema, remembered for as long as this very schema is in use."""
    return _remembered(_Identity(schema))


def problems(schema: Json | Checker, value: Json) -> list[Problem]:
    """Return everything wrong with a value under a schema or a checker made from one."""
    checker = schema if isinstance(schema, Checker) else compile(schema)
    return checker.problems(value)


def sentences(found: Sequence[Problem]) -> list[str]:
    """Return the first problems as sentences and, past them, how many more there are."""
    lines = [problem.sentence() for problem in found[:MAX_SHOWN]]
    more = len(found) - MAX_SHOWN
    return [*lines, f"and {plural(more, 'more problem')}"] if more > 0 else lines


def schema_problems(schema: Json) -> list[str]:
    """Return what is wrong with a schema itself, one sentence each; empty when it is sound."""
    clean, faults = wash(schema)
    if faults:
        return [message for _, message in faults]
    named = clean.get("$schema") if isinstance(clean, dict) else None
    found: dict[str, None] = {}
    try:
        for error in _rules(named if isinstance(named, str) else _LATEST).iter_errors(clean):
            found[_about_schema(clean, error)] = None
        if not found:
            _validator(clean)
    except jsonschema_rs.ValidationError as error:
        found[_about_schema(clean, error) if error.instance_path else error.message] = None
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        found[str(error)] = None
    return [*found, *_impossible(clean, ())]


def _broken(schema: Json) -> ConfigError:
    first, *further = schema_problems(schema) or ["it cannot be compiled"]
    return ConfigError(
        f"the parameter schema is broken: {first}",
        hint="; ".join(further[:5]) or "Correct the schema where the tool is declared.",
    )


def _about_schema(schema: Json, error: jsonschema_rs.ValidationError) -> str:
    path = error.instance_path
    given = look_up_any(schema, path)
    if path and path[-1] == "type":
        return f"{place(path)}: {shown(given)} is not a type"
    return f"{place(path) or 'schema'}: {shown(given)}: {error.message}"


def _impossible(schema: Json, path: Path) -> Iterator[str]:
    """Name the properties that are required but may never be given."""
    if not isinstance(schema, dict):
        return
    properties, required = mapping(schema, "properties"), schema.get("required")
    if schema.get("additionalProperties") is False and "patternProperties" not in schema:
        for name in required if isinstance(required, list) else []:
            if name not in properties:
                yield f"{place((*path, 'required'))}: {name!r} is not among the properties"
    for name, sub in properties.items():
        yield from _impossible(sub, (*path, "properties", name))
    yield from _impossible(schema.get("items"), (*path, "items"))


class _Identity:
    """Stand for one very object as a key, and keep it alive while the key is."""

    def __init__(self, value: Json) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.value is other.value


@lru_cache(maxsize=256)
def _remembered(schema: _Identity) -> Checker:
    return Checker(schema.value)


@lru_cache(maxsize=8)
def _rules(uri: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for({"$schema": uri, "$ref": uri}, offline=True, mask="this")


def _validator(schema: Json) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        schema,
        validate_formats=True,
        formats={"date-time": _is_date_time},
        mask="this",
        offline=True,
    )


def _is_date_time(text: str) -> bool:
    """Accept ISO 8601 with or without an offset: models leave it out, Python reads both."""
    if not _DATE_TIME.fullmatch(text):
        return False
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _without_nullable(schema: Json) -> Json:
    """Return a schema in which OpenAPI's ``nullable: true`` is said in JSON Schema."""
    if isinstance(schema, list):
        return [_without_nullable(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: sub if key in _DATA else _without_nullable(sub) for key, sub in schema.items()}
    types = parts.get("type")
    if parts.get("nullable") is not True or not isinstance(types, (str, list)):
        return parts
    names = [types] if isinstance(types, str) else types
    parts["type"] = names if "null" in names else [*names, "null"]
    if isinstance(parts.get("enum"), list) and None not in parts["enum"]:
        parts["enum"] = [*parts["enum"], None]
    return parts
