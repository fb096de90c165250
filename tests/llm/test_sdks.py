"""The loopback services speak the real protocols: the vendors' own clients understand them, and
what they make of an answer is what we make of it."""

import json
import warnings

import pytest
from tests.llm import wire

from hermes.base.messages import Message
from hermes.llm.contract import Request

CALLS = (
    ("call_1", "read_file", '{"path": "a.txt", "limit": 3}'),
    ("call_2", "list_files", '{"path": "ü"}'),
)
ANSWERS = [
    {"text": "Hello, wörld."},
    {"text": "Let me look.", "calls": CALLS},
    {"calls": CALLS[:1]},
]
QUESTION = Request((Message("system", "Be brief."), Message("user", "Hello?")))


@pytest.fixture(scope="module")
def openai():
    return pytest.importorskip("openai")


@pytest.fixture(scope="module")
def anthropic():
    return pytest.importorskip("anthropic")


def ours(reply):
    return reply.text, [(c.id, c.name, json.loads(c.arguments)) for c in reply.calls]


@pytest.mark.parametrize("answer", ANSWERS)
def test_openai_reads_the_same_from_chat_completions(openai, serve, ask, answer):
    service = serve(wire.chat(**answer))
    reply = ask("chat", f"{service.url}/v1", QUESTION)[-1]
    client = openai.OpenAI(api_key="x", base_url=f"{service.url}/v1", max_retries=0)
    with (
        client,
        client.chat.completions.stream(
            model="gpt-test", messages=[{"role": "user", "content": "Hello?"}]
        ) as stream,
    ):
        theirs = stream.get_final_completion()
    message = theirs.choices[0].message
    calls = [
        (c.id, c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls or ()
    ]
    assert ours(reply) == (message.content or "", calls)


@pytest.mark.parametrize("answer", ANSWERS)
def test_openai_reads_the_same_from_responses(openai, serve, ask, answer):
    service = serve(wire.responses(thought="Hm.", **answer))
    reply = ask("responses", f"{service.url}/v1", QUESTION)[-1]
    client = openai.OpenAI(api_key="x", base_url=f"{service.url}/v1", max_retries=0)
    with client, client.responses.stream(model="gpt-test", input="Hello?") as stream:
        theirs = stream.get_final_response()
    calls = [
        (item.call_id, item.name, json.loads(item.arguments))
        for item in theirs.output
        if item.type == "function_call"
    ]
    assert ours(reply) == (theirs.output_text, calls)
    assert (reply.usage.input, reply.usage.output) == (
        theirs.usage.input_tokens,
        theirs.usage.output_tokens,
    )


@pytest.mark.parametrize("answer", ANSWERS)
def test_anthropic_reads_the_same_from_messages(anthropic, serve, ask, answer):
    service = serve(wire.messages(thought="Hm.", **answer))
    reply = ask("anthropic", service.url, QUESTION)[-1]
    client = anthropic.Anthropic(api_key="x", base_url=service.url, max_retries=0)
    with (
        client,
        client.messages.stream(
            model="claude-test",
            max_tokens=100,
            messages=[{"role": "user", "content": "Hello?"}],
        ) as stream,
    ):
        theirs = stream.get_final_message()
    text = "".join(block.text for block in theirs.content if block.type == "text")
    calls = [(b.id, b.name, b.input) for b in theirs.content if b.type == "tool_use"]
    assert ours(reply) == (text, calls)
    thought = next(block for block in theirs.content if block.type == "thinking")
    kept = reply.extra["anthropic"]["blocks"][0]
    assert (kept["thinking"], kept["signature"]) == (thought.thinking, thought.signature)


def test_what_we_send_is_what_the_clients_of_the_vendors_send(openai, anthropic, serve, ask):
    service = serve(wire.chat("a"), wire.chat("a"), wire.messages("a"), wire.messages("a"))
    request = QUESTION._replace(temperature=0.5, max_tokens=100, stop=("END",))
    ask("chat", f"{service.url}/v1", request)
    with openai.OpenAI(api_key="k", base_url=f"{service.url}/v1") as client:
        client.chat.completions.create(
            model="gpt-4.1",
            messages=[
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello?"},
            ],
            temperature=0.5,
            max_tokens=100,
            stop=["END"],
            stream=True,
            stream_options={"include_usage": True},
        ).close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = request._replace(temperature=None)  # the client has no word for it any more
        ask("anthropic", service.url, told, name="claude-sonnet-4-5")
        with anthropic.Anthropic(api_key="k", base_url=service.url) as client:
            cached = {"type": "ephemeral"}
            client.messages.create(
                model="claude-sonnet-4-5",
                system=[{"type": "text", "text": "Be brief.", "cache_control": cached}],
                messages=[
                    {
                        "role": "user",
                        "content": [{"type": "text", "text": "Hello?", "cache_control": cached}],
                    }
                ],
                max_tokens=100,
                stop_sequences=["END"],
                stream=True,
            ).close()
    chat, their_chat, message, their_message = service.requests
    assert (chat[0], chat[2]) == (their_chat[0], their_chat[2])
    assert (message[0], message[2]) == (their_message[0], their_message[2])
