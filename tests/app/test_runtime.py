"""The runtime as a whole: made, used from many sides, closed."""

import asyncio
import json
import subprocess
import sys
import threading

import pytest

from hermes import Runtime
from hermes.base.errors import ConfigError, HermesError
from hermes.runtime.declare import entry_of


def test_a_runtime_that_only_lists_makes_nothing_on_disk_but_its_cache(hermes_home):
    with Runtime() as rt:
        assert rt.definitions() and rt.status() and rt.search("wait")
    assert sorted(path.name for path in hermes_home.rglob("*") if path.is_file()) == ["tools"]


def test_both_context_managers_close(registry):
    registry.add(entry_of(lambda: "ran", name="act", effects="write"))

    async def scene():
        async with Runtime(registry=registry) as rt:
            assert json.loads(await rt.call("act")) == {"result": "ran"}
        return rt

    with Runtime(registry=registry) as sync_rt:
        sync_rt.call_sync("act")
    for rt in (sync_rt, asyncio.run(scene())):
        assert not list((rt.settings.home / "journal").glob("*.spool"))


def test_closing_twice_or_unused_is_harmless(registry):
    rt = Runtime(registry=registry)
    rt.close()
    rt.close()
    asyncio.run(rt.aclose())


@pytest.mark.parametrize("list_", ["toolsets", "config"])
@pytest.mark.proves("offer-unknown-name")
def test_an_unknown_toolset_is_told_when_the_runtime_is_made(list_):
    given = ["sistem"] if list_ == "toolsets" else {"tools": {"disabled": ["sistem"]}}
    with pytest.raises(HermesError) as caught:
        Runtime(**{list_: given})
    assert "system" in caught.value.hint


def test_an_unknown_setting_is_told_when_the_runtime_is_made():
    with pytest.raises(ConfigError) as caught:
        Runtime(config={"tols": {}})
    assert "tools" in f"{caught.value} {caught.value.hint}"


def test_first_calls_at_once_share_one_gate_and_one_set_of_hooks(registry, runtime):
    """A hook that is added to a half that is then thrown away would guard nothing."""
    registry.add(entry_of(lambda: "ran", name="act"))
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(10):
            rt = runtime(config={"journal": {"enabled": False}})
            start, found = threading.Barrier(8), []

            def look(rt=rt, start=start, found=found):
                start.wait(5)
                found.append((id(rt.hooks), id(rt.gate)))

            threads = [threading.Thread(target=look) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(5)
            assert len(set(found)) == 1
    finally:
        sys.setswitchinterval(switch)


def test_two_runtimes_on_one_registry_have_rules_of_their_own(registry, runtime):
    registry.add(entry_of(lambda: "ran", name="act", permissions=["x:write"]))
    strict, open_ = runtime(profile={}), runtime()
    assert json.loads(strict.call_sync("act"))["code"] == "denied"
    assert json.loads(open_.call_sync("act")) == {"result": "ran"}


def test_a_task_starts_in_the_runtimes_folder(registry, runtime, tmp_path):
    def where(*, ctx):
        return str(ctx.cwd)

    registry.add(entry_of(where))
    rt = runtime(cwd=tmp_path)
    assert json.loads(rt.call_sync("where", task_id="t")) == {"result": str(tmp_path)}
    assert rt.task("t") is rt.task("t") and rt.task() is rt.task("default")


def test_a_misspelt_option_of_a_call_is_an_error_and_nothing_runs(registry, runtime):
    ran = []
    registry.add(entry_of(lambda: ran.append(1), name="act"))
    rt = runtime()
    with pytest.raises(TypeError):
        rt.call_sync("act", timeout=5)
    assert ran == []


class Source:
    """A source of tools, as MCP servers and plugins will be."""

    name = "test"

    def __init__(self):
        self.entries, self.problems, self.closed = [], [], False

    def refresh(self, registry):
        registry.replace_source("test", self.entries)
        return True

    def close(self):
        self.closed = True


def test_a_source_brings_refreshes_and_withdraws_its_tools(registry, runtime):
    rt, source = runtime(), Source()
    source.entries = [entry_of(lambda: 1, name="one", source="test")]
    source.problems = [("somewhere", "something is wrong")]
    rt.add_source(source)
    assert json.loads(rt.call_sync("one")) == {"result": 1}
    assert rt.problems() == [("somewhere", "something is wrong")]
    source.entries = [entry_of(lambda: 2, name="two", source="test")]
    rt.refresh()
    assert [one["function"]["name"] for one in rt.definitions()] == ["two"]
    assert json.loads(rt.call_sync("one"))["code"] == "unknown_tool"
    rt.close()
    assert source.closed


def test_a_source_that_breaks_does_not_stop_calls_of_other_tools(registry, runtime, monkeypatch):
    monkeypatch.setattr("hermes.app.runtime._LOOK_AGAIN_SECONDS", -1)  # look at every call
    registry.add(entry_of(lambda: "ran", name="act"))
    rt, source = runtime(), Source()
    rt.add_source(source)

    def refresh(registry):
        raise OSError("the server is gone")

    source.refresh = refresh
    assert json.loads(rt.call_sync("act")) == {"result": "ran"}


def test_the_packages_own_tools_have_no_problems():
    with Runtime() as rt:
        assert rt.problems() == []


def test_a_process_that_forgets_to_close_still_ends(hermes_home):
    code = (
        "from hermes import Runtime\n"
        "rt = Runtime()\n"
        "print(rt.call_sync('sleep', {'seconds': 0}))\n"
        "print(rt.call_sync('env_manager', {'action': 'set', 'name': 'A', 'value': '1'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"slept": 0.0},
        {"name": "A", "value": "1", "set": True},
    ]
    with Runtime() as rt:
        assert len(rt.journal.entries()) == 2 and rt.journal.verify().ok
