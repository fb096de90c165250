"""Bend a tool's parameters to what a provider accepts, and lint them for all providers.

Every dialect is written from the plain form of ``schema.subset``. Where a provider cannot express
a free-form object it is asked for as JSON text, which the coercer reads back into an object.
"""

from __future__ import annotations

import re
from typing import Any

from hermes.schema.subset import Schema, one_object, reduce

_COMBINATORS = ("anyOf", "oneOf", "allOf", "not", "enum", "const")
_STRICT_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
_GRAMMAR_FORMATS = frozenset(("date", "time", "date-time", "uuid"))
_GEMINI_FORMATS = {
    "string": ("date-time",),
    "number": ("float", "double"),
    "integer": ("int32", "int64"),
}
_NUMBER_KEYS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_STRICT_KEYS = (*_NUMBER_KEYS, "pattern", "minItems", "maxItems")
_GEMINI_KEYS = ("pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")
_PATTERN_SAFE = re.compile(r"\^(?:[^\\]|\\[^A-Za-z0-9])*\$", re.DOTALL)
# llama.cpp refuses grammars whose repetitions exceed a fixed number
_MOST_REPEATS = 1_000
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def for_provider(schema: Schema, format: str, *, strict: bool = False) -> Schema:
    """Return parameters that a provider accepts; the same object when nothing had to change.

    ``format`` is one of ``FORMATS`` or ``"llama"`` for servers that turn schemas into grammars;
    ``strict`` asks for OpenAI's strict mode. The input is never changed.
    """
    if format == "mcp":
        return schema if schema.get("type") == "object" else {**schema, "type": "object"}
    if format == "gemini":
        plain = reduce(schema)
        return {**_gemini_object(plain), **_described(plain)}
    if format == "llama":
        return _same(schema, _llama_object(reduce(schema)))
    if strict and format.startswith("openai"):
        return _same(schema, _strict_object(reduce(schema)))
    properties = schema.get("properties")
    fits = schema.get("type") == "object" and isinstance(properties, dict)
    if fits and "$ref" not in schema and not any(word in schema for word in _COMBINATORS):
        return schema
    return one_object(schema)


def _same(before: Schema, after: Schema) -> Schema:
    return before if before == after else after


def _described(node: Schema, *notes: str) -> Schema:
    """Return the description of a node with what the dialect could not say appended."""
    words = [node.get("description", ""), *notes]
    text = " ".join(word for word in words if word)
    return {"description": text} if text else {}


def _default(node: Schema) -> str:
    value = node.get("default")
    if isinstance(value, bool):
        return f"Default: {str(value).lower()}."
    if isinstance(value, int | float) or (isinstance(value, str) and value):
        return f"Default: {value}."
    return ""


def _is_free(node: Schema) -> bool:
    """Say whether an object may hold keys that its schema does not name."""
    return not node["properties"] and node.get("additionalProperties") is not False


def _kept(node: Schema, keys: tuple[str, ...]) -> Schema:
    kept = {key: node[key] for key in keys if key in node}
    if "(?" in kept.get("pattern", ""):
        del kept["pattern"]
    return kept


# OpenAI strict mode: every property required, every object closed, optional means nullable.


def _strict(node: Schema, *, nullable: bool = False) -> Schema:
    nullable = nullable or node.get("nullable", False)
    if "anyOf" in node or "type" not in node:
        branches = [_strict(branch) for branch in node.get("anyOf", _anything("string"))]
        if nullable:
            branches.append({"type": "null"})
        return {**_described(node, _default(node)), "anyOf": branches}
    kind, note = node["type"], _default(node)
    if kind == "object" and _is_free(node):
        kind, note = "string", "A JSON object, written as text."
    plain: Schema = {"type": [kind, "null"] if nullable else kind, **_described(node, note)}
    if "enum" in node and kind != "array":
        plain["enum"] = [*node["enum"], None] if nullable else node["enum"]
    if node.get("format") in _STRICT_FORMATS and kind == "string":
        plain["format"] = node["format"]
    plain.update(_kept(node, _STRICT_KEYS))
    if kind == "array":
        plain["items"] = _strict(node["items"])
    if kind == "object":
        plain.update(_strict_object(node), type=plain["type"])
    return plain


def _strict_object(node: Schema) -> Schema:
    required = node.get("required", ())
    properties = {
        name: _strict(child, nullable=name not in required)
        for name, child in node["properties"].items()
    }
    return {
        "type": "object",
        **_described(node),
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _anything(*kinds: str) -> list[Schema]:
    return [{"type": kind} for kind in (*kinds, "number", "boolean")]


# llama.cpp: what its converter turns into a grammar and chat templates can print.


def _llama(node: Schema, *, required: bool = True) -> Schema:
    words: Schema = _described(node)
    if node.get("default") is not None:
        words["default"] = node["default"]
    null = [{"type": "null"}] if node.get("nullable") and required else []
    branches = [_llama(branch) for branch in node.get("anyOf", ())]
    if not branches and "type" not in node:
        branches = [*_anything("string"), _llama_object({"properties": {}})]
    if branches or null:
        left = ("nullable", "description", "default")
        bare = {key: value for key, value in node.items() if key not in left}
        return {**words, "anyOf": [*(branches or [_llama(bare)]), *null]}
    kind = node["type"]
    if kind == "object":
        return {**_llama_object(node), **words}
    plain: Schema = {"type": kind, **words}
    for key, value in node.items():
        if key not in ("type", "description", "default", "nullable", "items") and _grows(
            key, value
        ):
            plain[key] = value
    if kind == "array":
        plain["items"] = _llama(node["items"])
    return plain


def _grows(key: str, value: Any) -> bool:
    """Say whether the grammar converter can take a keyword as it stands."""
    if key == "pattern":
        return _PATTERN_SAFE.fullmatch(value) is not None and "(?" not in value
    if key == "format":
        return value in _GRAMMAR_FORMATS
    if key in ("minLength", "maxLength", "minItems", "maxItems"):
        return isinstance(value, int) and 0 <= value <= _MOST_REPEATS
    return key != "contentEncoding"


def _llama_object(node: Schema) -> Schema:
    required = node.get("required", [])
    plain: Schema = {"type": "object", **_described(node)}
    plain["properties"] = {
        name: _llama(child, required=name in required) for name, child in node["properties"].items()
    }
    if required:
        plain["required"] = required
    more = node.get("additionalProperties", True if not node["properties"] else None)
    if more is not None:
        plain["additionalProperties"] = _llama(more) if isinstance(more, dict) else more
    return plain


# Gemini: the documented subset of an OpenAPI 3.0 schema.


def _gemini(node: Schema) -> Schema:
    nullable = {"nullable": True} if node.get("nullable") else {}
    if "anyOf" in node or "type" not in node:
        branches = [_gemini(branch) for branch in node.get("anyOf", _anything("string"))]
        # the API wants anyOf to stand alone, so its words move into the first branch
        branches[0] = {**branches[0], **_described({**branches[0], **node}), **nullable}
        return {"anyOf": branches}
    kind, note = node["type"], _default(node)
    if kind == "object" and not node["properties"]:
        kind, note = "string", "A JSON object, written as text."
    values = list(dict.fromkeys(_as_text(value) for value in node.get("enum", ()) if value != ""))
    if values:
        return {"type": "STRING", **_described(node, note), "enum": values, **nullable}
    known = node.get("format") in _GEMINI_FORMATS.get(kind, ())
    if "format" in node and not known:
        note = f"Format: {node['format']}. {note}".strip()
    plain: Schema = {"type": kind.upper(), **_described(node, note), **nullable}
    if known:
        plain["format"] = node["format"]
    plain.update(_kept(node, _GEMINI_KEYS))
    plain.update(_bounds(node, kind))
    if kind == "array":
        plain["items"] = _gemini(node["items"])
    if kind == "object":
        plain.update(_gemini_object(node))
    return plain


def _gemini_object(node: Schema) -> Schema:
    properties = {name: _gemini(child) for name, child in node["properties"].items()}
    required = {"required": node["required"]} if node.get("required") else {}
    return {"type": "OBJECT", "properties": properties, **required}


def _bounds(node: Schema, kind: str) -> Schema:
    """Return exclusive bounds as inclusive ones: exact for integers, a little wider for numbers."""
    step = 1 if kind == "integer" else 0
    bounds: Schema = {}
    if "exclusiveMinimum" in node:
        least = node["exclusiveMinimum"] + step
        bounds["minimum"] = max(least, node.get("minimum", least))
    if "exclusiveMaximum" in node:
        most = node["exclusiveMaximum"] - step
        bounds["maximum"] = min(most, node.get("maximum", most))
    return bounds


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# Lint for authors.


def portability(schema: Schema) -> list[str]:
    """Return sentences on what in a schema some provider cannot take as written."""
    found = [
        f"{word} at the top level: most providers refuse it; describe one object instead"
        for word in _COMBINATORS
        if word in schema
    ]
    if schema.get("type") != "object":
        found.append("the top level has no type 'object': every provider wants one")
    _inspect(schema, "", found, depth=0)
    return list(dict.fromkeys(found))


def _inspect(node: object, path: str, found: list[str], *, depth: int) -> None:
    if not isinstance(node, dict) or depth > 40:
        return
    found.extend(f"{path or 'the top level'}: {problem}" for problem in _problems(node, path))
    properties = node.get("properties")
    for name, child in properties.items() if isinstance(properties, dict) else ():
        if not _PROPERTY_NAME.fullmatch(str(name)):
            found.append(
                f"property {name!r}: Anthropic allows letters, digits, '_', '.', '-', at most 64"
            )
        _inspect(child, f"{path}.{name}" if path else str(name), found, depth=depth + 1)
    _inspect(node.get("items"), f"{path}[]", found, depth=depth + 1)
    definitions = node.get("$defs")
    for name, child in definitions.items() if isinstance(definitions, dict) else ():
        _inspect(child, f"$defs.{name}", found, depth=depth + 1)
    for word in ("anyOf", "oneOf", "allOf"):
        variants = node.get(word)
        for variant in variants if isinstance(variants, list) else ():
            _inspect(variant, path, found, depth=depth + 1)


def _problems(node: Schema, path: str) -> list[str]:
    properties, values, kinds = node.get("properties"), node.get("enum"), node.get("type")
    required = node.get("required")
    known = properties if isinstance(properties, dict) else {}
    found = [
        f"requires {name!r}, which it does not describe"
        for name in (required if isinstance(required, list) else ())
        if str(name) not in known
    ]
    if "$ref" in node:
        found.append("a $ref is written out for Gemini and grammars; one that loops is cut there")
    if kinds == "object" and not properties and path:
        found.append("a free-form object: Gemini and strict mode are asked for JSON text instead")
    if isinstance(values, list) and any(not isinstance(value, str) for value in values):
        found.append("enum values that are not strings: Gemini is shown them as text")
    if isinstance(kinds, list) and sum(kind != "null" for kind in kinds) > 1:
        found.append("several types: written as anyOf where type lists are not known")
    if "(?" in str(node.get("pattern", "")):
        found.append("a pattern with a (?…) group is left out for strict mode, grammars and Gemini")
    found += [
        f"{word} is known to no strict mode; only the validator applies it"
        for word in ("not", "if", "dependentRequired", "dependentSchemas", "patternProperties")
        if word in node
    ]
    return found
