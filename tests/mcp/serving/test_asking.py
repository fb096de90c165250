import threading

import pytest

from hermes.mcp.serving.talking import McpClient
from hermes.mcp.serving.wire import INVALID_PARAMS, MISSING_CAPABILITY
from hermes.runtime.context import ToolContext

ASK = {"approval_required": ["*"]}


@pytest.fixture
def act(declare):
    acted = []

    @declare(permissions=["file:write"], effects="write")
    async def act(what: str) -> str:
        """Do it."""
        acted.append(what)
        return "done"

    return acted


CALL = {"name": "act", "arguments": {"what": "paint"}}


@pytest.mark.proves("mcp-serve-asks")
@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_a_call_that_needs_a_yes_is_put_to_the_clients_person(talk, act, version):
    client = talk(profile=ASK)
    client.greet(version, elicitation={})
    id = client.begin("tools/call", CALL)
    asked = client.until("elicitation/create")
    assert "paint" in asked["params"]["message"]
    assert list(asked["params"]["requestedSchema"]["properties"]) == ["decision"]
    assert act == []
    answer = {"action": "accept", "content": {"decision": "once"}}
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
    assert client.answer_to(id)["result"]["content"][0]["text"] == "done"
    assert act == ["paint"]


@pytest.mark.parametrize(
    "answer",
    [
        {"result": {"action": "decline"}},
        {"result": {"action": "cancel"}},
        {"result": {"action": "accept", "content": {"decision": "deny"}}},
        {"result": {"action": "accept", "content": {"decision": "sure"}}},
        {"result": {"action": "accept", "content": {}}},
        {"result": {"action": "accept"}},
        {"result": []},
        {"error": {"code": -32603, "message": "no screen"}},
    ],
)
def test_whatever_is_no_clear_yes_is_a_no(talk, act, answer):
    client = talk(profile=ASK)
    client.greet(elicitation={"form": {}})
    id = client.begin("tools/call", CALL)
    asked = client.until("elicitation/create")
    client.send({"jsonrpc": "2.0", "id": asked["id"], **answer})
    found = client.answer_to(id)["result"]
    assert found["isError"] is True
    assert found["_meta"] == {"hermes/code": "denied"}
    assert act == []


@pytest.mark.proves("mcp-serve-asks")
@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}])
def test_a_client_that_cannot_ask_is_told_what_to_configure(talk, act, capabilities):
    client = talk(profile=ASK)
    client.greet(**capabilities)
    found = client.result("tools/call", CALL)
    assert found["isError"] is True
    assert "--profile" in found["content"][0]["text"]
    assert act == []


@pytest.mark.proves("mcp-serve-asks")
def test_a_call_made_for_a_call_is_asked_about_too(talk, act, declare):
    inner = {}

    @declare
    async def outer(ctx: ToolContext) -> str:
        """Have another tool do it."""
        return await inner["runtime"].call("act", {"what": "paint"}, ctx.task_id)

    client = talk(profile={"allow": ["*"], "approval_required": ["file:write"]})
    inner["runtime"] = client.served.runtime
    client.greet(elicitation={})
    id = client.begin("tools/call", {"name": "outer"})
    asked = client.until("elicitation/create")
    answer = {"action": "accept", "content": {"decision": "once"}}
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
    client.answer_to(id)
    assert act == ["paint"]


def test_nothing_is_said_of_a_call_that_is_over(talk, declare):
    kept = {}

    @declare
    async def leave(ctx: ToolContext) -> str:
        """Leave something that goes on."""
        kept["ctx"] = ctx
        return "left"

    client = talk()
    client.greet()
    client.result("tools/call", {"name": "leave", "_meta": {"progressToken": 1}})
    kept["ctx"].progress("still there")
    assert client.result("ping") == {}
    assert client.others == []


def test_a_yes_for_the_session_is_not_asked_for_again(talk, act):
    client = talk(profile=ASK)
    client.greet(elicitation={})
    id = client.begin("tools/call", CALL)
    asked = client.until("elicitation/create")
    answer = {"action": "accept", "content": {"decision": "session"}}
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
    client.answer_to(id)
    client.result("tools/call", CALL)
    assert act == ["paint", "paint"]


def test_a_question_nobody_answers_is_taken_back_with_its_call(talk, act):
    client = talk(profile=ASK)
    client.greet(elicitation={})
    id = client.begin("tools/call", CALL)
    asked = client.until("elicitation/create")
    client.tell("notifications/cancelled", {"requestId": id})
    assert client.until("notifications/cancelled")["params"]["requestId"] == asked["id"]
    assert act == []


@pytest.mark.proves("mcp-serve-asks")
def test_in_the_modern_era_the_client_comes_back_with_the_answer(talk, act):
    client = talk(profile=ASK).be_modern(elicitation={"form": {}})
    first = client.result("tools/call", CALL)
    assert first["resultType"] == "input_required"
    ((key, asked),) = first["inputRequests"].items()
    assert asked["method"] == "elicitation/create"
    assert act == []
    answers = {key: {"action": "accept", "content": {"decision": "once"}}, "more": {}}
    again = {**CALL, "inputResponses": answers, "requestState": first["requestState"]}
    done = client.result("tools/call", again)
    assert done["resultType"] == "complete"
    assert done["content"][0]["text"] == "done"
    assert act == ["paint"]
    assert client.error("tools/call", again)["code"] == INVALID_PARAMS
    assert act == ["paint"]


def test_a_yes_cannot_be_brought_along_unasked(talk, act):
    client = talk(profile=ASK).be_modern(elicitation={})
    yes = {"action": "accept", "content": {"decision": "once"}}
    call = {**CALL, "inputResponses": {"decision": yes, "approval": yes, "": yes}}
    assert client.result("tools/call", call)["resultType"] == "input_required"
    assert act == []


def test_a_state_is_good_for_its_own_request_only(talk, act):
    client = talk(profile=ASK).be_modern(elicitation={})
    first = client.result("tools/call", CALL)
    (key,) = first["inputRequests"]
    yes = {key: {"action": "accept", "content": {"decision": "once"}}}
    other = {"name": "act", "arguments": {"what": "burn"}, "inputResponses": yes}
    state = first["requestState"]
    for wrong in (
        {**other, "requestState": state},
        {**CALL, "inputResponses": yes, "requestState": f"{state}x"},
        {**CALL, "inputResponses": yes, "requestState": 7},
        {**CALL, "inputResponses": [yes], "requestState": state},
    ):
        assert client.error("tools/call", wrong)["code"] == INVALID_PARAMS
    assert act == []
    right = {**CALL, "inputResponses": yes, "requestState": state}
    assert client.result("tools/call", right)["content"][0]["text"] == "done"


def test_an_answer_that_is_missing_is_asked_for_again(talk, act):
    client = talk(profile=ASK).be_modern(elicitation={})
    first = client.result("tools/call", CALL)
    again = {**CALL, "inputResponses": {"wrong": {}}, "requestState": first["requestState"]}
    second = client.result("tools/call", again)
    assert second["resultType"] == "input_required"
    assert second["inputRequests"] == first["inputRequests"]
    assert second["requestState"] != first["requestState"]


@pytest.fixture
def curious(declare):
    @declare
    async def curious(ctx: ToolContext) -> str:
        """Ask the client's model."""
        params = {"messages": [], "maxTokens": 10}
        answer = await ctx.use(McpClient).sample(ctx, params, key="model")
        return answer["content"]["text"]


def test_a_tool_can_ask_the_clients_model(talk, curious):
    client = talk()
    client.greet(sampling={})
    id = client.begin("tools/call", {"name": "curious"})
    asked = client.until("sampling/createMessage")
    answer = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "42"}}
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
    assert client.answer_to(id)["result"]["content"][0]["text"] == "42"


def test_a_client_that_lacks_what_a_tool_needs_is_told_in_its_era(talk, curious):
    modern = talk().be_modern(elicitation={})
    error = modern.error("tools/call", {"name": "curious"})
    assert error["code"] == MISSING_CAPABILITY
    assert error["data"] == {"requiredCapabilities": {"sampling": {}}}
    earlier = talk()
    earlier.greet()
    assert earlier.result("tools/call", {"name": "curious"})["isError"] is True


def test_the_modern_client_may_bring_answers_along(talk, curious):
    client = talk().be_modern(sampling={})
    answer = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "42"}}
    call = {"name": "curious", "inputResponses": {"model": answer}}
    assert client.result("tools/call", call)["content"][0]["text"] == "42"


def test_a_question_of_the_clarify_tool_reaches_the_person(talk):
    client = talk(registry=None, toolsets=["clarify"])
    client.greet(elicitation={})
    id = client.begin("tools/call", {"name": "clarify", "arguments": {"question": "Which one?"}})
    asked = client.until("elicitation/create")
    assert asked["params"]["message"] == "Which one?"
    answer = {"action": "accept", "content": {"answer": "the red one"}}
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
    assert "the red one" in client.answer_to(id)["result"]["content"][0]["text"]


def test_two_clients_do_not_hear_each_others_questions(talk, declare):
    heard = threading.Event()

    @declare(permissions=["file:write"], effects="write")
    async def act() -> str:
        """Do it."""
        heard.set()
        return "done"

    one, other = talk(profile=ASK), talk(profile=ASK)
    one.greet(elicitation={})
    other.greet(elicitation={})
    id = one.begin("tools/call", {"name": "act"})
    asked = one.until("elicitation/create")
    assert other.result("ping") == {}
    assert other.others == []
    answer = {"action": "accept", "content": {"decision": "once"}}
    one.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
    assert one.answer_to(id)["result"]["content"][0]["text"] == "done"
    assert heard.is_set()
