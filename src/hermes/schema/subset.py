"""Reduce any JSON Schema to one plain form, from which every provider's dialect can be written.

A plain schema holds no reference and no combinator but ``anyOf``. Each node is one of
``{"anyOf": [...]}``, ``{"type": one type, ...}`` or neither, which means any value; where null is
allowed the node says ``"nullable": true``. Broken parts of a schema are dropped, never raised:
schemas come from servers we do not control.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TYPES = ("string", "integer", "number", "boolean", "array", "object")
_TEXT = ("description",)
_WORDS = {
    "string": ("pattern", "format", "contentEncoding"),
    "integer": ("format",),
    "number": ("format",),
}
_NUMBERS = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_HINTS = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("pattern", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
# References can fan out exponentially; past these bounds a part becomes "any value".
_MOST_NODES = 10_000
_DEEPEST = 40


def reduce(schema: object) -> Schema:
    """Return the plain form of a tool's parameters; the root is always one object."""
    return _Reader(schema).root()


def one_object(schema: Schema) -> Schema:
    """Return the schema with ``anyOf``, ``oneOf`` and ``allOf`` of its root folded into one object.

    Nothing beneath the root changes and references stay. What every variant requires is still
    required; rules that span variants are left to the validator.
    """
    return _Reader(schema).folded_root()


class _Reader:
    """Walks one schema, resolving references against its root."""

    def __init__(self, document: object) -> None:
        self._document = document
        self._left = _MOST_NODES

    def root(self) -> Schema:
        node, seen = self._resolved(self._document, ())
        plain = self._object(self._folded(node, seen), seen, 0)
        return {**_texts(node), "type": "object", **plain}

    def folded_root(self) -> Schema:
        node, seen = self._resolved(self._document, ())
        folded = self._folded(node, seen)
        properties = folded.pop("properties", {})
        return {**folded, "type": "object", "properties": properties}

    def read(self, schema: object, seen: tuple[str, ...], depth: int) -> Schema:
        node, seen = self._resolved(schema, seen)
        if self._left < 0 or depth > _DEEPEST:
            return _texts(node)
        variants = _variants(node)
        if variants and isinstance(node.get("properties"), dict):
            node = self._folded(node, seen)
            variants = []
        if variants:
            return self._union(node, variants, seen, depth)
        return self._single(node, seen, depth)

    def _resolved(self, schema: object, seen: tuple[str, ...]) -> tuple[Schema, tuple[str, ...]]:
        """Follow ``$ref`` and merge ``allOf``; a loop or a dead end becomes a plain object."""
        node = schema if isinstance(schema, dict) else {}
        self._left -= 1
        if self._left < 0:
            return _texts(node), seen
        while "$ref" in node:
            reference = node["$ref"]
            node = {key: value for key, value in node.items() if key != "$ref"}
            target = None if reference in seen else _pointed(self._document, reference)
            if not isinstance(target, dict):
                return {"type": "object", **_texts(node)}, seen
            seen = (*seen, reference)
            node = {**target, **node}
        parts = node.get("allOf")
        if isinstance(parts, list) and len(seen) < _DEEPEST:
            node = {key: value for key, value in node.items() if key != "allOf"}
            used = dict.fromkeys(seen)
            for part in parts:
                more, inner = self._resolved(part, (*seen, ""))
                used = dict.fromkeys((*used, *(step for step in inner if step)))
                node = _both(node, more)
            seen = tuple(used)
        return node, seen

    def _folded(self, node: Schema, seen: tuple[str, ...]) -> Schema:
        """Merge the properties of an object's variants into the object itself."""
        variants = [self._resolved(variant, seen)[0] for variant in _variants(node)]
        variants = [
            self._folded(variant, (*seen, "")) if len(seen) < _DEEPEST else variant
            for variant in variants
            if "object" in (_kinds(variant)[0] or ["object"]) and variant.get("type") != "null"
        ]
        dropped = ("anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else", "type")
        whole = {key: value for key, value in node.items() if key not in dropped}
        properties = dict(_mapping(whole.get("properties")))
        for variant in variants:
            for key, value in _mapping(variant.get("properties")).items():
                properties[key] = _either(properties[key], value) if key in properties else value
        required = [name for name in _names(whole.get("required")) if name in properties]
        shared = [
            name
            for name in properties
            if variants and all(name in _names(variant.get("required")) for variant in variants)
        ]
        whole["properties"] = properties
        whole["required"] = required + [name for name in shared if name not in required]
        if not whole["required"]:
            del whole["required"]
        return whole

    def _union(
        self, node: Schema, variants: list[Any], seen: tuple[str, ...], depth: int
    ) -> Schema:
        shared = {
            key: value
            for key, value in node.items()
            if key not in ("anyOf", "oneOf", "default", "nullable", *_TEXT)
        }
        nullable = node.get("nullable") is True
        branches: list[Schema] = []
        for variant in variants:
            inner, path = self._resolved(variant, seen)
            plain = self.read(_both(inner, shared), path, depth + 1)
            null = plain.pop("nullable", False)
            nullable = nullable or null
            if "type" not in plain and "anyOf" not in plain and not null:
                return _joined(node, [], nullable=nullable)
            for branch in plain["anyOf"] if set(plain) == {"anyOf"} else [plain]:
                if ("type" in branch or "anyOf" in branch) and branch not in branches:
                    branches.append(branch)
        return _joined(node, branches, nullable=nullable)

    def _single(self, node: Schema, seen: tuple[str, ...], depth: int) -> Schema:
        kinds, nullable = _kinds(node)
        values = _values(node)
        if values is not None:
            nullable = nullable or None in values
            values = [value for value in values if value is not None]
            kinds = _kinds_of(values, kinds)
        if not kinds:
            return _joined(node, [], nullable=nullable)
        branches = [self._typed(kind, node, values, seen, depth) for kind in kinds]
        return _joined(node, branches, nullable=nullable)

    def _typed(
        self, kind: str, node: Schema, values: list[Any] | None, seen: tuple[str, ...], depth: int
    ) -> Schema:
        plain: Schema = {"type": kind}
        if values is not None and kind not in ("array", "object"):
            fitting = [value for value in values if _fits(value, kind)]
            if fitting:
                plain["enum"] = fitting
        for word in _WORDS.get(kind, ()):
            if isinstance(node.get(word), str):
                plain[word] = node[word]
        for word in _NUMBERS.get(kind, ()):
            if isinstance(node.get(word), int | float) and not isinstance(node[word], bool):
                plain[word] = node[word]
        if kind == "array":
            plain["items"] = self.read(_items(node), seen, depth + 1)
        if kind == "object":
            plain.update(self._object(node, seen, depth))
        return plain

    def _object(self, node: Schema, seen: tuple[str, ...], depth: int) -> Schema:
        properties = {
            str(key): self.read(value, seen, depth + 1)
            for key, value in _mapping(node.get("properties")).items()
        }
        plain: Schema = {"properties": properties}
        required = [name for name in _names(node.get("required")) if name in properties]
        if required:
            plain["required"] = list(dict.fromkeys(required))
        more = node.get("additionalProperties", True if "patternProperties" in node else None)
        if isinstance(more, dict):
            plain["additionalProperties"] = self.read(more, seen, depth + 1) or True
        elif isinstance(more, bool):
            plain["additionalProperties"] = more
        return plain


def _joined(node: Schema, branches: list[Schema], *, nullable: bool) -> Schema:
    """Return one node for its branches, with the words of the original."""
    if len(branches) > 1 and all(set(branch) == {"type", "enum"} for branch in branches):
        branches = _one_enum(branches)
    plain: Schema = {"anyOf": branches} if len(branches) > 1 else dict(*branches)
    plain.update(_texts(node))
    if "default" in node:
        plain["default"] = node["default"]
    if nullable:
        plain["nullable"] = True
    return plain


def _one_enum(branches: list[Schema]) -> list[Schema]:
    merged: dict[str, list[Any]] = {}
    for branch in branches:
        values = merged.setdefault(branch["type"], [])
        values.extend(value for value in branch["enum"] if value not in values)
    return [{"type": kind, "enum": values} for kind, values in merged.items()]


def _both(first: Schema, second: Schema) -> Schema:
    """Return a node that asks for both, as far as one node can say it."""
    merged = {**second, **first}
    if "properties" in first and "properties" in second:
        ours, theirs = _mapping(first["properties"]), _mapping(second["properties"])
        merged["properties"] = {
            **ours,
            **{
                key: _met(ours[key], value) if key in ours else value
                for key, value in theirs.items()
            },
        }
    required = [*_names(first.get("required")), *_names(second.get("required"))]
    if required:
        merged["required"] = list(dict.fromkeys(required))
    return merged


def _met(first: object, second: object) -> object:
    if isinstance(first, dict) and isinstance(second, dict):
        return {**second, **first}
    return first


def _either(first: object, second: object) -> object:
    """Return a schema for a property that two variants describe."""
    if first == second:
        return first
    known = first["anyOf"] if isinstance(first, dict) and set(first) == {"anyOf"} else [first]
    return {"anyOf": known if second in known else [*known, second]}


def _pointed(document: object, reference: object) -> object:
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    place = document
    for step in reference.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, list) and key.isdecimal() and int(key) < len(place):
            place = place[int(key)]
        else:
            place = place.get(key) if isinstance(place, dict) else None
    return place


def _variants(node: Schema) -> list[Any]:
    for word in ("anyOf", "oneOf"):
        variants = node.get(word)
        if isinstance(variants, list) and variants:
            return variants
    return []


def _kinds(node: Schema) -> tuple[list[str], bool]:
    """Return the types a node names or implies, and whether null is one of them."""
    given = node.get("type")
    named = [
        kind.lower()
        for kind in (given if isinstance(given, list) else [given])
        if isinstance(kind, str)
    ]
    kinds = [kind for kind in dict.fromkeys(named) if kind in TYPES]
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    if not named:
        kinds = [kind for kind, words in _HINTS.items() if any(word in node for word in words)][:1]
    return kinds, "null" in named or node.get("nullable") is True


def _kinds_of(values: list[Any], kinds: list[str]) -> list[str]:
    fitting = [kind for kind in kinds or TYPES if any(_fits(value, kind) for value in values)]
    if not kinds and "number" in fitting and "integer" in fitting:
        whole = all(_fits(value, "integer") for value in values if _fits(value, "number"))
        fitting.remove("number" if whole else "integer")
    return fitting or kinds


def _fits(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":
        return isinstance(value, int)
    if kind == "number":
        return isinstance(value, int | float)
    return isinstance(value, {"string": str, "array": list, "object": dict}.get(kind, ()))


def _values(node: Schema) -> list[Any] | None:
    if "const" in node:
        return [node["const"]]
    values = node.get("enum")
    return values if isinstance(values, list) and values else None


def _items(node: Schema) -> object:
    items = node.get("prefixItems")
    items = items if isinstance(items, list) and items else node.get("items")
    return {"anyOf": items} if isinstance(items, list) and items else items


def _texts(node: Schema) -> Schema:
    return {key: node[key] for key in _TEXT if isinstance(node.get(key), str)}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _names(value: object) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
