import json

import pytest

from hermes.mcp.definitions import ServerDefinitions, ToolDefinition

FULL = {
    "name": "add",
    "title": "Add",
    "description": "Adds.",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
    "_meta": {"x": 1},
}


def test_a_definition_comes_back_as_it_was_sent():
    assert ToolDefinition.from_wire(FULL).as_json() == FULL


def test_what_a_server_leaves_out_has_a_default():
    bare = ToolDefinition.from_wire({"name": "x"})
    assert bare.input_schema == {"type": "object", "properties": {}}
    assert (bare.is_read_only, bare.is_destructive, bare.is_idempotent, bare.is_open) == (
        False,
        True,
        False,
        True,
    )


def test_hints_that_are_no_booleans_count_for_nothing():
    odd = ToolDefinition.from_wire({"name": "x", "annotations": {"readOnlyHint": "yes"}})
    assert not odd.is_read_only


def test_a_tool_that_only_reads_is_idempotent_and_destroys_nothing():
    reading = ToolDefinition.from_wire(FULL)
    assert (reading.is_idempotent, reading.is_destructive, reading.is_open) == (True, False, False)


@pytest.mark.parametrize(
    "said",
    [{}, {"name": ""}, {"name": 3}, {"name": "x", "inputSchema": []}, {"name": "x", "title": 1}],
)
def test_a_malformed_tool_is_refused(said):
    with pytest.raises(ValueError, match=r"name|not a"):
        ToolDefinition.from_wire(said)


def test_all_that_a_server_offers_survives_a_file():
    all_of_it = ServerDefinitions(
        {"name": "s", "version": "1"},
        "Be kind.",
        "2025-11-25",
        (ToolDefinition.from_wire(FULL),),
        ({"uri": "a://b", "name": "b"},),
        ({"uriTemplate": "a://{x}", "name": "t"},),
        ({"name": "p"},),
        {"tools": {}, "resources": {}},
    )
    assert ServerDefinitions.from_wire(json.loads(json.dumps(all_of_it.as_json()))) == all_of_it
    assert all_of_it.has_resources
    assert not all_of_it.has_prompts
    assert all_of_it.tool("add") == all_of_it.tools[0]
    assert all_of_it.tool("sub") is None
