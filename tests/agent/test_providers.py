"""The loop over real protocols: tools work, and no service can crash it."""

import asyncio
import json

import pytest
from tests.llm import wire
from tests.llm.conftest import make_model
from tests.llm.conftest import serve as serve  # the fixture
from tests.llm.loopback import Answer, page, sse, whole

from hermes.agent.events import CallDone, CallStarted, Said
from hermes.agent.options import AgentOptions

PROTOCOLS = {
    "chat": wire.chat,
    "anthropic": wire.messages,
    "responses": wire.responses,
    "gemini": wire.gemini,
}
NONSENSE = {
    "429": whole({"error": {"message": "slow down", "type": "rate_limit_error"}}, 429),
    "500": whole({"error": {"message": "oops"}}, 500),
    "401": whole({"error": {"message": "wrong key"}}, 401),
    "html": page(200),
    "gateway": page(502),
    "garbage": Answer([b"\x00\xff\x01 garbage \n\n"] * 3),
    "empty": Answer([]),
    "half json": Answer([b'data: {"choices": [{"del'], ending="abrupt"),
    "number": whole(7),
    "list": whole([[]]),
    "null events": Answer([b"data: null\n\ndata: []\n\ndata: {}\n\n"]),
}


def good(protocol, text="", calls=()):
    made = PROTOCOLS[protocol](text, calls=calls)
    return made if isinstance(made, Answer) else Answer(sse(*made))


def arguments(protocol, value):
    return value if protocol == "gemini" else json.dumps(value)


def run(agent, *texts):
    async def turns():
        async with asyncio.timeout(20):
            async with agent:
                return [[event async for event in agent.run(text)] for text in texts]

    return asyncio.run(turns())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tools_are_called_and_answered_in_every_protocol(agent, serve, world, protocol):
    calls = [
        ("c1", "echo", arguments(protocol, {"text": "from the wire"})),
        ("c2", "no_such_tool", arguments(protocol, {})),
    ]
    service = serve(good(protocol, calls=calls), good(protocol, "all done"))
    one, _ = agent([], options=AgentOptions(closes_model=True))
    one.model = make_model(protocol, service.url)
    (events,) = run(one, "go")
    assert [e.name for e in events if isinstance(e, CallStarted)] == ["echo", "no_such_tool"]
    assert [e.is_error for e in events if isinstance(e, CallDone)] == [True, False]
    assert world.done == ["from the wire"]
    assert events[-1].text == "all done"
    sent = json.dumps(service.bodies[1])
    assert sent.count("from the wire") >= 2
    assert "unknown_tool" in sent


@pytest.mark.proves("agent-faults")
@pytest.mark.parametrize("kind", NONSENSE)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_answer_of_a_service_crashes_the_loop(agent, serve, check, protocol, kind):
    service = serve(NONSENSE[kind])
    one, _ = agent([], options=AgentOptions(closes_model=True))
    one.model = make_model(protocol, service.url)
    (events,) = run(one, "go")
    assert events[-1].ending == "failed"
    assert len(events[-1].error) > 20
    assert "Traceback" not in events[-1].error
    assert check(one.messages)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_service_that_recovers_answers_in_the_same_turn(agent, serve, protocol):
    service = serve(page(502), good(protocol, "here I am"))
    one, _ = agent([], options=AgentOptions(closes_model=True))
    one.model = make_model(protocol, service.url)
    (events,) = run(one, "go")
    assert events[-1].text == "here I am"


def test_a_service_that_hangs_can_be_interrupted(agent, serve, check):
    service = serve(Answer(good("chat", "once upon a time").chunks[:2], ending="hang"))
    one, _ = agent([])
    one.model = model = make_model("chat", service.url)

    async def stop():
        async with asyncio.timeout(10):
            async for event in one.run("go"):
                if isinstance(event, Said):
                    one.interrupt()
            await model.close()
            return event

    assert asyncio.run(stop()).ending == "interrupted"
    assert service.left.wait(5)
    assert check(one.messages)
