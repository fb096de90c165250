import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.schema.sanitize import for_provider, portability

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Where"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 3},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city"],
}


# Checkers: what each provider accepts, written from its documentation.


def check_gemini(node, *, root=False):
    assert isinstance(node, dict)
    if "anyOf" in node:
        assert set(node) == {"anyOf"}
        assert node["anyOf"]
        for branch in node["anyOf"]:
            check_gemini(branch)
        return
    known = {"type", "description", "nullable", "enum", "format", "properties", "required", "items"}
    known |= {"pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"}
    assert set(node) <= known
    assert node["type"] in ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT")
    if "enum" in node:
        assert node["type"] == "STRING"
        assert node["enum"]
        assert all(isinstance(value, str) and value for value in node["enum"])
    if "format" in node:
        allowed = {"STRING": ["date-time"], "NUMBER": ["float", "double"]}
        assert node["format"] in {**allowed, "INTEGER": ["int32", "int64"]}[node["type"]]
    if node["type"] == "ARRAY":
        check_gemini(node["items"])
    if node["type"] == "OBJECT":
        assert node["properties"] or root
        assert set(node.get("required", ())) <= set(node["properties"])
        for child in node["properties"].values():
            check_gemini(child)


def check_strict(node, *, root=False):
    known = {"type", "description", "enum", "format", "properties", "required", "items", "anyOf"}
    known |= {"additionalProperties", "pattern", "minimum", "maximum", "exclusiveMinimum"}
    known |= {"exclusiveMaximum", "multipleOf", "minItems", "maxItems"}
    assert set(node) <= known
    if "anyOf" in node:
        assert not root
        for branch in node["anyOf"]:
            check_strict(branch)
        return
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    assert set(kinds) <= {"string", "number", "integer", "boolean", "array", "object", "null"}
    if "enum" in node:
        assert (None in node["enum"]) == ("null" in kinds)
    if "array" in kinds:
        check_strict(node["items"])
    if "object" in kinds:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])
        for child in node["properties"].values():
            check_strict(child)


def check_llama(node):
    forbidden = {"$ref", "oneOf", "allOf", "not", "if", "prefixItems", "const", "nullable"}
    assert not forbidden & set(node)
    if "anyOf" in node:
        assert set(node) <= {"anyOf", "description", "default"}
        for branch in node["anyOf"]:
            check_llama(branch)
        return
    assert isinstance(node["type"], str)
    if node["type"] == "array":
        check_llama(node["items"])
    if node["type"] == "object":
        for child in node["properties"].values():
            check_llama(child)
        assert node["properties"] or "additionalProperties" in node
        if isinstance(node.get("additionalProperties"), dict):
            check_llama(node["additionalProperties"])
    assert node.get("format", "date") in ("date", "time", "date-time", "uuid")
    assert "\\d" not in node.get("pattern", "")


def check_root(node):
    assert node["type"] == "object"
    assert isinstance(node["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"} & set(node)


def check_all(schema):
    check_gemini(for_provider(schema, "gemini"), root=True)
    check_strict(for_provider(schema, "openai", strict=True), root=True)
    check_llama(for_provider(schema, "llama"))
    for format in ("openai", "openai-responses", "anthropic"):
        check_root(for_provider(schema, format))
    assert for_provider(schema, "mcp")["type"] == "object"


# Schemas as servers send them, sound or not.

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=4)
names = st.sampled_from(["a", "b", "c", "$ref", "type", "properties"])
references = st.sampled_from(["#", "#/$defs/A", "#/$defs/B", "#/properties/a", "#no", "x.json"])
kinds = st.sampled_from(
    ["string", "integer", "number", "boolean", "array", "object", "null", "any", "STRING"]
)


def nodes(children):
    lists = st.lists(children, max_size=3)
    tables = st.dictionaries(names, children, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, max_size=3) | st.none(),
            "description": st.text(max_size=5) | st.integers(),
            "title": st.text(max_size=5),
            "default": scalars,
            "enum": st.lists(scalars, max_size=3) | st.none(),
            "const": scalars,
            "format": st.sampled_from(["date", "date-time", "uri", "int32", "email"]),
            "pattern": st.sampled_from(["^a+$", r"^\d+$", "(?=x)", "a"]),
            "minimum": st.integers(0, 3) | st.booleans(),
            "exclusiveMinimum": st.integers(0, 3) | st.booleans(),
            "exclusiveMaximum": st.floats(0, 3),
            "maxLength": st.integers(0, 10_000),
            "minItems": st.integers(0, 3),
            "nullable": st.booleans(),
            "properties": tables,
            "required": st.lists(names, max_size=3) | st.booleans(),
            "additionalProperties": st.booleans() | children,
            "patternProperties": tables,
            "items": children | lists | st.booleans(),
            "prefixItems": lists,
            "anyOf": lists,
            "oneOf": lists,
            "allOf": lists,
            "not": children,
            "if": children,
            "$ref": references,
        },
    )


schemas = st.builds(
    lambda root, definitions: {**root, "$defs": definitions},
    st.recursive(nodes(st.just({})), nodes, max_leaves=5).filter(
        lambda node: isinstance(node, dict)
    ),
    st.fixed_dictionaries(
        {"A": nodes(st.just({"$ref": "#/$defs/B"})), "B": nodes(st.just({"$ref": "#/$defs/A"}))}
    ),
)


@settings(max_examples=300, deadline=None)
@given(schemas)
def test_what_comes_out_is_always_within_the_providers_subset(schema):
    before = copy.deepcopy(schema)
    check_all(schema)
    assert schema == before
    assert all(isinstance(line, str) for line in portability(schema))


@settings(max_examples=100, deadline=None)
@given(schemas, st.sampled_from(["openai", "anthropic", "gemini", "llama"]))
def test_sanitising_twice_changes_nothing_more(schema, format):
    once = for_provider(schema, format)
    assert for_provider(once, format) == once


def test_a_schema_that_fits_is_returned_itself():
    for format in ("openai", "openai-responses", "anthropic", "mcp", "llama"):
        assert for_provider(WEATHER, format) is WEATHER


def test_a_strict_schema_stays_itself_in_strict_mode():
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    assert for_provider(schema, "openai", strict=True) is schema


def test_strict_mode_requires_everything_and_makes_the_optional_nullable():
    assert for_provider(WEATHER, "openai", strict=True) == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where"},
            "days": {
                "type": ["integer", "null"],
                "description": "Default: 3.",
                "minimum": 1,
                "maximum": 7,
            },
            "unit": {"type": ["string", "null"], "enum": ["celsius", "fahrenheit", None]},
        },
        "required": ["city", "days", "unit"],
        "additionalProperties": False,
    }


def test_gemini_gets_its_own_dialect():
    schema = {
        "type": "object",
        "properties": {
            "level": {"enum": [1, 2, None]},
            "when": {"type": ["string", "null"], "format": "date"},
            "kind": {"const": "x"},
            "more": {"type": "object", "additionalProperties": {"type": "string"}},
            "value": {"oneOf": [{"type": "string"}, {"type": "integer", "exclusiveMinimum": 0}]},
            "list": {"type": "array"},
        },
        "required": ["kind", "gone"],
        "additionalProperties": False,
    }
    assert for_provider(schema, "gemini") == {
        "type": "OBJECT",
        "properties": {
            "level": {"type": "STRING", "enum": ["1", "2"], "nullable": True},
            "when": {"type": "STRING", "description": "Format: date.", "nullable": True},
            "kind": {"type": "STRING", "enum": ["x"]},
            "more": {"type": "STRING", "description": "A JSON object, written as text."},
            "value": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER", "minimum": 1}]},
            "list": {
                "type": "ARRAY",
                "items": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}]},
            },
        },
        "required": ["kind"],
    }


def test_variants_of_the_root_become_one_object():
    schema = {
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "anyOf": [
            {
                "properties": {"to": {"type": "string"}, "kind": {"const": "mail"}},
                "required": ["to", "kind"],
            },
            {
                "properties": {"kind": {"const": "call"}, "number": {"type": "string"}},
                "required": ["kind"],
            },
        ],
    }
    expected = {
        "properties": {
            "id": {"type": "integer"},
            "to": {"type": "string"},
            "kind": {"anyOf": [{"const": "mail"}, {"const": "call"}]},
            "number": {"type": "string"},
        },
        "required": ["id", "kind"],
        "type": "object",
    }
    assert for_provider(schema, "anthropic") == expected
    assert for_provider(schema, "openai") == expected
    kind = for_provider(schema, "llama")["properties"]["kind"]
    assert kind == {"type": "string", "enum": ["mail", "call"]}


def test_a_rule_that_asks_for_one_of_several_fields_leaves_the_object_alone():
    fields = {"title": {"type": "string"}, "text": {"type": "string"}}
    schema = {
        "type": "object",
        "properties": fields,
        "anyOf": [{"required": ["title"]}, {"required": ["text"]}],
    }
    assert for_provider(schema, "anthropic") == {"type": "object", "properties": fields}


def test_references_are_written_out_and_a_loop_is_cut_with_a_plain_object():
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree", "description": "The tree"}},
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                },
            }
        },
    }
    loop = {"type": "object", "properties": {}, "additionalProperties": True}
    assert for_provider(schema, "llama") == {
        "type": "object",
        "properties": {
            "tree": {
                "type": "object",
                "description": "The tree",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": loop},
                },
            }
        },
    }
    assert for_provider(schema, "anthropic") is schema


def test_references_that_fan_out_exponentially_stay_small():
    definitions = {
        f"L{level}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/L{level + 1}"} for name in "abc"},
        }
        for level in range(30)
    }
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/L0"}}, "$defs": definitions}
    assert len(json.dumps(for_provider(schema, "gemini"))) < 2_000_000
    variants = {f"V{n}": {"anyOf": [{"$ref": f"#/$defs/V{n + 1}"}] * 3} for n in range(40)}
    check_all({"anyOf": [{"$ref": "#/$defs/V0"}] * 3, "$defs": variants})
    every = {f"W{n}": {"allOf": [{"$ref": f"#/$defs/W{n + 1}"}] * 3} for n in range(40)}
    check_all({"allOf": [{"$ref": "#/$defs/W0"}] * 3, "$defs": every})


def test_a_very_deep_schema_is_cut_instead_of_overflowing():
    schema = {"type": "string"}
    for _ in range(500):
        schema = {"type": "array", "items": schema}
    check_all({"type": "object", "properties": {"x": schema}})


@pytest.mark.parametrize(
    ("given_node", "expected"),
    [
        ({"type": ["string", "null"]}, {"type": "string"}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, {"type": "integer"}),
        ({"type": "string", "pattern": r"^\d+$"}, {"type": "string"}),
        ({"type": "string", "pattern": "^[a-z]+$"}, {"type": "string", "pattern": "^[a-z]+$"}),
        ({"type": "string", "format": "uri"}, {"type": "string"}),
        ({"type": "string", "maxLength": 100_000}, {"type": "string"}),
        ({"type": "object"}, {"type": "object", "properties": {}, "additionalProperties": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    ],
)
def test_grammars_get_what_their_converter_can_read(given_node, expected):
    schema = {"type": "object", "properties": {"x": given_node}}
    assert for_provider(schema, "llama")["properties"]["x"] == expected


def test_a_required_nullable_value_keeps_its_null_in_a_grammar():
    schema = {
        "type": "object",
        "properties": {"x": {"type": ["string", "null"]}},
        "required": ["x"],
    }
    assert for_provider(schema, "llama")["properties"]["x"] == {
        "anyOf": [{"type": "string"}, {"type": "null"}]
    }


def test_an_any_branch_keeps_a_union_open():
    schema = {"type": "object", "properties": {"x": {"anyOf": [{"type": "string"}, {}]}}}
    branches = for_provider(schema, "llama")["properties"]["x"]["anyOf"]
    assert [branch["type"] for branch in branches] == ["string", "number", "boolean", "object"]


def test_the_lint_names_each_place_and_what_happens_there():
    schema = {
        "anyOf": [{"required": ["a"]}],
        "properties": {
            "headers": {"type": "object"},
            "level": {"enum": [1, 2]},
            "bad name": {"type": "string", "pattern": "(?i)x"},
        },
        "required": ["gone"],
    }
    lines = portability(schema)
    assert any(line.startswith("anyOf at the top level") for line in lines)
    assert any("no type 'object'" in line for line in lines)
    assert any(line.startswith("headers: a free-form object") for line in lines)
    assert any(line.startswith("level: enum values") for line in lines)
    assert any("'bad name'" in line for line in lines)
    assert any("requires 'gone'" in line for line in lines)


def test_a_portable_schema_has_nothing_to_lint():
    assert portability(WEATHER) == []
