"""MCP servers that people really use, started and spoken to by hermes."""

import asyncio
import base64
import functools
import http.server
import json
import runpy
import shutil
import struct
import subprocess
import threading
from pathlib import Path

import pytest

from hermes import Runtime
from hermes.app import servers

HERE = Path(__file__).parent
PARTS = runpy.run_path(str(HERE / "mcp_parts.py"))
server, script, program = PARTS["server"], PARTS["script"], PARTS["program"]
WAVE = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt "
WAVE += struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + struct.pack("<I", 0)

pytestmark = pytest.mark.proves("mcp-strangers")


@pytest.fixture
def opened(tmp_path):
    """Return what starts a server and gives how its tools are called."""
    runtimes = []

    def start(name, settings, profile="trusted"):
        config = {"mcp_servers": {name: settings}, "urls": {"allow_private": True}}
        runtime = Runtime(profile, cwd=tmp_path, config=config)
        runtimes.append(runtime)
        asyncio.run(servers.of(runtime).connect(name))

        def call(tool, **arguments):
            return json.loads(runtime.call_sync(f"mcp-{name}:{tool}", arguments))

        return call

    yield start
    for runtime in runtimes:
        runtime.close()


def test_the_filesystem_server_works_in_the_folder_of_the_task(opened, tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    call = opened("files", server(script("@modelcontextprotocol/server-filesystem"), given))
    allowed = call("list_allowed_directories")["result"]
    assert str(tmp_path) in json.dumps(allowed)  # our roots take the place of its arguments
    call("write_file", path=str(tmp_path / "a.txt"), content="one\ntwo\n")
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"
    edits = [{"oldText": "two", "newText": "2"}]
    assert "+2" in json.dumps(call("edit_file", path=str(tmp_path / "a.txt"), edits=edits))
    assert "one" in json.dumps(call("read_text_file", path=str(tmp_path / "a.txt")))
    assert "[FILE] a.txt" in json.dumps(call("list_directory", path=str(tmp_path)))
    found = call("search_files", path=str(tmp_path), pattern="*.txt")
    assert "a.txt" in json.dumps(found)
    assert "outside allowed directories" in call("read_text_file", path="/etc/passwd")["error"]


def test_the_filesystem_server_gives_sounds_and_pictures(opened, tmp_path):
    call = opened("files", server(script("@modelcontextprotocol/server-filesystem"), tmp_path))
    (tmp_path / "a.wav").write_bytes(WAVE)
    (part,) = call("read_media_file", path=str(tmp_path / "a.wav"))["parts"]
    assert (part["type"], part["media_type"]) == ("audio", "audio/wav")
    assert base64.b64decode(part["data"]) == WAVE


def test_the_memory_server_remembers_and_is_given_only_its_own_variables(opened, tmp_path):
    variables = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
    settings = server(script("@modelcontextprotocol/server-memory"), env=variables)
    call = opened("memory", settings)
    ada = {"name": "Ada", "entityType": "person", "observations": ["writes programs"]}
    call("create_entities", entities=[ada, {**ada, "name": "Bob", "observations": []}])
    call("create_relations", relations=[{"from": "Ada", "to": "Bob", "relationType": "knows"}])
    graph = call("search_nodes", query="programs")["result"]
    assert [one["name"] for one in graph["entities"]] == ["Ada"]
    again = opened("again", settings)
    assert len(again("read_graph")["result"]["relations"]) == 1
    assert "Ada" in (tmp_path / "memory.jsonl").read_text()


def test_the_thinking_server_keeps_count(opened):
    call = opened("think", server(script("@modelcontextprotocol/server-sequential-thinking")))
    step = {"thought": "first", "thoughtNumber": 1, "totalThoughts": 2, "nextThoughtNeeded": True}
    assert call("sequentialthinking", **step)["result"]["thoughtHistoryLength"] == 1
    last = {**step, "thoughtNumber": 2, "nextThoughtNeeded": False}
    assert call("sequentialthinking", **last)["result"]["thoughtHistoryLength"] == 2


def test_the_time_server_speaks_the_newest_protocol(opened):
    call = opened("time", server(program("mcp-server-time"), "--local-timezone=UTC"))
    given = {"source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo", "time": "12:00"}
    answer = call("convert_time", **given)["result"]
    assert answer["target"]["datetime"][11:16] in ("19:00", "20:00")
    assert "Invalid timezone" in call("get_current_time", timezone="Nowhere/City")["error"]


def test_the_git_server_works_on_a_repository(opened, tmp_path):
    git = functools.partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True)
    git(["git", "init", "-q", "-b", "main"])
    git(["git", "config", "user.email", "a@b.example"])
    git(["git", "config", "user.name", "A"])
    (tmp_path / "a.txt").write_text("hello\n")
    call = opened("git", server(program("mcp-server-git"), "--repository", tmp_path))
    where = str(tmp_path)
    assert "a.txt" in call("git_status", repo_path=where)["result"]
    call("git_add", repo_path=where, files=["a.txt"])
    assert "hello" in call("git_diff_staged", repo_path=where)["result"]
    call("git_commit", repo_path=where, message="Say hello")
    assert "Say hello" in call("git_log", repo_path=where)["result"]
    assert "error" in call("git_status", repo_path="/nowhere")


def test_the_sqlite_server_of_the_earlier_library_has_tools_resources_and_prompts(opened, tmp_path):
    command = program("mcp-server-sqlite", "earlier")
    call = opened("data", server(command, "--db-path", tmp_path / "data.db"))
    call("create_table", query="CREATE TABLE t (n INTEGER, word TEXT)")
    call("write_query", query="INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    rows = call("read_query", query="SELECT word FROM t WHERE n = 2")["result"]
    assert "two" in rows
    assert "error" in json.dumps(call("read_query", query="DROP TABLE t")).lower()
    call("append_insight", insight="Two rows are enough.")
    assert "Two rows are enough." in call("read_resource", uri="memo://insights")["result"]
    prompt = call("get_prompt", name="mcp-demo", arguments={"topic": "cheese"})
    assert "cheese" in json.dumps(prompt["messages"])


def test_the_fetch_server_reads_a_page(opened, tmp_path):
    (tmp_path / "page.html").write_text("<h1>Title</h1><p>Some <b>words</b> to read.</p>")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as pages:
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{pages.server_port}"
        options = ["--ignore-robots-txt", "--allow-private-ips"]
        call = opened("web", server(program("mcp-server-fetch"), *options))
        found = call("fetch", url=f"{address}/page.html")
        missing = call("fetch", url=f"{address}/none.html")
        pages.shutdown()
    assert "words" in found["result"]
    assert "404" in missing["error"]


def test_a_server_in_the_sandbox_writes_only_where_its_task_works(opened, tmp_path):
    if shutil.which("bwrap") is None:
        pytest.skip("needs bwrap (apt package bubblewrap)")
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    node, program = script("@modelcontextprotocol/server-memory")
    command = [shutil.copy(node, tmp_path), program]  # it sees its workspace and what that links to
    (tmp_path / "node_modules").symlink_to(Path(program.split("/node_modules/")[0], "node_modules"))
    inside = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
    beyond = {"MEMORY_FILE_PATH": str(outside / "memory.jsonl")}
    ada = {"name": "Ada", "entityType": "person", "observations": []}
    call = opened("within", server(command, env=inside, sandbox=True))
    call("create_entities", entities=[ada])
    assert "Ada" in (tmp_path / "memory.jsonl").read_text()
    call = opened("beyond", server(command, env=beyond, sandbox=True))
    assert "error" in call("create_entities", entities=[ada])
    assert list(outside.iterdir()) == []
