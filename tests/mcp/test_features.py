"""Everything that a server of the SDK offers, in both eras and over every transport."""

import base64
import json
import socket
import subprocess
import sys
import time

import pytest
from tests.mcp.conftest import FIXTURES

from hermes import Runtime
from hermes.app import servers
from hermes.runtime.registry import ToolRegistry

SERVER = str(FIXTURES / "sdk_server.py")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def reachable(port):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)


@pytest.fixture(
    scope="module",
    params=["stdio", "older stdio", "streamable-http", "older streamable-http", "sse"],
)
def runtime(request, tmp_path_factory):
    """A runtime with the SDK's server over each transport, its approver always accepting."""
    settings = {"command": sys.executable, "args": [SERVER], "advisories": "off"}
    process = None
    older, _, way = request.param.rpartition(" ")
    if way != "stdio":
        port = free_port()
        process = subprocess.Popen([sys.executable, SERVER, way, str(port)])
        reachable(port)
        path, transport = ("mcp", "http") if way == "streamable-http" else ("sse", "sse")
        settings = {"url": f"http://127.0.0.1:{port}/{path}", "transport": transport}

    async def approve(_):
        return "once"

    async def form(_):
        return {"colour": "green"}

    approve.form = form
    config = {"home": str(tmp_path_factory.mktemp("home")), "mcp_servers": {"all": settings}}
    with Runtime(config=config, registry=ToolRegistry(), approver=approve) as made:
        if older:
            servers.of(made)._supervisor("all").is_legacy = True
        yield made
    if process is not None:
        process.kill()
        process.wait()


def call(runtime, tool, /, **args):
    return json.loads(runtime.call_sync(f"mcp-all:{tool}", args))


@pytest.mark.proves("mcp-whole")
def test_structured_content_is_the_result(runtime):
    answer = call(runtime, "weather", town="Bern")
    assert answer["result"] == {"degrees": 21.5, "sky": "clear over Bern"}
    assert "text" not in answer
    entry = runtime.registry.get("mcp-all:weather")
    assert entry.output_schema["properties"]["sky"] == {"title": "Sky", "type": "string"}


@pytest.mark.proves("mcp-whole")
def test_images_and_audio_are_parts(runtime):
    (part,) = call(runtime, "picture")["parts"]
    assert (part["type"], part["media_type"]) == ("image", "image/png")
    assert base64.b64decode(part["data"]).startswith(b"\x89PNG")
    (part,) = call(runtime, "sound")["parts"]
    assert (part["type"], part["media_type"]) == ("audio", "audio/wav")


@pytest.mark.proves("mcp-whole")
def test_links_and_embedded_resources_are_kept(runtime):
    answer = call(runtime, "linked")
    assert answer["result"] == "see"
    assert answer["links"] == [{"uri": "note://2", "name": "two", "mimeType": "text/plain"}]
    assert answer["resources"] == [{"uri": "note://1", "mimeType": "text/plain", "text": "hello"}]


def test_resources_are_listed_and_read(runtime):
    found = {
        one.get("uri") or one["uriTemplate"] for one in call(runtime, "list_resources")["resources"]
    }
    assert found == {"motd://today", "dot://png", "note://{number}"}
    assert call(runtime, "read_resource", uri="motd://today")["result"] == "Be kind."
    assert call(runtime, "read_resource", uri="note://7")["result"] == "note 7"
    (part,) = call(runtime, "read_resource", uri="dot://png")["parts"]
    assert part["media_type"] == "image/png"
    assert call(runtime, "read_resource", uri="none://x")["code"] in {
        "server_error",
        "invalid_arguments",
    }


def test_prompts_are_listed_and_fetched(runtime):
    (prompt,) = call(runtime, "list_prompts")["prompts"]
    assert (prompt["name"], prompt["arguments"][0]["name"]) == ("review", "code")
    answer = call(runtime, "get_prompt", name="review", arguments={"code": "x = 1"})
    assert answer["messages"] == [{"role": "user", "text": "Please review: x = 1"}]


def test_logs_and_progress_reach_whoever_watches(runtime):
    told = []
    runtime.services.on_progress = lambda ctx, text: told.append(text)
    assert call(runtime, "logging_tool")["result"] == "done"
    runtime.services.on_progress = None
    assert "1/2 half way" in told
    assert any("on the side" in text for text in told)


def is_newer(runtime):
    call(runtime, "anoop")
    return servers.of(runtime).source("all").known.definitions.protocol >= "2026"


def test_both_eras_are_spoken(runtime, request):
    is_older = "older" in request.node.callspec.id
    assert is_newer(runtime) is not is_older


def test_the_task_s_folder_is_the_root(runtime):
    if is_newer(runtime):
        pytest.skip("servers of the newer era do not ask by themselves")
    assert runtime.cwd in str(call(runtime, "roots")["result"])


def test_a_question_of_the_server_is_put_to_the_person(runtime):
    if is_newer(runtime):
        pytest.skip("servers of the newer era do not ask by themselves")
    answer = call(runtime, "colour")
    assert answer.get("result", answer) == "accept:green"


def test_a_tool_that_is_added_is_offered(runtime):
    call(runtime, "grow")
    until = time.monotonic() + 5
    while "mcp-all:grown" not in runtime.registry and time.monotonic() < until:
        time.sleep(0.02)
    assert call(runtime, "grown")["result"] == "grown"
