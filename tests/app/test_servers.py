import json
import shutil

import pytest
from tests.mcp import conftest
from tests.mcp.conftest import plain

home, runtime_of = conftest.home, conftest.runtime_of
needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


def die_once(runtime, marker):
    """Have the server write a file; it ends after that, and the call is made again."""
    return json.loads(runtime.call_sync("mcp-plain:die_once", {"marker": str(marker)}))


@needs_sandbox
def test_a_server_in_the_sandbox_writes_in_its_workspace_alone(runtime_of, tmp_path):
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    runtime = runtime_of({"plain": plain(place=work, sandbox=True)}, cwd=work)
    assert die_once(runtime, work / "marker")["result"] == "survived"
    assert (work / "marker").exists()
    die_once(runtime, outside / "marker")
    assert not (outside / "marker").exists()


def test_a_server_is_free_where_the_profile_leaves_it_free(runtime_of, tmp_path):
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    runtime = runtime_of({"plain": plain()}, cwd=work, profile="trusted")
    assert die_once(runtime, outside / "marker")["result"] == "survived"


@needs_sandbox
@pytest.mark.parametrize("sandbox", [None, False])
def test_a_profile_that_only_reads_confines_servers_whatever_they_want(
    runtime_of, tmp_path, sandbox
):
    settings = {"plain": plain(place=tmp_path, sandbox=sandbox)}
    first = runtime_of(settings, cwd=tmp_path)
    assert json.loads(first.call_sync("mcp-plain:echo", {"text": "hi"}))["result"] == "hi"
    first.close()
    runtime = runtime_of(settings, cwd=tmp_path, profile="readonly")
    assert json.loads(runtime.call_sync("mcp-plain:echo", {"text": "hi"}))["result"] == "hi"
    boxes = runtime.services.get(_boundary())
    assert not boxes.lets_out()
    assert boxes._free is None, "it was started outside"


def test_permissions_of_servers_tools_are_judged(runtime_of):
    profile = {"allow": ["mcp:read"]}
    runtime = runtime_of({"plain": plain()}, profile=profile)
    assert json.loads(runtime.call_sync("mcp-plain:echo", {"text": "hi"}))["result"] == "hi"
    assert json.loads(runtime.call_sync("mcp-plain:fail", {}))["code"] == "denied"


def test_eager_servers_are_connected_to_without_being_called(runtime_of):
    from tests.mcp.fixtures.http_server import wait_until

    from hermes.app import servers

    runtime = runtime_of({"plain": plain(eager=True)})
    assert wait_until(lambda: servers.of(runtime).source("plain").known is not None, 20)


def test_offering_tools_to_a_model_meets_servers_never_seen(runtime_of):
    from tests.mcp.fixtures.http_server import wait_until

    runtime = runtime_of({"plain": plain()})

    def shown():
        return {tool["function"]["name"] for tool in runtime.definitions()}

    assert wait_until(lambda: "mcp__plain__echo" in shown(), 20)


def test_a_toolset_of_a_server_can_be_chosen(runtime_of):
    runtime_of({"plain": plain()}).call_sync("mcp-plain:echo", {})
    runtime = runtime_of({"plain": plain(), "other": plain("x")}, toolsets=["mcp-plain"])
    names = {tool["function"]["name"] for tool in runtime.definitions()}
    assert names
    assert all(name.startswith("mcp__plain__") for name in names)


def _boundary():
    from hermes.runtime.boundary import Boundary

    return Boundary


def test_a_new_agent_has_the_tools_of_servers_never_seen(runtime_of):
    from hermes.llm.scripted import Scripted

    runtime = runtime_of({"plain": plain()})
    runtime.agent(Scripted(["Hello."]), session=False)
    assert "mcp-plain:echo" in runtime.registry
