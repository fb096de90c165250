"""Clients that are broken, hostile or slow."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.mcp.serving.talk import CAPABILITIES, VERSION

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
METHODS = st.sampled_from(
    [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "resources/read",
        "resources/subscribe",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "server/discover",
        "subscriptions/listen",
        "notifications/cancelled",
        "notifications/initialized",
    ]
)
_NAMES = "name arguments uri cursor level ref argument _meta requestId notifications"
_MORE = "inputResponses requestState protocolVersion capabilities"
KEYS = st.sampled_from([*_NAMES.split(), *_MORE.split()])
PARAMS = st.dictionaries(KEYS, JSON, max_size=4)
MODERN = PARAMS.map(lambda params: {**params, "_meta": {VERSION: "2026-07-28", CAPABILITIES: {}}})
MESSAGE = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": METHODS, "params": PARAMS | MODERN | JSON},
    optional={"id": st.integers(1_000, 9_999) | st.text(max_size=4) | JSON},
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(MESSAGE | JSON, max_size=10))
def test_no_message_ends_the_conversation(talk, messages):
    client = talk()
    client.greet()
    for message in messages:
        client.write(json.dumps(message).encode("utf-8", "replace") + b"\n")
    assert client.answer_to(client.begin("ping", id="still there")).get("result") == {}


def test_a_client_that_does_not_read_is_waited_for(talk, declare):
    @declare(max_result_size_chars=200_000)
    async def much() -> str:
        """Say much."""
        return "x" * 100_000

    client = talk(most_bytes=400_000)
    client.greet()
    count = 60
    client.hears.clear()
    ids = [client.begin("tools/call", {"name": "much"}) for _ in range(count)]
    client.hears.set()
    heard = []
    while len(heard) < count:
        message = client.hear()
        if message.get("id") in ids:
            heard.append(message["id"])
    assert sorted(heard) == ids


def test_too_many_requests_at_once_are_refused_and_the_others_go_on(talk, declare, monkeypatch):
    monkeypatch.setattr("hermes.mcp.serving.stdio._MOST_REQUESTS", 5)

    @declare
    async def wait() -> str:
        """Wait for ever."""
        await asyncio.Event().wait()

    client = talk()
    client.greet()
    ids = [client.begin("tools/call", {"name": "wait"}) for _ in range(6)]
    refused = client.answer_to(ids[-1])
    assert "5 requests" in refused["error"]["message"]
    client.tell("notifications/cancelled", {"requestId": ids[0]})
    assert client.result("ping") == {}


def test_a_bug_of_ours_is_an_answer(talk, monkeypatch):
    client = talk()
    client.greet()

    async def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(type(client.served.offering), "_call", broken)
    assert client.error("tools/call", {"name": "x"}) == {
        "code": -32603,
        "message": "Internal error",
    }
    assert client.result("ping") == {}


@pytest.mark.parametrize("arguments", [{"depth": 200}])
def test_deep_arguments_are_an_answer(talk, declare, arguments):
    @declare
    async def take(value: dict) -> str:
        """Take anything."""
        return "taken"

    client = talk()
    client.greet()
    deep = {}
    for _ in range(arguments["depth"]):
        deep = {"a": deep}
    answer = client.ask("tools/call", {"name": "take", "arguments": {"value": deep}})
    assert "result" in answer
