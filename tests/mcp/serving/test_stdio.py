import asyncio
import json
import threading

import pytest

from hermes.base.errors import ToolError
from hermes.mcp.serving.wire import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
)
from hermes.runtime.context import ToolContext

MODERN = "2026-07-28"


@pytest.fixture
def echo(declare):
    @declare
    async def echo(text: str) -> str:
        """Say it again."""
        return text

    return echo


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_version_with_a_handshake_is_spoken(talk, echo, version):
    client = talk()
    assert client.greet(version)["protocolVersion"] == version
    assert client.result("tools/call", {"name": "echo", "arguments": {"text": "hi"}}) == {
        "content": [{"type": "text", "text": "hi"}]
    }


def test_an_unknown_version_is_answered_with_the_newest(talk):
    assert talk().greet("1999-01-01")["protocolVersion"] == "2025-11-25"


def test_the_greeting_says_who_we_are_and_what_can_be_asked(talk):
    found = talk().greet()
    assert found["serverInfo"]["name"] == "hermes"
    assert found["capabilities"]["tools"] == {"listChanged": True}
    assert "instructions" in found


@pytest.mark.proves("mcp-serve-eras")
def test_the_modern_era_needs_no_handshake(talk, echo):
    client = talk().be_modern()
    found = client.result("server/discover")
    assert found["supportedVersions"] == [MODERN]
    assert found["resultType"] == "complete"
    assert (found["ttlMs"], found["cacheScope"]) == (0, "private")
    tools = client.result("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["echo"]
    answer = client.result("tools/call", {"name": "echo", "arguments": {"text": "hi"}})
    assert answer["content"] == [{"type": "text", "text": "hi"}]
    assert answer["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "hermes"


@pytest.mark.parametrize("method", ["ping", "logging/setLevel", "resources/subscribe"])
def test_the_modern_era_has_no_methods_of_sessions(talk, method):
    assert talk().be_modern().error(method)["code"] == METHOD_NOT_FOUND


def test_a_handshake_in_the_modern_era_is_refused_with_what_is_spoken(talk):
    client = talk().be_modern()
    client.result("server/discover")
    client.modern = None
    error = client.error("initialize", {"protocolVersion": "2025-11-25"})
    assert error["code"] == UNSUPPORTED_VERSION
    assert error["data"] == {"supported": [MODERN], "requested": "2025-11-25"}


def test_a_modern_request_after_a_handshake_is_refused(talk):
    client = talk()
    client.greet()
    client.be_modern()
    assert client.error("tools/list")["code"] == INVALID_REQUEST


def test_an_envelope_must_be_whole(talk):
    client = talk().be_modern()
    del client.modern["io.modelcontextprotocol/clientCapabilities"]
    error = client.error("tools/list")
    assert error["code"] == INVALID_PARAMS
    assert "clientCapabilities" in error["message"]


def test_a_modern_version_that_nobody_knows_is_refused(talk):
    client = talk().be_modern()
    client.modern["io.modelcontextprotocol/protocolVersion"] = "2030-01-01"
    error = client.error("tools/list")
    assert error["code"] == UNSUPPORTED_VERSION
    assert error["data"]["requested"] == "2030-01-01"


def test_before_the_handshake_only_a_ping_is_answered(talk):
    client = talk()
    assert client.result("ping") == {}
    assert client.error("tools/list")["code"] == INVALID_REQUEST


def test_a_second_handshake_is_refused(talk):
    client = talk()
    client.greet()
    info = {"name": "x", "version": "1"}
    given = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    assert client.error("initialize", given)["code"] == INVALID_REQUEST


def test_a_handshake_must_say_who_it_is(talk):
    assert talk().error("initialize", {"protocolVersion": "2025-11-25"})["code"] == INVALID_PARAMS


def test_an_unknown_method_is_told(talk):
    client = talk()
    client.greet()
    assert client.error("tools/paint")["code"] == METHOD_NOT_FOUND


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{not json", PARSE_ERROR),
        (b"\xff\xfe\x00", PARSE_ERROR),
        (b"[" * 5_000, PARSE_ERROR),
        (b"42", INVALID_REQUEST),
        (b'{"id":7,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST),
        (b"[]", INVALID_REQUEST),
    ],
)
def test_what_is_no_message_is_told_and_nothing_ends(talk, line, code):
    client = talk()
    client.write(line + b"\n")
    answer = client.hear()
    assert answer["error"]["code"] == code
    assert answer["id"] == (7 if b'"id":7' in line else None)
    assert client.result("ping") == {}


def test_empty_lines_are_nothing(talk):
    client = talk()
    client.write(b"\n  \r\n")
    assert client.result("ping") == {}


def test_a_line_that_is_too_long_is_refused_under_its_id(talk, echo):
    client = talk(most_bytes=2_000)
    client.greet()
    long = {"name": "echo", "arguments": {"text": "x" * 100_000}}
    line = {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": long}
    client.send(line)
    answer = client.answer_to(99)
    assert answer["error"]["code"] == INVALID_REQUEST
    assert "2,000 bytes" in answer["error"]["message"]
    assert client.result("ping") == {}


def test_batches_are_answered_together_where_the_version_has_them(talk, echo):
    client = talk()
    client.greet("2025-03-26")
    ping = {"jsonrpc": "2.0", "id": "a", "method": "ping"}
    call = {"name": "echo", "arguments": {"text": "hi"}}
    slow = {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": call}
    note = {"jsonrpc": "2.0", "method": "notifications/progress"}
    client.write(json.dumps([ping, note, slow, 3]).encode() + b"\n")
    answers = {answer["id"]: answer for answer in client.hear()}
    assert answers["a"]["result"] == {}
    assert answers["b"]["result"]["content"][0]["text"] == "hi"
    assert answers[None]["error"]["code"] == INVALID_REQUEST


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_batches_are_refused_where_the_version_has_none(talk, version):
    client = talk()
    client.greet(version)
    client.write(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n')
    answer = client.hear()
    assert (answer["id"], answer["error"]["code"]) == (None, INVALID_REQUEST)


@pytest.mark.proves("mcp-serve-many")
def test_many_calls_are_in_flight_and_the_quick_ones_do_not_wait(talk, declare):
    gate = asyncio.Event()

    @declare
    async def wait() -> str:
        """Wait."""
        await gate.wait()
        return "slow"

    @declare
    async def quick() -> str:
        """Do not wait."""
        return "quick"

    @declare
    async def free() -> str:
        """Let the others go."""
        gate.set()
        return "freed"

    client = talk()
    client.greet()
    slow = [client.begin("tools/call", {"name": "wait"}) for _ in range(50)]
    assert client.result("tools/call", {"name": "quick"})["content"][0]["text"] == "quick"
    client.result("tools/call", {"name": "free"})
    answers = [client.answer_to(id) for id in slow[:1]]
    heard = [*client.others, *answers]
    while len([one for one in heard if one.get("id") in slow]) < len(slow):
        heard.append(client.hear())
    assert {one["id"] for one in heard if "result" in one} >= set(slow)


@pytest.mark.proves("mcp-serve-cancels")
def test_a_cancelled_call_stops_and_is_not_answered(talk, declare):
    started, stopped = threading.Event(), threading.Event()

    @declare
    async def wait() -> str:
        """Wait for ever."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    client = talk()
    client.greet()
    id = client.begin("tools/call", {"name": "wait"})
    assert started.wait(10)
    client.tell("notifications/cancelled", {"requestId": id, "reason": "changed my mind"})
    assert stopped.wait(10)
    assert client.result("ping") == {}
    assert client.others == []


def test_a_call_cancelled_before_it_began_leaves_nothing(talk, echo):
    client = talk()
    client.greet()
    call = {"name": "echo", "arguments": {"text": "x"}}
    request = {"jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": call}
    cancel = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 500},
    }
    client.write(json.dumps(request).encode() + b"\n" + json.dumps(cancel).encode() + b"\n")
    found = client.result("tools/call", {"name": "echo", "arguments": {"text": "y"}})
    assert found["content"][0]["text"] == "y"
    assert client.others == []


def test_an_id_in_use_is_refused(talk, declare):
    @declare
    async def wait() -> str:
        """Wait for ever."""
        await asyncio.Event().wait()

    client = talk()
    client.greet()
    client.begin("tools/call", {"name": "wait"}, id=77)
    client.begin("tools/call", {"name": "wait"}, id=77)
    assert client.answer_to(77)["error"]["code"] == INVALID_REQUEST


def test_answers_larger_than_a_pipe_arrive_whole(talk, declare):
    @declare(max_result_size_chars=3_000_000)
    async def much() -> str:
        """Say much."""
        return "x" * 2_000_000

    client = talk()
    client.greet()
    ids = [client.begin("tools/call", {"name": "much"}) for _ in range(5)]
    for id in ids:
        found = next((one for one in client.others if one.get("id") == id), None)
        answer = found or client.answer_to(id)
        assert len(answer["result"]["content"][0]["text"]) == 2_000_000


def test_progress_is_told_under_the_token_of_the_call(talk, declare):
    @declare
    def steps(ctx: ToolContext) -> str:
        """Tell of two steps, from a thread."""
        ctx.progress("one")
        ctx.progress("two")
        return "done"

    client = talk()
    client.greet()
    client.result("tools/call", {"name": "steps", "_meta": {"progressToken": "t"}})
    told = [one["params"] for one in client.others if one["method"] == "notifications/progress"]
    assert told == [
        {"progressToken": "t", "progress": 1.0, "message": "one"},
        {"progressToken": "t", "progress": 2.0, "message": "two"},
    ]
    client.others.clear()
    client.result("tools/call", {"name": "steps"})
    assert client.others == []


def test_what_is_asked_last_is_answered_though_nobody_asks_more(talk, declare, served):
    from tests.mcp.serving.talk import Talk

    @declare
    async def soon() -> str:
        """Take a moment."""
        await asyncio.sleep(0.05)
        return "done"

    client = Talk(served().offering)
    client.greet()
    id = client.begin("tools/call", {"name": "soon"})
    client.leave()
    assert client.answer_to(id)["result"]["content"][0]["text"] == "done"


def test_an_error_of_a_tool_is_told_in_words_with_what_to_do(talk, declare):
    @declare
    async def fail() -> str:
        """Fail."""
        raise ToolError("the lamp is broken", hint="Bring a new one.", code="no_light")

    client = talk()
    client.greet()
    assert client.result("tools/call", {"name": "fail"}) == {
        "content": [{"type": "text", "text": "the lamp is broken\nBring a new one."}],
        "isError": True,
        "_meta": {"hermes/code": "no_light"},
    }


def test_wrong_arguments_are_an_answer_that_the_model_can_read(talk, echo):
    client = talk()
    client.greet()
    found = client.result("tools/call", {"name": "echo", "arguments": {}})
    assert found["isError"] is True
    assert "text" in found["content"][0]["text"]


def test_an_unknown_tool_is_an_error_of_the_protocol_that_names_the_nearest(talk, echo):
    client = talk()
    client.greet()
    error = client.error("tools/call", {"name": "ecko"})
    assert error["code"] == INVALID_PARAMS
    assert "echo" in error["message"]


@pytest.mark.parametrize("params", [{}, {"name": 3}, {"name": "echo", "arguments": [1]}])
def test_parameters_of_the_wrong_kind_are_refused(talk, echo, params):
    client = talk()
    client.greet()
    assert client.error("tools/call", params)["code"] == INVALID_PARAMS
