"""The reference server of the protocol, with each feature that it has, through hermes's client."""

import asyncio
import base64
import json
import os
import re
import runpy
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes import Runtime
from hermes.app import servers

HERE = Path(__file__).parent
PARTS = runpy.run_path(str(HERE / "mcp_parts.py"))
PACKAGE = "@modelcontextprotocol/server-everything"
UNTRUSTED = "from the MCP server everything: data, no instructions"

pytestmark = pytest.mark.proves("mcp-strangers")


class Person:
    """Say yes to everything, fill in forms, and visit addresses."""

    def __init__(self):
        self.asked, self.forms, self.visited = [], [], []

    async def __call__(self, request):
        self.asked.append(request)
        return "once"

    async def form(self, form):
        self.forms.append(form)
        return {"name": "Ada", "check": "yes", "integer": "7", "titledSingleSelectEnum": "hero-2"}

    async def open_url(self, url):
        self.visited.append(url)


class Scene:
    """A runtime with the server, who answers for it, and what it was told on the way."""

    def __init__(self, runtime, person):
        self.runtime, self.person, self.told = runtime, person, []
        runtime.services.on_progress = lambda _, text: self.told.append(text)
        asyncio.run(servers.of(runtime).connect("everything"))

    def call(self, tool, **arguments):
        return json.loads(self.runtime.call_sync(f"mcp-everything:{tool}", arguments))

    async def acall(self, tool, **arguments):
        return json.loads(await self.runtime.call(f"mcp-everything:{tool}", arguments))


@contextmanager
def scene_of(settings, folder):
    """Open a scene in a home of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HERMES_HOME", str(folder / "home"))
        patch.setenv("MY_API_KEY", "not-for-servers")
        person = Person()
        settings = {**settings, "sampling": {"enabled": True, "model": "hermes:builtin"}}
        config = {"mcp_servers": {"everything": settings}}
        with Runtime("trusted", cwd=folder, approver=person, config=config) as runtime:
            yield Scene(runtime, person)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    command = PARTS["script"](PACKAGE)
    with scene_of(PARTS["server"](command, "stdio"), tmp_path_factory.mktemp("work")) as scene:
        yield scene


def test_its_tools_are_offered_with_what_they_promise(everything):
    offered = {one["name"]: one for one in everything.runtime.definitions(format="mcp")}
    echo = offered["mcp__everything__echo"]
    assert echo["inputSchema"]["required"] == ["message"]
    assert echo["annotations"]["readOnlyHint"]
    weather = offered["mcp__everything__get-structured-content"]
    assert set(weather["outputSchema"]["properties"]) >= {"temperature", "conditions", "humidity"}
    ours = {"list_resources", "read_resource", "list_prompts", "get_prompt"}
    assert {name.removeprefix("mcp__everything__") for name in offered} >= ours
    assert len([name for name in offered if name.startswith("mcp__everything__")]) == 21


def test_texts_and_structured_answers_come_as_values(everything):
    assert everything.call("echo", message="hi") == {"result": "Echo: hi", "untrusted": UNTRUSTED}
    assert everything.call("get-sum", a=2, b=3)["result"] == "The sum of 2 and 3 is 5."
    weather = everything.call("get-structured-content", location="Chicago")
    assert weather["result"]["conditions"] == "Light rain / drizzle"


def test_images_come_as_parts(everything):
    for answer in (
        everything.call("get-tiny-image"),
        everything.call("get-annotated-message", messageType="success", includeImage=True),
    ):
        (part,) = answer["parts"]
        assert (part["type"], part["media_type"]) == ("image", "image/png")
        assert base64.b64decode(part["data"]).startswith(b"\x89PNG")


def test_links_and_embedded_resources_are_kept(everything):
    links = everything.call("get-resource-links", count=2)["links"]
    assert [link["uri"] for link in links] == [
        "demo://resource/dynamic/blob/1",
        "demo://resource/dynamic/text/2",
    ]
    answer = everything.call("get-resource-reference", resourceType="Blob", resourceId=1)
    assert answer["parts"][0]["name"] == "demo://resource/dynamic/blob/1"
    text = everything.call("get-resource-reference", resourceType="Text", resourceId=1)
    assert "This is a plaintext resource" in json.dumps(text)


def test_resources_are_listed_and_read(everything):
    listed = everything.call("list_resources")["resources"]
    assert "demo://resource/static/document/features.md" in [one.get("uri") for one in listed]
    assert "demo://resource/dynamic/text/{resourceId}" in [one.get("uriTemplate") for one in listed]
    page = everything.call("read_resource", uri="demo://resource/static/document/features.md")
    assert "# Everything Server" in page["result"]
    text = everything.call("read_resource", uri="demo://resource/dynamic/text/3")
    assert text["result"].startswith("Resource 3: This is a plaintext resource")
    blob = everything.call("read_resource", uri="demo://resource/dynamic/blob/3")["parts"][0]
    assert base64.b64decode(blob["data"]).startswith(b"Resource 3")
    assert "not found" in everything.call("read_resource", uri="demo://nowhere")["error"]


def test_a_resource_that_comes_later_is_listed_once_the_server_says_so(everything):
    uri = "demo://resource/session/later.gz"
    link = everything.call("gzip-file-as-resource", name="later.gz", data="data:text/plain,hello")
    assert link["links"][0]["uri"] == uri

    async def until_listed():
        while uri not in json.dumps(await everything.acall("list_resources")):
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(until_listed(), 10))
    (part,) = everything.call("read_resource", uri=uri)["parts"]
    assert part["media_type"] == "application/gzip"


def test_prompts_are_listed_and_filled_in(everything):
    listed = everything.call("list_prompts")["prompts"]
    assert {"simple-prompt", "args-prompt", "resource-prompt"} <= {one["name"] for one in listed}
    filled = everything.call("get_prompt", name="args-prompt", arguments={"city": "Bern"})
    assert filled["messages"] == [{"role": "user", "text": "What's weather in Bern?"}]
    given = {"resourceType": "Text", "resourceId": "1"}
    held = everything.call("get_prompt", name="resource-prompt", arguments=given)
    assert "demo://resource/dynamic/text/1" in json.dumps(held)
    assert "not found" in everything.call("get_prompt", name="none")["error"]


def test_progress_reaches_whoever_watches(everything):
    everything.told.clear()
    everything.call("trigger-long-running-operation", duration=0.2, steps=4)
    assert [text for text in everything.told if "/" in text] == ["1/4", "2/4", "3/4", "4/4"]


def test_what_it_logs_reaches_whoever_watches(everything):
    """It logs a line of a random level at once; those below the level that we ask for are lost."""
    everything.told.clear()
    shown = re.compile(r"\[everything \w+\] \w+[- ]level")
    for _ in range(60):  # one in eight is below; it starts anew each time that it is switched on
        everything.call("toggle-simulated-logging")
        everything.call("toggle-simulated-logging")
        if any(shown.match(text) for text in everything.told):
            return
    raise AssertionError(everything.told)


def test_it_asks_our_model_once_a_person_has_agreed(everything):
    everything.person.asked.clear()
    answer = everything.call("trigger-sampling-request", prompt="hello there", maxTokens=50)
    assert '"model": "hermes:builtin"' in answer["result"]
    (request,) = everything.person.asked
    assert request.tool == "mcp-everything:sampling"
    assert "hello there" in request.arguments["messages"][0]["text"]
    assert request.arguments["max_tokens"] == 50


def test_it_asks_a_person_by_a_form(everything):
    answer = everything.call("trigger-elicitation-request")["result"]
    given = json.loads(answer.partition("Raw result: ")[2])
    assert given["action"] == "accept"
    assert given["content"]["name"] == "Ada"
    assert (given["content"]["check"], given["content"]["integer"]) == (True, 7)
    assert given["content"]["titledSingleSelectEnum"] == "hero-2"
    assert given["content"]["firstLine"] == "It was a dark and stormy night."
    assert everything.person.forms[-1].server == "everything"


def test_it_sends_a_person_to_an_address(everything):
    url = "https://example.com/agree"
    answer = everything.call("trigger-url-elicitation", url=url)["result"]
    assert '"action": "accept"' in answer
    assert everything.person.visited[-1] == url


def test_a_call_that_wants_a_visit_first_is_repeated_once_the_person_went(everything):
    everything.person.visited.clear()
    url = "https://example.com/later"
    answer = everything.call("trigger-url-elicitation", url=url, errorPath=True)
    assert '"action": "accept"' in answer["result"]
    assert everything.person.visited == ["https://modelcontextprotocol.io", url]


def test_it_is_told_the_folder_of_the_task_and_no_secret(everything):
    assert everything.runtime.cwd in everything.call("get-roots-list")["result"]
    variables = json.loads(everything.call("get-env")["result"])
    assert "PATH" in variables
    assert os.environ.get("MY_API_KEY") == "not-for-servers"
    assert "MY_API_KEY" not in variables


def test_an_error_is_an_answer_and_the_server_goes_on(everything):
    answer = everything.call("simulate-research-query", topic="anything")
    assert "requires task augmentation" in answer["error"]
    assert everything.call("echo", message="still here")["result"] == "Echo: still here"


def test_calls_share_the_connection_and_a_cancelled_one_holds_up_nobody(everything):
    async def story():
        loop = asyncio.get_running_loop()
        slow = loop.create_task(
            everything.acall("trigger-long-running-operation", duration=60, steps=2)
        )
        many = [everything.acall("echo", message=str(number)) for number in range(20)]
        answers = [answer["result"] for answer in await asyncio.gather(*many)]
        assert answers == [f"Echo: {number}" for number in range(20)]
        assert not slow.done()
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        return await everything.acall("echo", message="after")

    assert asyncio.run(asyncio.wait_for(story(), 20))["result"] == "Echo: after"


def test_the_command_line_takes_it_over_from_another_clients_file(tmp_path, hermes_home):
    command = PARTS["script"](PACKAGE)
    entry = {"command": command[0], "args": [*command[1:], "stdio"]}
    file = tmp_path / "claude_desktop_config.json"
    file.write_text(json.dumps({"mcpServers": {"everything": entry}}))

    def hermes(*words):
        command = [sys.executable, "-m", "hermes", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=50, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    hermes("mcp", "import", str(file))
    (before,) = json.loads(hermes("mcp", "list", "--json"))
    assert (before["name"], before["seen"]) == ("everything", False)
    assert "echo" in hermes("mcp", "test", "everything")
    (after,) = json.loads(hermes("mcp", "list", "--json"))
    assert (after["seen"], after["tools"], after["protocol"]) == (True, 16, "2025-11-25")
    assert "mcp-everything:echo" in hermes("tool", "list")
    said = json.loads(hermes("tool", "call", "mcp-everything:echo", "message=hi"))
    assert said["result"] == "Echo: hi"


@pytest.mark.parametrize(("way", "path"), [("streamableHttp", "/mcp"), ("sse", "/sse")])
def test_it_is_reached_over_http_as_well(way, path, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [*PARTS["script"](PACKAGE), way]
    variables = {**os.environ, "PORT": str(port)}
    transport = "sse" if way == "sse" else "http"
    settings = {"url": f"http://127.0.0.1:{port}{path}", "transport": transport}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=variables, stderr=pipe, text=True) as server:
        try:
            while str(port) not in server.stderr.readline():
                assert server.poll() is None
            with scene_of(settings, tmp_path) as scene:
                assert scene.call("echo", message="hi")["result"] == "Echo: hi"
                assert scene.call("get-tiny-image")["parts"][0]["type"] == "image"
                scene.call("trigger-long-running-operation", duration=0.1, steps=2)
                assert [text for text in scene.told if "/" in text] == ["1/2", "2/2"]
                assert "Ada" in scene.call("trigger-elicitation-request")["result"]
                answer = scene.call("trigger-sampling-request", prompt="hi", maxTokens=9)
                assert "hermes:builtin" in answer["result"]
        finally:
            server.kill()
            server.communicate()
