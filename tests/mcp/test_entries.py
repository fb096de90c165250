import pytest

from hermes.base.errors import Unavailable
from hermes.config.servers import server_of
from hermes.mcp.cache import Known
from hermes.mcp.definitions import ServerDefinitions, ToolDefinition
from hermes.mcp.entries import Maker, entries

MAKE = Maker(lambda name: name, lambda name: name)


def made(*tools, body=None, held=(), **definitions):
    settings = server_of("s", {"command": "x", **(body or {})})
    known = Known(ServerDefinitions(tools=tools, **definitions), tools, held)
    return {entry.name: entry for entry in entries("s", settings, known, MAKE)}


def tool(name, **hints):
    return ToolDefinition(name, description=f"{name}.", annotations=hints)


@pytest.mark.parametrize(
    ("hints", "effects", "permission", "parallel"),
    [
        ({"readOnlyHint": True}, {"read"}, "mcp:read", True),
        ({"destructiveHint": True}, {"write", "delete"}, "mcp:delete", None),
        ({"destructiveHint": False}, {"write"}, "mcp:write", None),
        ({"readOnlyHint": False}, {"write"}, "mcp:write", None),
        ({}, {"write"}, "mcp:write", True),
    ],
)
def test_hints_become_effects_and_permissions(hints, effects, permission, parallel):
    entry = made(tool("a", **hints))["mcp-s:a"]
    assert (entry.effects, entry.permissions, entry.parallel) == (effects, (permission,), parallel)


def test_a_server_elsewhere_is_the_network_and_its_paths_are_its_own():
    remote = {"command": None, "url": "https://h/mcp"}
    entry = made(tool("a", readOnlyHint=True), body=remote)["mcp-s:a"]
    assert entry.effects == {"read", "network"}
    assert entry.subjects == {}
    assert made(tool("a"))["mcp-s:a"].subjects is None


def test_calls_that_may_not_run_together_do_not():
    assert made(tool("a", readOnlyHint=True), body={"parallel": False})["mcp-s:a"].parallel is False


def test_resources_and_prompts_bring_tools_of_their_own():
    can = {"resources": {}, "prompts": {}}
    names = set(made(tool("a"), capabilities=can))
    assert names == {
        "mcp-s:a",
        "mcp-s:list_resources",
        "mcp-s:read_resource",
        "mcp-s:list_prompts",
        "mcp-s:get_prompt",
    }
    none = {"tools": {"resources": False, "prompts": False}}
    assert set(made(tool("a"), body=none, capabilities=can)) == {"mcp-s:a"}


def test_a_servers_own_tool_keeps_its_name_before_ours():
    found = made(tool("read_resource"), capabilities={"resources": {}})
    assert found["mcp-s:read_resource"].description.startswith("read_resource.")
    assert "mcp-s:server_read_resource" in found


def test_a_held_tool_is_there_and_says_why_it_cannot_be_used():
    entry = made(held=(("b", "it has changed"),))["mcp-s:b"]
    with pytest.raises(Unavailable, match="it has changed"):
        entry.check_fn()
    with pytest.raises(Unavailable, match="it has changed"):
        entry.handler  # noqa: B018 - looking is enough


def test_words_for_the_model_say_whose_they_are():
    assert "MCP server 's'" in made(tool("a"))["mcp-s:a"].description
    bare = ToolDefinition("bare", title="Bare one")
    assert made(bare)["mcp-s:bare"].description.startswith("Bare one")


def test_a_schema_without_a_type_is_that_of_an_object():
    odd = ToolDefinition("odd", input_schema={"required": []})
    assert made(odd)["mcp-s:odd"].parameters == {
        "properties": {},
        "required": [],
        "type": "object",
    }
