"""What every built-in tool keeps to, however many there are."""

import json
import re

import jsonschema_rs
import pytest

from hermes import tools
from hermes.policy.profile_rules import profile
from hermes.runtime.discovery import discover
from hermes.runtime.entry import Given
from hermes.schema.check import schema_problems
from hermes.schema.formats import render

ENTRIES = {entry.name: entry for entry in discover(tools).entries}
EFFECTS = {"none", "read", "write", "exec", "network"}
FORMATS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")

every_tool = pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)


def test_all_files_of_the_package_could_be_used():
    assert discover(tools).problems == []
    assert {"system_info", "sleep", "env_manager", "clipboard", "notification"} <= set(ENTRIES)
    assert {"tool_search", "tool_describe", "tool_call"} <= set(ENTRIES)


@every_tool
@pytest.mark.proves("declare-schema")
def test_the_schema_is_valid_in_both_drafts(entry):
    jsonschema_rs.Draft202012Validator(entry.parameters)
    jsonschema_rs.Draft7Validator(entry.parameters)
    assert schema_problems(entry.parameters) == []
    assert entry.parameters["type"] == "object"
    assert entry.parameters["additionalProperties"] is False


@every_tool
@pytest.mark.parametrize("format", FORMATS)
def test_a_definition_is_json_in_every_format(entry, format):
    made = render(format, entry.name, entry.description, entry.parameters)
    assert entry.name in json.dumps(made)


@every_tool
def test_the_description_is_fit_for_a_model(entry):
    text = entry.description
    assert 10 <= len(text) <= 1_000
    first = text.split("\n", 1)[0]
    assert re.match(r"[A-Z][a-z]+ ", first) and "." in first
    assert "ctx" not in text and "TODO" not in text
    assert not re.search(r"<[a-z_/]+>|```", text)


@every_tool
def test_every_parameter_is_described(entry):
    for name, schema in entry.parameters["properties"].items():
        words = schema.get("description", "")
        assert 5 <= len(words) <= 400 and words.rstrip()[-1] in ".;)", name
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
    assert "ctx" not in entry.parameters["properties"]


@every_tool
def test_the_name_is_taken_by_every_provider(entry):
    assert re.fullmatch(r"[a-z][a-z0-9_]{1,63}", entry.name)


@every_tool
def test_effects_are_declared_and_known(entry):
    if entry.unwrap is not None:
        assert entry.effects is None, "the tool inside has the effects"
        return
    effects = set(entry.all_effects())
    assert effects and effects <= EFFECTS


@every_tool
def test_permissions_are_words_of_domain_and_verb(entry):
    permissions = entry.all_permissions()
    assert all(re.fullmatch(r"[a-z]+:[a-z]+", permission) for permission in permissions)
    assert profile("none", {}).judge(permissions).decision == ("deny" if permissions else "allow")


@every_tool
def test_what_changes_things_needs_a_permission(entry):
    if set(entry.all_effects()) - {"none", "read"}:
        assert entry.all_permissions()


@every_tool
def test_words_that_depend_on_an_argument_cover_all_its_values(entry):
    for words in (entry.permissions, entry.effects):
        if isinstance(words, Given):
            assert set(words.with_argument) <= set(entry.parameters["properties"])
            continue
        if callable(words):
            schema = entry.parameters["properties"][words.parameter]
            if any(form.get("type") == "array" for form in schema.get("anyOf", ())):
                allowed = ["None", "[]", ""]  # none given, an empty list, and any other: all words
                assert words({words.parameter: ["x"]}) == words.all()
            else:
                allowed = schema.get("enum") or ["False", "True"]
                assert "enum" in schema or schema["type"] == "boolean"
            assert sorted(words.choices) == sorted(allowed)


@every_tool
def test_the_toolset_is_the_folder_and_the_tool_the_file(entry):
    module = entry.load().__module__
    assert module == f"hermes.tools.{entry.toolset}.{entry.name}"
    assert entry.source == "builtin"


def test_no_two_tools_answer_to_the_same_name():
    names = [name for entry in ENTRIES.values() for name in (entry.name, *_aliases(entry))]
    folded = [name.replace("_", "").replace("-", "").casefold() for name in names]
    assert len(set(folded)) == len(folded)


def _aliases(entry):
    return [alias.name for alias in entry.aliases]


@every_tool
def test_aliases_bring_and_rename_only_arguments_that_exist(entry):
    known = set(entry.parameters["properties"])
    for alias in entry.aliases:
        assert set(alias.preset) <= known
        assert set(alias.rename.values()) <= known


@every_tool
def test_words_in_backquotes_name_tools_that_exist(entry):
    for name in re.findall(r"`(\w+)`", entry.description):
        assert name in ENTRIES or name in entry.parameters["properties"]


WRONG = [None, 5, True, [], ["x"], "words", '{"a":', {"no_such_argument": 1}, {"": None}, b"\xff"]


@every_tool
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.proves("call-valid-json")
def test_bad_input_is_answered_with_one_json_object(rt, entry, wrong):
    answer = json.loads(rt.call_sync(entry.name, wrong, timeout_seconds=5))
    assert isinstance(answer, dict)
    if entry.parameters.get("required"):
        assert answer["code"] in {"invalid_arguments", "malformed_arguments"}
        assert answer["error"]


@every_tool
def test_a_missing_argument_is_named(rt, entry):
    required = entry.parameters.get("required", [])
    error = json.loads(rt.call_sync(entry.name, {}, timeout_seconds=5)).get("error", "")
    assert all(name in error for name in required)
