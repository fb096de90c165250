from pathlib import Path

import pytest

from hermes.base.errors import InvalidArguments, ToolError
from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.declare import entry_attached
from hermes.services.variables import Variables
from hermes.tools.system.env_manager import env_manager

BASE = {"HOME": "/home/me", "OPENAI_API_KEY": "k" * 51, "LONG": "x" * 5_000}


@pytest.fixture
def call():
    services = Services()
    services.provide(Variables, lambda: Variables(BASE))

    def call(action, name=None, value=None, task="t"):
        ctx = ToolContext(Task(task, Path("/")), "c1", services)
        return env_manager(action, name, value, ctx=ctx)

    return call


def test_a_variable_is_read(call):
    assert call("get", "HOME") == {"name": "HOME", "value": "/home/me", "set": True}


def test_a_secret_is_shown_by_its_length_only(call):
    assert call("get", "OPENAI_API_KEY") == {
        "name": "OPENAI_API_KEY",
        "value": "[secret, 51 characters]",
        "set": True,
        "secret": True,
    }


def test_a_variable_that_is_not_set_brings_similar_names(call):
    assert call("get", "HOEM") == {"name": "HOEM", "set": False, "similar": ["HOME"]}
    assert call("get", "QQQQ") == {"name": "QQQQ", "set": False}


def test_set_and_unset_change_the_task_alone(call):
    assert call("set", "MODE", "fast") == {"name": "MODE", "value": "fast", "set": True}
    assert call("get", "MODE")["value"] == "fast"
    assert call("get", "MODE", task="other") == {"name": "MODE", "set": False}
    assert call("unset", "MODE") == {"name": "MODE", "set": False, "was_set": True}
    assert call("unset", "MODE") == {"name": "MODE", "set": False, "was_set": False}


def test_an_empty_value_is_a_value(call):
    call("set", "EMPTY", "")
    assert call("get", "EMPTY") == {"name": "EMPTY", "value": "", "set": True}


def test_setting_a_secret_does_not_echo_it(call):
    assert "hunter2" not in str(call("set", "DB_PASSWORD", "hunter2"))
    assert "hunter2" not in str(call("list"))


def test_changing_the_path_is_told(call):
    assert "programs" in call("set", "PATH", "/opt/bin")["note"]


def test_the_list_is_sorted_masked_and_short(call):
    call("set", "AAA", "1")
    listed = call("list")
    assert list(listed["variables"]) == ["AAA", "HOME", "LONG", "OPENAI_API_KEY"]
    assert listed["variables"]["OPENAI_API_KEY"] == "[secret, 51 characters]"
    assert len(listed["variables"]["LONG"]) < 300
    assert listed["set_by_this_task"] == ["AAA"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("get",), "get needs a name"),
        (("set", "A"), "set needs a value"),
        (("unset", ""), "unset needs a name"),
        (("get", "A B"), "is not a variable name"),
    ],
)
def test_what_an_action_lacks_is_named(call, arguments, words):
    with pytest.raises(InvalidArguments, match=words):
        call(*arguments)


def test_code_cannot_be_smuggled_into_later_commands(call):
    with pytest.raises(ToolError, match="LD_PRELOAD is not set"):
        call("set", "LD_PRELOAD", "/tmp/evil.so")
    assert call("get", "LD_PRELOAD")["set"] is False


@pytest.mark.parametrize(
    ("action", "permission", "effect"),
    [
        ("get", "env:read", "read"),
        ("list", "env:read", "read"),
        ("set", "env:write", "write"),
        ("unset", "env:write", "write"),
    ],
)
def test_each_action_needs_its_own_permission(action, permission, effect):
    entry = entry_attached(env_manager)
    assert entry.permissions_of({"action": action}) == (permission,)
    assert entry.effects_of({"action": action}) == {effect}
