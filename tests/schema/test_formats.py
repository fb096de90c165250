import json
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.base.errors import HermesError
from hermes.schema.formats import FORMATS, render, safe_name, safe_names

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def test_each_format_has_its_shape():
    head = {"name": "read", "description": "Read it."}
    assert {format: render(format, "read", "Read it.", PARAMETERS) for format in FORMATS} == {
        "openai": {"type": "function", "function": {**head, "parameters": PARAMETERS}},
        "openai-responses": {"type": "function", **head, "parameters": PARAMETERS, "strict": False},
        "anthropic": {**head, "input_schema": PARAMETERS},
        "gemini": {
            **head,
            "parameters": {
                "type": "OBJECT",
                "properties": {"path": {"type": "STRING"}},
                "required": ["path"],
            },
        },
        "mcp": {**head, "inputSchema": PARAMETERS},
    }


def test_strict_closes_the_schema_and_says_so():
    closed = {**PARAMETERS, "additionalProperties": False}
    chat = render("openai", "read", "Read it.", PARAMETERS, strict=True)["function"]
    assert (chat["strict"], chat["parameters"]) == (True, closed)
    responses = render("openai-responses", "read", "Read it.", PARAMETERS, strict=True)
    assert (responses["strict"], responses["parameters"]) == (True, closed)


def test_mcp_shows_annotations_and_the_output_schema_when_there_are_any():
    output = {"type": "object", "properties": {"text": {"type": "string"}}}
    shown = render(
        "mcp", "r", "", PARAMETERS, annotations={"readOnlyHint": True}, output_schema=output
    )
    assert shown["annotations"] == {"readOnlyHint": True}
    assert shown["outputSchema"] == output
    assert "annotations" not in render("mcp", "r", "", PARAMETERS, annotations={})


def test_a_gemini_tool_without_parameters_names_none():
    assert render("gemini", "back", "Go back.", {"type": "object", "properties": {}}) == {
        "name": "back",
        "description": "Go back.",
    }


def test_a_quirk_is_applied_on_top_of_the_format():
    bare = {"type": "object", "properties": {"x": {"type": "string", "pattern": r"^\d$"}}}
    assert render("openai", "t", "", bare)["function"]["parameters"] is bare
    parameters = render("openai", "t", "", bare, quirks=("llama",))["function"]["parameters"]
    assert parameters == {"type": "object", "properties": {"x": {"type": "string"}}}


def test_an_unknown_format_suggests_the_nearest():
    with pytest.raises(HermesError) as caught:
        render("antropic", "t", "", PARAMETERS)
    assert caught.value.hint == "Did you mean 'anthropic'?"
    assert caught.value.code == "unknown_format"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("read_file", "read_file"),
        ("mcp-github:create_issue", "mcp__github__create_issue"),
        ("mcp-a:b__c", "mcp__a__b__c"),
    ],
)
def test_readable_names_stay_readable(name, safe):
    assert safe_name(name) == safe


def test_names_that_would_read_alike_are_told_apart():
    assert safe_name("mcp-a__b:c") != safe_name("mcp-a:b__c")
    assert safe_name("mcp-a_:b") != safe_name("mcp-a:_b")


def test_a_long_name_keeps_both_ends_and_its_neighbour_differs():
    first = safe_name("mcp-warehouse:" + "very_" * 20 + "list_items")
    second = safe_name("mcp-warehouse:" + "very_" * 21 + "list_items")
    assert first.startswith("mcp__warehouse__very_")
    assert "list_items" in first
    assert len(first) == 64
    assert first != second


def test_a_taken_name_makes_way():
    assert safe_name("mcp-a:b", {"mcp__a__b"}) not in ("mcp__a__b", "mcp-a:b")


def test_names_that_fit_keep_themselves_whatever_the_order():
    names = ["mcp-a:b", "mcp__a__b", "ünïcode", "1st"]
    mapped = safe_names(names)
    assert mapped == safe_names(reversed(names))
    assert mapped["mcp__a__b"] == "mcp__a__b"
    assert mapped["mcp-a:b"] != "mcp__a__b"


words = st.text(st.sampled_from("ab_-:.é漢 1\ud800"), max_size=90) | st.text(max_size=90)
tool_names = words | st.builds("mcp-{}:{}".format, words, words)


@settings(max_examples=200, deadline=None)
@given(st.lists(tool_names, max_size=12))
def test_safe_names_are_valid_everywhere_and_never_shared(names):
    mapped = safe_names(names)
    assert set(mapped) == set(names)
    assert len(set(mapped.values())) == len(mapped)
    for safe in mapped.values():
        assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", safe)


def test_definitions_are_the_same_bytes_in_every_process():
    code = (
        "import json; from hermes.schema.formats import render, safe_name;"
        "p = {'type': 'object', 'properties': {'b': {'type': ['string', 'null']},"
        " 'a': {'enum': [1, 'x']}}};"
        "print(json.dumps([render(f, safe_name('mcp-x:é'), 'd', p) for f in"
        " ('openai', 'anthropic', 'gemini', 'mcp')]))"
    )
    runs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        for _ in range(2)
    }
    assert len(runs) == 1
    assert len(json.loads(runs.pop())) == 4


def test_rendering_loads_nothing_heavy():
    code = (
        "import sys, hermes.schema.formats;"
        "heavy = ('dataclasses', 'inspect', 'msgspec', 'asyncio', 'json');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
