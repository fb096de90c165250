import re
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.base.errors import HermesError
from hermes.runtime.toolsets import (
    LEGACY,
    InvalidToolset,
    NothingLeft,
    Toolset,
    Toolsets,
    UnknownToolset,
    from_mapping,
)
from hermes.tools.presets import CORE, PRESETS

LEAVES = {
    "file": ["write_file", "read_file", "search_files", "patch"],
    "web": ["web_search", "web_extract"],
    "terminal": ["terminal", "process"],
    "vision": ["vision_analyze"],
    "image_gen": ["image_generate"],
    "clarify": ["clarify"],
    "mcp-github": ["mcp-github:create_issue"],
}
ALIASES = {"file_read": "read_file", "image_analyze": "vision_analyze"}
ALL = sorted(tool for tools in LEAVES.values() for tool in tools)


def make(presets=PRESETS, leaves=LEAVES):
    return Toolsets(
        lambda: leaves,
        presets=presets,
        descriptions=lambda: {"file": "Files."},
        aliases=lambda: ALIASES,
    )


def test_a_leaf_resolves_to_its_tools_sorted():
    assert make().resolve("file") == ["patch", "read_file", "search_files", "write_file"]


@pytest.mark.parametrize("name", ["all", "*"])
def test_all_means_every_registered_tool(name):
    assert make().resolve(name) == ALL


def test_a_composite_adds_what_it_includes():
    assert make().resolve("debugging") == sorted(
        LEAVES["terminal"] + LEAVES["file"] + LEAVES["web"]
    )


def test_safe_reads_files_but_neither_writes_nor_runs():
    tools = make().resolve("safe")
    assert "read_file" in tools
    assert not {"write_file", "patch", "terminal", "process"} & set(tools)


def test_the_webhook_preset_is_restricted_to_harmless_tools():
    assert make().resolve("hermes-webhook") == [
        "clarify",
        "vision_analyze",
        "web_extract",
        "web_search",
    ]


def test_members_of_a_cycle_each_contribute():
    toolsets = make()
    toolsets.define(
        [
            Toolset("a", "", ("terminal",), ("b",)),
            Toolset("b", "", ("patch",), ("c",)),
            Toolset("c", "", ("clarify",), ("a",)),
        ]
    )
    for name in "abc":
        assert toolsets.resolve(name) == ["clarify", "patch", "terminal"]


def test_a_diamond_gives_each_tool_once():
    toolsets = make()
    toolsets.create("left", "", ["patch"], ["file"])
    toolsets.create("right", "", [], ["file", "web"])
    toolsets.create("top", "", [], ["left", "right"])
    assert toolsets.resolve("top") == sorted(LEAVES["file"] + LEAVES["web"])


@pytest.mark.parametrize(
    ("old", "new"), [("web_tools", "web"), ("file_tools", "file"), ("image_tools", "image_gen")]
)
def test_legacy_names_mean_todays(old, new):
    assert make().resolve(old) == make().resolve(new)


def test_every_legacy_name_leads_to_a_toolset_of_the_catalogue():
    folders = {name for preset in PRESETS for name in preset.includes}
    folders |= {"clarify", "cronjob", "delegation", "memory", "moa", "rl", "session_search"}
    assert set(LEGACY.values()) <= folders | {"skills", "todo", "tool_search"}


def test_a_tool_an_alias_and_a_bare_server_name_work_as_toolsets():
    toolsets = make()
    assert toolsets.resolve("patch") == ["patch"]
    assert toolsets.resolve("file_read") == ["read_file"]
    assert toolsets.resolve("github") == ["mcp-github:create_issue"]
    assert toolsets.resolve("terminal") == ["process", "terminal"]


def test_an_alias_inside_a_toolset_is_the_tool():
    toolsets = make()
    toolsets.create("mine", "", ["file_read", "read_file"])
    assert toolsets.resolve("mine") == ["read_file"]


def test_an_unknown_toolset_is_an_error_that_suggests():
    with pytest.raises(UnknownToolset) as caught:
        make().resolve("fiel")
    assert caught.value.code == "unknown_toolset"
    assert caught.value.hint.startswith("Did you mean 'file'")
    with pytest.raises(UnknownToolset, match="no toolset 'zzz'") as caught:
        make().resolve_all(["zzz"])
    assert "debugging" in caught.value.hint
    with pytest.raises(UnknownToolset):
        make().resolve_all(None, ["wbe"])


def test_a_toolset_that_is_not_installed_is_unknown_by_any_name():
    for name in ("browser", "browser_tools"):
        with pytest.raises(UnknownToolset):
            make().resolve(name)


def test_nothing_enabled_means_everything_and_an_empty_list_nothing():
    assert make().resolve_all() == ALL
    assert make().resolve_all([]) == []


def test_disabled_is_subtracted_last():
    toolsets = make()
    assert toolsets.resolve_all(["debugging"], ["terminal"]) == sorted(
        LEAVES["file"] + LEAVES["web"]
    )
    assert toolsets.resolve_all(["file", "web"], ["file_read", "web"]) == [
        "patch",
        "search_files",
        "write_file",
    ]
    assert toolsets.resolve_all(["web"], ["web"]) == []
    assert toolsets.resolve_all(None, ["*"]) == []


def test_disabling_a_composite_takes_all_it_resolves_to():
    assert "web_search" not in make().resolve_all(None, ["debugging"])
    assert "vision_analyze" in make().resolve_all(None, ["debugging"])


def test_a_bundle_that_would_take_the_last_tool_is_refused_loudly():
    with pytest.raises(NothingLeft, match="hermes-telegram"):
        make().resolve_all(["hermes-discord"], ["hermes-telegram"])


def test_tools_not_registered_yet_are_skipped():
    assert set(make().resolve("hermes-cli")) <= set(ALL)


def test_toolsets_follow_the_registry():
    leaves = {"file": ["read_file"]}
    toolsets = make(leaves=leaves)
    leaves["late"] = ["late_tool"]
    assert toolsets.resolve("late") == ["late_tool"]


@pytest.mark.parametrize(
    ("name", "tools", "includes", "words"),
    [
        ("no spaces", ["patch"], [], "cannot name"),
        ("", ["patch"], [], "cannot name"),
        ("all", ["patch"], [], "built in"),
        ("file", ["patch"], [], "built in"),
        ("web_tools", ["patch"], [], "built in"),
        ("mine", [], [], "names no tools"),
        ("mine", ["pathc"], [], "'pathc', which is no tool"),
        ("mine", [], ["fiel"], "no toolset 'fiel'"),
    ],
)
def test_a_toolset_that_makes_no_sense_is_refused_with_the_reason(name, tools, includes, words):
    toolsets = make()
    with pytest.raises(HermesError, match=re.escape(words)):
        toolsets.create(name, "", tools, includes)
    assert toolsets.generation == 0


def test_a_toolset_may_name_what_comes_later():
    toolsets = make()
    toolsets.create("mine", "", ["mcp-x:y", "browser_click"], ["mcp-x", "mine"])
    assert toolsets.resolve("mine") == []


def test_a_built_in_toolset_can_be_overridden_on_purpose_and_restored():
    toolsets = make()
    toolsets.create("web", "", ["web_search"], override=True)
    assert toolsets.resolve("web") == ["web_search"]
    toolsets.remove("web")
    assert toolsets.resolve("web") == ["web_extract", "web_search"]
    with pytest.raises(UnknownToolset):
        toolsets.remove("web")


def test_several_are_defined_all_or_none():
    toolsets = make()
    with pytest.raises(InvalidToolset):
        toolsets.define(from_mapping({"good": {"tools": ["patch"]}, "bad": {"tools": ["nope"]}}))
    with pytest.raises(UnknownToolset):
        toolsets.resolve("good")


def test_config_may_give_a_single_name_as_text():
    assert from_mapping({"x": {"tools": "patch", "description": "d"}}) == [
        Toolset("x", "d", ("patch",), ())
    ]


def test_the_generation_grows_with_each_change():
    toolsets = make()
    toolsets.create("mine", "", ["patch"])
    toolsets.create("mine", "", ["terminal"])
    assert toolsets.generation == 2


def test_all_toolsets_are_listed_sorted_with_their_words():
    listed = make().get_all()
    assert list(listed) == sorted(listed)
    assert listed["file"] == Toolset(
        "file", "Files.", ("patch", "read_file", "search_files", "write_file")
    )
    assert {preset.name for preset in PRESETS} <= set(listed)


def test_a_toolset_is_available_when_one_of_its_tools_is():
    toolsets = make()
    assert toolsets.is_available("web", lambda tool: tool == "web_search")
    assert not toolsets.is_available("web", lambda tool: False)


def test_creating_from_many_threads_loses_none():
    toolsets = make()

    def create(number):
        for index in range(20):
            toolsets.create(f"t{number}-{index}", "", ["patch"])

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert sum(name.startswith("t") and "-" in name for name in toolsets.get_all()) >= 160
    assert toolsets.generation == 160


def test_presets_have_unique_names_words_and_known_includes():
    names = [preset.name for preset in PRESETS]
    assert len(set(names)) == len(names)
    assert all(preset.description.endswith(".") for preset in PRESETS)
    assert all(len(set(preset.tools)) == len(preset.tools) for preset in PRESETS)
    assert list(CORE) == sorted(CORE)
    assert not set(names) & set(LEGACY)


graphs = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.tuples(
        st.lists(st.sampled_from(ALL), max_size=3),
        st.lists(st.sampled_from("abcdefgh"), max_size=4),
    ),
    min_size=1,
)


@settings(max_examples=200, deadline=None)
@given(graphs)
def test_resolving_is_reachability_on_any_graph(graph):
    toolsets = make(
        [Toolset(name, "", tuple(own), tuple(more)) for name, (own, more) in graph.items()]
    )
    reach = {
        name: {name, *(more for more in includes if more in graph)}
        for name, (_, includes) in graph.items()
    }
    for middle in graph:
        for name in graph:
            if middle in reach[name]:
                reach[name] = reach[name] | reach[middle]
    for name in graph:
        expected = {tool for member in reach[name] for tool in graph[member][0]}
        assert toolsets.resolve(name) == sorted(expected)


def test_toolsets_load_nothing_heavy():
    code = (
        "import sys, hermes.runtime.toolsets;"
        "heavy = ('dataclasses', 'inspect', 'msgspec', 'asyncio', 'json');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
