"""Bend the arguments a model sent to the schema, exactly and only where there is one meaning.

A value that fits is never touched, nothing is rounded, and what cannot be converted without loss
stays as it is for the validator to report.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

from hermes.base.messages import Json
from hermes.schema.exact import exact
from hermes.schema.fitting.keys import near_misses, renames
from hermes.schema.fitting.scalars import NO, choose, convert, is_nothing
from hermes.schema.fitting.shape import (
    MAX_DEPTH,
    Shape,
    TooMuch,
    branches_of,
    is_type,
    item_schemas,
    mapping,
    member_schemas,
    same,
    types_of,
)
from hermes.schema.fitting.texts import is_broken_list, parsed, reads_as_list, split
from hermes.schema.fitting.words import Path, place, shown

_MAX_HOPS = 16
_MAX_PASSES = 4
_MAX_CHANGES = 50
_MAX_UNKNOWN = 50
_PARTS = ("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else")


@dataclass(frozen=True, slots=True)
class Coerced:
    """The value as it fits, what was changed for it, and the keys the schema does not know."""

    value: Json
    changes: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def coerce(schema: Json, value: Json, *, root: Json = None, drop_unknown: bool = False) -> Coerced:
    """Return a value bent to a schema; the caller's value is never changed.

    ``root`` is the schema that local references are resolved in, the schema itself by default.
    Keys an object may not have are named in ``unknown``; ``drop_unknown`` also leaves them out.
    """
    whole = schema if root is None else root
    changes: list[str] = []
    unknown: dict[str, None] = {}
    bent = value
    try:
        for _ in range(_MAX_PASSES):
            fitter = _Fitter(whole, drop_unknown=drop_unknown)
            again = fitter.fit(schema, bent, (), outer=frozenset())
            unknown |= dict.fromkeys(fitter.unknown)
            if again is bent:
                return Coerced(bent, _first(changes), list(unknown))
            changes += fitter.changes
            bent = again
    except (TooMuch, RecursionError):
        return Coerced(value)
    return Coerced(value)


def _first(changes: list[str]) -> list[str]:
    if len(changes) <= _MAX_CHANGES:
        return changes
    return [*changes[:_MAX_CHANGES], f"… and {len(changes) - _MAX_CHANGES:,} more changes"]


class _Fitter:
    """One pass over one value: what fits is returned itself, what changed is a new object."""

    def __init__(self, root: Json, *, drop_unknown: bool) -> None:
        self.shape = Shape(root)
        self.drop_unknown = drop_unknown
        self.changes: list[str] = []
        self.unknown: list[str] = []
        self.dropped = 0
        self._exact: dict[int, Callable[[object], bool] | None] = {}

    def fit(
        self, schema: Json, value: Json, path: Path, *, outer: frozenset[str], hops: int = 0
    ) -> Json:
        """Return the value bent to a schema; ``outer`` are keys that schemas around it know."""
        if not isinstance(schema, dict) or len(path) > MAX_DEPTH or hops > _MAX_HOPS:
            return value
        self.shape.spend()
        if any(part in schema for part in _PARTS):
            outer = outer.union(self.shape.names(schema))
        for part in self._all_parts(schema):
            value = self.fit(part, value, path, outer=outer, hops=hops + 1)
        value = self._own(schema, value, path, outer)
        branches = branches_of(schema)
        return self._union(branches, value, path, outer, hops + 1) if branches else value

    def _all_parts(self, schema: dict[str, Json]) -> list[Json]:
        target = self.shape.resolve(schema) if "$ref" in schema else None
        parts = schema.get("allOf")
        return [target, *parts] if isinstance(parts, list) else [target]

    def _own(self, schema: dict[str, Json], value: Json, path: Path, outer: frozenset[str]) -> Json:
        """Fit the value to the keywords of this very schema."""
        options = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(options, list):
            return self._option(schema, options, value, path)
        types = types_of(schema)
        if types and not any(is_type(value, name) for name in types):
            value = self._converted(schema, types, value, path)
        if isinstance(value, dict):
            return self._object(schema, value, path, outer)
        return self._array(schema, value, path) if isinstance(value, list) else value

    def _option(
        self, schema: dict[str, Json], options: list[Json], value: Json, path: Path
    ) -> Json:
        if any(same(option, value) for option in options):
            is_whole = isinstance(value, float) and types_of(schema) == ["integer"]
            return self._changed(path, value, int(value)) if is_whole else value
        chosen = choose(options, value)
        nullable = None in options or "null" in types_of(schema)
        if chosen is NO and nullable and is_nothing(value):
            chosen = None
        return value if chosen is NO else self._changed(path, value, chosen)

    def _converted(
        self, schema: dict[str, Json], types: list[str], value: Json, path: Path
    ) -> Json:
        order = sorted(types, key=lambda name: name == "array" and not reads_as_list(value))
        if isinstance(value, float) and "integer" in types:
            order = ["integer", *order]  # a whole number is one before it is a text
        for name in order:
            if name == "array":
                new = self._as_array(schema, value, path)
            elif name == "object":
                new = self._as_object(value, path)
            else:
                new = convert(value, name)
            if new is not NO:
                return self._changed(path, value, new)
        return value

    def _as_object(self, value: Json, path: Path) -> Json:
        if not path and (value is None or is_nothing(value)):
            return {}
        found = parsed(value, "{")
        return found if isinstance(found, dict) else NO

    def _as_array(self, schema: dict[str, Json], value: Json, path: Path) -> Json:
        """Return a list read from text, or the bare value as the only item where it fits."""
        if value is None or is_nothing(value):
            return NO
        found = parsed(value, "[(")
        if isinstance(found, list):
            return found
        prefix, rest = item_schemas(schema)
        if prefix:
            return NO
        pieces = split(value)
        if pieces is not None and all(self._fitting(rest, piece, path) for piece in pieces):
            return pieces
        if is_broken_list(value):
            return NO
        return [value] if self._fitting(rest, value, path) else NO

    def _fitting(self, schema: Json, value: Json, path: Path) -> bool:
        """Tell whether a value fits once bent, leaving no trace of the attempt."""
        marks = len(self.changes), len(self.unknown), self.dropped
        bent = self.fit(schema, value, path, outer=frozenset())
        fits = self.shape.fits(schema, bent) and self.dropped == marks[2]
        del self.changes[marks[0] :], self.unknown[marks[1] :]
        self.dropped = marks[2]
        return fits

    def _array(self, schema: dict[str, Json], value: list[Json], path: Path) -> Json:
        prefix, rest = item_schemas(schema)
        is_exact = self._exactly(rest)
        items: list[Json] | None = None
        for index, item in enumerate(value):
            sub = prefix[index] if index < len(prefix) else rest
            if sub is True or (sub is rest and is_exact is not None and is_exact(item)):
                continue
            new = self.fit(sub, item, (*path, index), outer=frozenset())
            if new is not item:
                items = list(value) if items is None else items
                items[index] = new
        return value if items is None else items

    def _exactly(self, schema: Json) -> Callable[[object], bool] | None:
        if not isinstance(schema, dict):
            return None
        if id(schema) not in self._exact:
            self._exact[id(schema)] = exact(schema)
        return self._exact[id(schema)]

    def _object(
        self, schema: dict[str, Json], value: dict[str, Json], path: Path, outer: frozenset[str]
    ) -> Json:
        members = dict(value)
        while self._drop_nothings(schema, members, path) or self._rename(
            schema, members, path, outer
        ):
            pass
        for key in list(members):
            subs = member_schemas(schema, key) if isinstance(key, str) else []
            if subs is None:
                self._unknown(members, key, path)
            for sub in subs or ():
                members[key] = self.fit(sub, members[key], (*path, key), outer=frozenset())
        if len(members) == len(value) and all(
            key in value and members[key] is value[key] for key in members
        ):
            return value
        return members

    def _drop_nothings(self, schema: dict[str, Json], members: dict[str, Json], path: Path) -> bool:
        """Take away one null that a property cannot be, so that its default applies."""
        required = schema.get("required")
        for name, sub in mapping(schema, "properties").items():
            given = members.get(name, NO)
            if given is not None and not is_nothing(given):
                continue
            if self.shape.fits(sub, given) or self._fitting(sub, given, (*path, name)):
                continue
            if given is not None and self._text_allowed(sub):
                continue
            if not isinstance(required, list) or name not in required:
                del members[name]
                self.changes.append(f"{place((*path, name))}: dropped {shown(given)}")
                return True
            if isinstance(sub, dict) and "default" in sub and self.shape.fits(sub, sub["default"]):
                members[name] = copy.deepcopy(sub["default"])
                self._changed((*path, name), given, members[name])
                return True
        return False

    def _text_allowed(self, schema: Json) -> bool:
        """Tell whether any text may stand here, so that an empty one is meant as it is."""
        if not isinstance(schema, dict) or "enum" in schema or "const" in schema:
            return not isinstance(schema, dict)
        target = self.shape.resolve(schema)
        branches = branches_of(schema)
        if target is not None:
            return self.shape.fits(target, "text")
        if branches:
            return any(self.shape.fits(branch, "text") for branch in branches)
        types = types_of(schema)
        return not types or "string" in types

    def _rename(
        self,
        schema: dict[str, Json],
        members: dict[str, Json],
        path: Path,
        outer: frozenset[str],
    ) -> bool:
        """Give one batch of unknown keys the names they can only mean."""
        properties = mapping(schema, "properties")
        closed = schema.get("additionalProperties") is False
        required = schema.get("required")
        needed = required if isinstance(required, list) else []
        free = [n for n in properties if n not in members and (closed or n in needed)]
        strange = [
            key
            for key in members
            if isinstance(key, str) and key not in properties and key not in outer
            if not closed or member_schemas(schema, key) is None
        ]
        if not free or not strange or len(strange) > _MAX_UNKNOWN:
            return False
        found = renames(strange, free, properties) or {
            key: name
            for key, name in near_misses(strange, free).items()
            if self._fitting(properties[name], members[key], (*path, name))
        }
        if found:
            renamed = {found.get(key, key): item for key, item in members.items()}
            members.clear()
            members.update(renamed)
            self.changes += [f"{place((*path, k))} → {place((*path, n))}" for k, n in found.items()]
        return bool(found)

    def _unknown(self, members: dict[str, Json], key: str, path: Path) -> None:
        name = place((*path, key))
        self.unknown.append(name)
        if self.drop_unknown:
            del members[key]
            self.dropped += 1
            self.changes.append(f"ignored unknown argument {name!r}")

    def _union(
        self, branches: list[Json], value: Json, path: Path, outer: frozenset[str], hops: int
    ) -> Json:
        """Fit the branch the value is in already, else the first that it can be bent to."""
        for whole in (False, True):
            for branch in branches:
                if self.shape.fits(branch, value, whole=whole):
                    return self.fit(branch, value, path, outer=outer, hops=hops)
        marks = len(self.changes), len(self.unknown), self.dropped
        best: tuple[int, Json, list[str], list[str]] | None = None
        for branch in sorted(branches, key=lambda b: _wants_list(b) and not reads_as_list(value)):
            bent = self.fit(branch, value, path, outer=outer, hops=hops)
            lost = self.dropped - marks[2]
            if self.shape.fits(branch, bent) and (best is None or lost < best[0]):
                best = lost, bent, self.changes[marks[0] :], self.unknown[marks[1] :]
            del self.changes[marks[0] :], self.unknown[marks[1] :]
            self.dropped = marks[2]
            if best is not None and best[0] == 0:
                break
        if best is None:
            return self._only_branch(branches, value, path, outer, hops)
        self.dropped += best[0]
        self.changes += best[2]
        self.unknown += best[3]
        return best[1]

    def _only_branch(
        self, branches: list[Json], value: Json, path: Path, outer: frozenset[str], hops: int
    ) -> Json:
        """Bend what can be bent where null is the only other branch; the rest is reported."""
        others = [b for b in branches if not (isinstance(b, dict) and b.get("type") == "null")]
        if len(others) != 1 or value is None:
            return value
        return self.fit(others[0], value, path, outer=outer, hops=hops)

    def _changed(self, path: Path, old: Json, new: Json) -> Json:
        is_told = len(self.changes) <= _MAX_CHANGES
        words = f"{place(path) or 'arguments'}: {shown(old)} → {shown(new)}" if is_told else "…"
        self.changes.append(words)
        return new


def _wants_list(schema: Json) -> bool:
    return isinstance(schema, dict) and "array" in types_of(schema)
