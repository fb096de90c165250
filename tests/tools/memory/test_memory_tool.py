import json

import pytest

from hermes import Runtime
from hermes.runtime.declare import entry_attached
from hermes.services.memory import Memories
from hermes.tools.memory.memory import memory


@pytest.fixture
def make(tmp_path):
    def made(profile=None):
        rt = Runtime(profile=profile, cwd=tmp_path, toolsets=["memory"])
        rt.services.provide(Memories, lambda: Memories(tmp_path / "home"))
        return rt

    return made


def call(rt, **args):
    return json.loads(rt.call_sync("memory", args, "t"))


def test_entries_are_added_replaced_removed_and_read(make):
    with make() as rt:
        assert call(rt, content="tea") == {
            "saved": True,
            "target": "memory",
            "entries": 1,
            "usage": "0 % full, 3 of 4,000 characters",
        }
        call(rt, action="replace", old_text="te", content="coffee")
        call(rt, operations=[{"action": "add", "content": "x"}, {"action": "add", "content": "y"}])
        call(rt, action="remove", old_text="x")
        assert call(rt, action="read")["entries"] == ["coffee", "y"]
        assert call(rt, action="read", target="user")["entries"] == []


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"action": "read", "operations": [{"action": "add", "content": "x"}]},
        {"content": "a", "operations": [{"action": "add", "content": "x"}]},
        {"operations": [{"content": "x"}]},
    ],
)
def test_what_makes_no_sense_is_refused(make, args):
    with make() as rt:
        assert call(rt, **args)["code"] == "invalid_arguments"
        assert call(rt, action="read")["entries"] == []


def test_a_batch_needs_the_permission_to_write():
    entry = entry_attached(memory)
    assert entry.permissions_of({"operations": []}) == ("memory:write",)
    assert entry.permissions_of({"action": "read"}) == ("memory:read",)
    assert entry.effects_of({"operations": []}) == {"write"}


def test_under_a_profile_that_only_reads_nothing_is_written(make):
    with make("readonly") as rt:
        assert call(rt, content="tea")["code"] == "denied"
        assert call(rt, action="read")["entries"] == []
