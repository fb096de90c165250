"""HTTP servers that refuse, redirect, forget, stall and flood: a clear answer in bounded time."""

import json
import socket
import time

import pytest
from tests.mcp import conftest
from tests.mcp.conftest import plain
from tests.mcp.fixtures.http_server import Server, wait_until

from hermes.app import servers

home, runtime_of = conftest.home, conftest.runtime_of


@pytest.fixture
def server():
    made = Server()
    yield made
    made.end()


def call(runtime, name, args=None, **more):
    return json.loads(runtime.call_sync(f"mcp-web:{name}", args or {}, **more))


def trouble(runtime):
    return " ".join(text for _, text in runtime.problems())


def web(server, **more):
    return {"web": {"url": server.url, **more}}


def test_a_call_over_http_brings_its_answer(runtime_of, server):
    runtime = runtime_of(web(server, headers={"X-Key": "${HOME}"}))
    assert call(runtime, "echo", {"text": "hi"})["result"] == "hi"
    assert call(runtime, "sse")["result"] == "streamed"
    headers, _ = server.seen[-1]
    assert headers["X-Key"].startswith("/")
    runtime.close()
    assert server.deleted == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "refuses us with HTTP 401"),
        (403, "refuses us with HTTP 403"),
        (404, "HTTP 404"),
        (500, "HTTP 500"),
        (503, "HTTP 503"),
        (307, "HTTP 307"),
    ],
)
def test_a_server_that_refuses_the_connection_is_said_to(runtime_of, server, status, words):
    server.refusing = status
    runtime = runtime_of(web(server))
    began = time.monotonic()
    call(runtime, "echo")
    assert time.monotonic() - began < 5
    assert words in trouble(runtime)
    if status in (401, 403):
        assert "hermes mcp login web" in servers.of(runtime)._supervisors["web"].trouble.hint


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_a_call_that_is_refused_says_so_and_leaves_the_server_up(runtime_of, server, status):
    runtime = runtime_of(web(server))
    answer = call(runtime, "status", {"status": status})
    assert answer["code"] == "server_error"
    assert f"HTTP {status}" in answer["error"]
    assert call(runtime, "echo", {"text": "up"})["result"] == "up"
    assert server.sessions == 1


def test_a_redirect_to_another_host_is_not_followed(runtime_of, server):
    runtime = runtime_of(web(server))
    answer = call(runtime, "redirect")
    assert "HTTP 307" in answer["error"]
    assert "127.0.0.2" in answer["error"]
    assert call(runtime, "echo", {"text": "up"})["result"] == "up"


def test_an_answer_of_another_kind_is_an_error(runtime_of, server):
    runtime = runtime_of(web(server))
    assert "text/html" in call(runtime, "html")["error"]


@pytest.mark.parametrize("tool", ["slow", "hang"])
def test_an_answer_that_never_ends_is_ended_by_the_clock(runtime_of, server, tool):
    runtime = runtime_of(web(server))
    call(runtime, "echo")
    began = time.monotonic()
    assert call(runtime, tool, timeout_seconds=0.5)["code"] == "timeout"
    assert time.monotonic() - began < 3
    assert call(runtime, "echo", {"text": "up"})["result"] == "up"


def test_an_answer_without_end_breaks_off(runtime_of, server):
    runtime = runtime_of(web(server))
    answer = call(runtime, "big")
    assert "more than 16,777,216 bytes" in answer["error"]
    assert call(runtime, "echo", {"text": "up"})["result"] == "up"


def test_a_forgotten_session_is_made_anew_and_the_call_made_again(runtime_of, server):
    runtime = runtime_of(web(server))
    assert call(runtime, "forget", {"once": True})["result"] == "known again"
    assert server.sessions == 2


def test_a_connection_that_breaks_in_a_call_is_made_anew(runtime_of, server):
    runtime = runtime_of(web(server))
    answer = call(runtime, "drop")
    assert answer["code"] in ("connection_lost", "server_unreachable")
    assert call(runtime, "echo", {"text": "up"})["result"] == "up"


def test_a_server_that_is_not_there_is_said_to_be(runtime_of, server):
    server.end()
    runtime = runtime_of(web(server))
    call(runtime, "echo")
    assert "connect" in trouble(runtime).lower()


def test_a_half_open_connection_is_given_up_in_time(runtime_of):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        runtime = runtime_of({"web": {"url": url, "connect_timeout": 1}, "plain": plain()})
        began = time.monotonic()
        call(runtime, "echo")
        assert time.monotonic() - began < 5
        assert "within 1 seconds" in trouble(runtime)
        answer = json.loads(runtime.call_sync("mcp-plain:echo", {"text": "hi"}))
        assert answer["result"] == "hi"


def test_a_server_that_was_away_comes_back(runtime_of, server):
    server.refusing = 503
    runtime = runtime_of(web(server))
    call(runtime, "echo")
    server.refusing = 0
    assert wait_until(lambda: call(runtime, "echo", {"text": "back"}).get("result") == "back")
