import threading

import pytest

from hermes.base.errors import ConfigError, UnknownTool
from hermes.runtime.registry import ToolRegistry

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}


def echo(args, **kw):
    return args


def test_a_raw_tool_is_found_by_its_name(registry):
    entry = registry.register("echo", "custom", SCHEMA, echo, description="Echo.")
    assert registry.get("echo") is entry
    assert (entry.toolset, entry.description, entry.parameters) == ("custom", "Echo.", SCHEMA)


@pytest.mark.parametrize(
    "wrapped",
    [
        {"type": "function", "function": {"name": "e", "description": "D", "parameters": SCHEMA}},
        {"name": "e", "description": "D", "parameters": SCHEMA},
        {"name": "e", "description": "D", "input_schema": SCHEMA},
        {**SCHEMA, "description": "D"},
    ],
)
def test_a_schema_is_taken_bare_or_wrapped(registry, wrapped):
    entry = registry.register("e", "custom", wrapped, echo)
    assert entry.description == "D"
    assert entry.parameters["properties"] == SCHEMA["properties"]


def test_a_name_of_another_toolset_is_refused_aloud(registry):
    first = registry.register("echo", "one", SCHEMA, echo)
    with pytest.raises(ConfigError, match="belongs to toolset 'one'"):
        registry.register("echo", "two", SCHEMA, echo)
    assert registry.get("echo") is first


def test_override_and_the_same_toolset_replace(registry):
    registry.register("echo", "one", SCHEMA, echo)
    again = registry.register("echo", "one", SCHEMA, echo)
    assert registry.get("echo") is again
    taken = registry.register("echo", "two", SCHEMA, echo, override=True)
    assert registry.get("echo") is taken


def test_every_change_is_a_new_generation(registry):
    before = registry.generation
    registry.register("a", "t", SCHEMA, echo)
    middle = registry.generation
    assert registry.deregister("a") and not registry.deregister("a")
    assert before < middle < registry.generation
    assert "a" not in registry


@pytest.mark.parametrize(
    "spelling",
    ["read_file", "Read_File", "read-file", "readFile", "functions.read_file", "file_read"],
)
def test_a_name_is_found_as_models_spell_it(registry, spelling):
    from hermes.runtime.entry import Alias

    registry.register("read_file", "file", SCHEMA, echo, aliases=(Alias("file_read"),))
    assert registry.find(spelling)[0].name == "read_file"


def test_an_ambiguous_spelling_is_not_guessed(registry):
    registry.register("readfile", "a", SCHEMA, echo)
    registry.register("read_file", "a", SCHEMA, echo)
    with pytest.raises(UnknownTool):
        registry.find("Read-File")


def test_an_unknown_name_suggests_the_nearest(registry):
    registry.register("read_file", "file", SCHEMA, echo)
    with pytest.raises(UnknownTool) as caught:
        registry.find("raed_file")
    assert "read_file" in caught.value.hint


@pytest.mark.parametrize("name", [None, 3, b"x", ["read_file"], {}])
def test_a_name_that_is_no_text_is_unknown(registry, name):
    with pytest.raises(UnknownTool):
        registry.find(name)


def test_a_long_or_strange_name_dispatches_in_its_provider_form(registry):
    name = "mcp-files:read"
    registry.register(name, "mcp-files", SCHEMA, echo)
    safe = registry.safe_names()[name]
    assert safe == "mcp__files__read"
    assert registry.find(safe)[0].name == name


def test_a_source_is_replaced_as_a_whole(registry):
    from hermes.runtime.entry import ToolEntry

    def made(name):
        return ToolEntry.of(
            name=name, toolset="s", handler=echo, description="", parameters=SCHEMA, source="s:1"
        )

    registry.register("mine", "custom", SCHEMA, echo)
    registry.replace_source("s:1", [made("a"), made("b")])
    registry.replace_source("s:1", [made("b"), made("c")])
    assert sorted(entry.name for entry in registry.entries()) == ["b", "c", "mine"]


def test_a_source_cannot_take_the_name_of_a_tool_outside_it(registry):
    from hermes.runtime.entry import ToolEntry

    registry.register("mine", "custom", SCHEMA, echo)
    entry = ToolEntry.of(
        name="mine", toolset="s", handler=echo, description="", parameters=SCHEMA, source="s:1"
    )
    with pytest.raises(ConfigError):
        registry.replace_source("s:1", [entry])
    assert registry.get("mine").toolset == "custom"


def test_readers_see_whole_tables_while_others_write(registry):
    stop = threading.Event()
    broken = []

    def read():
        while not stop.is_set():
            entries = registry.entries()
            if any(registry is None or entry.name is None for entry in entries):
                broken.append(entries)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    writers = [
        threading.Thread(
            target=lambda k=k: [
                registry.register(f"t{k}_{n}", "t", SCHEMA, echo) for n in range(50)
            ]
        )
        for k in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(5)
    stop.set()
    for reader in readers:
        reader.join(5)
    assert not broken
    assert len(registry) == 200


@pytest.mark.parametrize("schema", [None, "x", {"type": "array"}])
def test_a_schema_that_is_none_is_refused(schema):
    with pytest.raises(ConfigError):
        ToolRegistry().register("x", "t", schema, echo)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201])
def test_a_name_nobody_could_read_is_refused(name):
    with pytest.raises(ConfigError):
        ToolRegistry().register(name, "t", SCHEMA, echo)


def test_a_handler_that_cannot_be_called_is_refused(registry):
    with pytest.raises(ConfigError, match="callable"):
        registry.register("x", "t", SCHEMA, "not a function")
