"""What the rules would make of a call, without running it."""

import pytest

from hermes.app.checking import Checker
from hermes.base.errors import ConfigError, ToolError
from hermes.runtime.declare import entry_attached, entry_of
from hermes.tools.tool_search.tool_call import tool_call


@pytest.fixture
def checker(registry, runtime, tmp_path):
    def write(path: str, mode: int = 0):
        raise AssertionError("a check runs nothing")

    registry.add(
        entry_of(
            write, permissions=["file:write"], aliases=[{"name": "save", "rename": {"to": "path"}}]
        )
    )
    registry.add(entry_attached(tool_call))
    return Checker(runtime(cwd=tmp_path))


def word(checker, name, arguments, **options):
    return checker.check(name, arguments, **options).verdict.decision


def test_a_registered_tool_is_judged_as_the_gate_would(checker):
    found = checker.check("write", {"path": "a", "mode": "5"})
    assert (found.verdict.decision, found.note) == ("allow", "")
    assert found.deed.arguments == {"path": "a", "mode": 5}
    assert word(checker, "write", {"path": "/etc/x"}) == "ask"
    assert word(checker, "save", {"to": "/etc/x"}) == "ask"
    assert word(checker, "write", {"path": "/etc/x"}, profile="trusted") == "allow"


def test_a_call_inside_a_call_is_judged(checker):
    inside = {"name": "write", "arguments": {"path": "/etc/x"}}
    assert word(checker, "tool_call", inside) == "ask"


def test_arguments_that_do_not_fit_are_judged_as_they_are(checker):
    found = checker.check("write", {"path": "/etc/x", "mode": "much"})
    assert found.verdict.decision == "ask"
    assert "do not fit" in found.note


def test_a_tool_that_is_not_registered_is_judged_by_its_words(checker):
    found = checker.check("wrote", {"path": "/etc/x"})
    assert "'wrote' is not registered" in found.note and "'write'" in found.note
    assert word(checker, "terminal", {"command": "ls"}, profile="readonly_research") == "deny"


def test_the_folder_is_the_workspace(checker, tmp_path):
    arguments = {"path": f"{tmp_path}/a/x"}
    assert word(checker, "write", arguments) == "allow"
    assert word(checker, "write", arguments, cwd="a") == "allow"
    assert word(checker, "write", {"path": "/srv/x/y"}) == "ask"
    assert word(checker, "write", {"path": "/srv/x/y"}, cwd="/srv/x") == "allow"


@pytest.mark.parametrize("arguments", [[], 5, "[]", "no json", True, "[" * 100_000])
def test_arguments_must_be_an_object(checker, arguments):
    with pytest.raises(ToolError):
        checker.check("sleep", arguments)


def test_a_profile_that_is_not_there_is_an_error(checker):
    with pytest.raises(ConfigError):
        checker.check("sleep", {}, profile="nope")
