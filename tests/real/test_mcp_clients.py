"""MCP clients that others wrote, against `hermes mcp serve` on stdio and over HTTP."""

import asyncio
import json
import os
import runpy
import secrets
import subprocess
import sys
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import httpx2
import mcp_types as types
import psutil
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

HERE = Path(__file__).parent
PARTS = runpy.run_path(str(HERE / "mcp_parts.py"))
SERVE = [sys.executable, "-m", "hermes", "mcp", "serve", "--toolsets", "file,terminal"]
SKILL = "---\nname: greeting\ndescription: How to greet.\n---\nSay hello, and mean it.\n"
ERAS = ["legacy", "auto"]

pytestmark = pytest.mark.proves("mcp-strangers")


@pytest.fixture
def place(tmp_path, hermes_home):
    """A folder to work in, and a home with a skill."""
    skill = hermes_home / "skills" / "greeting"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKILL)
    work = tmp_path / "work"
    work.mkdir()
    return work


@contextmanager
def http_server(work, home):
    """Serve over HTTP; gives the address and the token."""
    token = home / "token"
    command = [*SERVE, "--http", "127.0.0.1:0", "--token-file", str(token)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=work, stderr=pipe, text=True) as server:
        try:
            for line in server.stderr:
                if line.startswith("serving at "):
                    break
            yield line.removeprefix("serving at ").strip(), token.read_text().strip()
        finally:
            server.terminate()
            server.communicate(timeout=20)


def inspect(*words, **given):
    command = [*PARTS["script"]("@modelcontextprotocol/inspector"), "--cli", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=50, check=False, **given)


def test_the_inspector_finds_nothing_wrong_with_our_tools(place, hermes_home):
    serve = [sys.executable, "-m", "hermes", "mcp", "serve", "--cwd", str(place)]
    home = ["-e", f"HERMES_HOME={hermes_home}"]
    done = inspect(*home, *serve, "--method", "tools/list", "--strict")
    assert done.returncode == 0, done.stderr
    tools = json.loads(done.stdout)["tools"]
    assert {"read_file", "terminal"} <= {tool["name"] for tool in tools}
    assert all(tool["title"] and tool["description"] for tool in tools)


def test_the_inspector_uses_our_server_on_stdio(place, hermes_home):
    def ask(*words):
        home = ["-e", f"HERMES_HOME={hermes_home}"]
        done = inspect(*home, *SERVE, "--cwd", str(place), *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    call = ["--method", "tools/call", "--tool-name", "write_file"]
    written = ask(*call, "--tool-arg", "path=a.txt", "--tool-arg", "content=hi")
    assert written["structuredContent"]["bytes"] == 2
    assert (place / "a.txt").read_text() == "hi"
    page = ask("--method", "resources/read", "--uri", "hermes://skills/greeting")
    assert "Say hello" in page["contents"][0]["text"]


def test_the_inspector_uses_our_server_over_http(place, hermes_home):
    PARTS["need"]()
    with http_server(place, hermes_home) as (address, token):
        there = [address, "--transport", "http"]
        listing = ["--method", "tools/list"]
        shown = ["--header", f"Authorization: Bearer {token}"]
        refused = inspect(*there, *listing)
        done = inspect(*there, *listing, *shown)
    assert refused.returncode != 0
    assert done.returncode == 0, done.stderr
    assert "read_file" in {tool["name"] for tool in json.loads(done.stdout)["tools"]}


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_fastmcp_uses_our_server(way, mode, place, hermes_home):
    python = PARTS["program"]("python", package="fastmcp")

    def run(given):
        command = [*python, HERE / "mcp_fastmcp_client.py", json.dumps({**given, "mode": mode})]
        done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    if way == "http":
        with http_server(place, hermes_home) as (address, token):
            seen = run({"url": address, "token": token})
    else:
        variables = {"HERMES_HOME": str(hermes_home), "PATH": os.environ["PATH"]}
        seen = run({"command": [*SERVE, "--cwd", str(place)], "env": variables})
    assert {"read_file", "write_file", "terminal"} <= set(seen["tools"])
    assert seen["written"]["bytes"] == 3
    assert "hi" in seen["read"]
    assert "done" in seen["done"]
    assert "lets everyone on this machine change a.txt" in seen["questions"][0]
    assert "none.txt" in seen["error"]
    assert seen["many"] == 5
    assert "hermes://skills/greeting" in seen["resources"]
    assert seen["page"] == SKILL
    assert "Say hello" in seen["prompt"]


class Story:
    """A client of the protocol's own library, and what it heard."""

    def __init__(self, work):
        self.work = work
        self.questions = []

    async def answer(self, _, params):
        self.questions.append(params.message)
        return types.ElicitResult(action="accept", content={"decision": "once"})

    async def play(self, client):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"read_file", "write_file", "terminal"} <= names
        await client.call_tool("write_file", {"path": "a.txt", "content": "hi\n"})
        assert (self.work / "a.txt").read_text() == "hi\n"
        done = await client.call_tool("terminal", {"command": "chmod 777 a.txt; echo done"})
        assert "done" in done.content[0].text
        assert not done.is_error
        assert "lets everyone on this machine change a.txt" in self.questions[0]
        failed = await client.call_tool("read_file", {"path": "none.txt"})
        assert failed.is_error
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("no_such_tool", {})
        await self.cancel(client)
        many = [client.call_tool("read_file", {"path": "a.txt"}) for _ in range(10)]
        assert all(not answer.is_error for answer in await asyncio.gather(*many))

    async def cancel(self, client):
        """Give up a call; what it started ends, too."""
        command = f"sleep 30.{secrets.randbelow(10**9)}"
        call = asyncio.create_task(client.call_tool("terminal", {"command": command}))
        while not running(command):
            await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while running(command):
            await asyncio.sleep(0.05)


def running(command):
    """Say whether some process of this machine was started so."""
    return any(one.info["cmdline"] == command.split() for one in psutil.process_iter(["cmdline"]))


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_protocols_own_client_uses_our_server(way, mode, place, hermes_home):
    story = Story(place)

    async def run(there):
        async with AsyncExitStack() as stack:
            if way == "http":
                headers = {"Authorization": f"Bearer {there[1]}"}
                web = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
                there = streamable_http_client(there[0], http_client=web)
            client = Client(there, mode=mode, elicitation_callback=story.answer)
            await stack.enter_async_context(client)
            await asyncio.wait_for(story.play(client), 40)
            return client.protocol_version

    if way == "http":
        with http_server(place, hermes_home) as there:
            version = asyncio.run(run(there))
    else:
        command, *args = [*SERVE, "--cwd", str(place)]
        variables = {"HERMES_HOME": str(hermes_home), "PATH": os.environ["PATH"]}
        there = StdioServerParameters(command=command, args=args, env=variables)
        version = asyncio.run(run(there))
    assert version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
