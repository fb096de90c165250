import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.runtime.search import Hit, ToolIndex, tokens

HERE = Path(__file__).parent
TOOLS = json.loads((HERE / "search_tools.json").read_text(encoding="utf-8"))
QUERIES = json.loads((HERE / "search_queries.json").read_text(encoding="utf-8"))


def entry(name, description="", toolset="t", tags=(), parameters=None):
    properties = {key: {"description": words} for key, words in (parameters or {}).items()}
    schema = {"type": "object", "properties": properties}
    return SimpleNamespace(
        name=name, description=description, toolset=toolset, tags=tags, parameters=schema
    )


ENTRIES = [entry(**tool) for part in ("catalogue", "foreign") for tool in TOOLS[part]]
INDEX = ToolIndex(ENTRIES)


def names(query, limit=5, index=INDEX):
    return [hit.name for hit in index.search(query, limit)]


def rate(queries):
    missed = [f"{query!r} → {name}" for query, name in queries.items() if name not in names(query)]
    return 1 - len(missed) / len(queries), missed


@pytest.mark.proves("offer-search")
def test_the_right_tool_is_among_five_for_95_percent_of_the_queries():
    queries = {
        query: name
        for part in ("first", "second", "third", "fourth")
        for query, name in QUERIES[part].items()
    }
    assert len(queries) >= 240
    found, missed = rate(queries)
    assert found >= 0.95, missed


def test_the_queries_cover_nearly_the_whole_catalogue():
    wanted = {name for queries in QUERIES.values() for name in queries.values()}
    assert len(wanted & {tool["name"] for tool in TOOLS["catalogue"]}) >= 80


def test_texts_in_other_languages_and_scripts_are_found():
    found, missed = rate(QUERIES["foreign"])
    assert found >= 0.95, missed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("createIssueComment", ["creat", "issu", "comment", "createissuecomment"]),
        ("HTTPServer", ["http", "serv", "httpserv"]),
        ("read_file-list", ["read", "fil", "list"]),
        ("base64 v2", ["base64", "v2"]),
        ("searching searches searched", ["search", "search", "search"]),
        ("the categories of files", ["category", "fil"]),
        ("天气预报", ["天", "气", "预", "报", "天气", "气预", "预报"]),
        ("Übersetzung café", ["ubersetzung", "caf"]),
        ("погода", ["погода", "погод*"]),
        ("", []),
    ],
)
def test_text_becomes_terms(text, expected):
    assert list(tokens(text)) == expected


def test_an_exact_name_comes_first():
    for tool in ("patch", "read_file", "file_diff", "repl"):
        assert names(tool)[0] == tool
    assert names("Read File")[0] == "read_file"
    assert names("mcp-pochta:track")[0] == "mcp-pochta:track"


def test_a_part_of_a_name_or_a_misspelt_name_is_found():
    index = ToolIndex([entry("calendar_manage"), entry("clipboard"), entry("zip")])
    assert names("lend", index=index) == ["calendar_manage"]
    assert names("clipbaord", index=index) == ["clipboard"]


def test_parameters_and_tags_are_searched_too():
    index = ToolIndex(
        [
            entry("a", parameters={"latitude": "North or south"}),
            entry("b", tags=("weather",)),
            entry("c"),
        ]
    )
    assert names("latitude", 1, index) == ["a"]
    assert names("weather", 1, index) == ["b"]


def test_neighbours_of_a_lone_hit_fill_the_answer():
    index = ToolIndex(
        [
            entry("ha_a", "turn lights on", "ha"),
            entry("ha_b", toolset="ha"),
            entry("x", toolset="y"),
        ]
    )
    assert names("lights", index=index) == ["ha_a", "ha_b"]


def test_an_empty_query_lists_the_first_by_name():
    index = ToolIndex([entry("b"), entry("a"), entry("c")])
    assert names("  ", 2, index) == ["a", "b"]


def test_a_hit_carries_name_score_and_entry_best_first():
    hits = INDEX.search("send an email", 3)
    assert all(isinstance(hit, Hit) and hit.entry.name == hit.name for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_same_query_gives_the_same_answer_in_whatever_order_tools_came():
    assert names("copy a file to the cloud") == names(
        "copy a file to the cloud", index=ToolIndex(reversed(ENTRIES))
    )


def test_nothing_to_find_is_an_empty_list():
    assert ToolIndex([]).search("anything") == []
    assert INDEX.search("read", 0) == []
    assert names("xyzzyqwv") == []


def test_broken_parameters_do_not_matter():
    odd = SimpleNamespace(
        name="x",
        description="weather",
        toolset="t",
        tags=(),
        parameters={"properties": {"a": True, "b": {"enum": 3, "description": None}}},
    )
    assert names("weather", index=ToolIndex([odd])) == ["x"]


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=200), st.integers(-1, 100))
def test_no_text_makes_searching_fail(query, limit):
    hits = INDEX.search(query, limit)
    assert len(hits) <= max(0, limit)
    assert len({hit.name for hit in hits}) == len(hits)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=5, unique=True), st.text(max_size=30))
def test_no_text_makes_indexing_fail(texts, query):
    index = ToolIndex([entry(text, text, text, (text,), {text: text}) for text in texts])
    for hit in index.search(query):
        assert hit.name in texts


def test_searching_loads_nothing_heavy():
    code = (
        "import sys, hermes.runtime.search;"
        "heavy = ('dataclasses', 'inspect', 'msgspec', 'asyncio', 'json');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
