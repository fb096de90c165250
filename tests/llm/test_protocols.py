"""Each protocol: what is sent, what is read, and what goes back with the next question."""

import json

import pytest
from tests.llm import wire
from tests.llm.conftest import ADAPTERS, NAMES
from tests.llm.loopback import Answer, sse, whole

from hermes.base.messages import Media, Message, ToolCall
from hermes.llm.catalog import FREE, Facts, look_up
from hermes.llm.contract import CallPiece, ReasoningPiece, Reply, Request, TextPiece
from hermes.llm.openai_chat import Chat

GOOD = {
    "chat": wire.chat,
    "anthropic": wire.messages,
    "responses": wire.responses,
    "gemini": wire.gemini,
}
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = {
    "type": "function",
    "function": {"name": "read_file", "description": "Read.", "parameters": PARAMETERS},
}
CALLS = (ToolCall("call_1", "read_file", '{"path": "a"}'), ToolCall("call_2", "ls", "{}"))
ANSWERED = (
    Message("system", "Be brief."),
    Message("user", "Look."),
    Message("assistant", "I look.", calls=CALLS),
    Message("tool", '{"text": "hello"}', call_id="call_1", name="read_file"),
    Message("tool", "[1]", call_id="call_2", name="ls"),
)
IMAGE = Media("image", "image/png", data="aW1n")
SOUND = Media("audio", "audio/wav", data="c25k")


def body(protocol, request, without=(), **options):
    name = NAMES[protocol]
    return ADAPTERS[protocol](name, look_up(name), **options).body(request, frozenset(without))


def calls_of(protocol):
    if protocol == "gemini":
        return [("id_1", "read_file", {"path": "a"}), ("", "ls", {})]
    return [("id_1", "read_file", '{"path": "a"}'), ("id_2", "ls", "{}")]


@pytest.mark.parametrize("protocol", list(GOOD))
def test_text_thoughts_and_calls_are_streamed_and_then_told_as_a_whole(serve, ask, protocol):
    answer = GOOD[protocol]("I look.", thought="Hm, hm.", calls=calls_of(protocol))
    pieces = ask(protocol, serve(answer).url, Request(ANSWERED[:2], (READ,)))
    reply = pieces[-1]
    assert isinstance(reply, Reply)
    assert "".join(p.text for p in pieces if isinstance(p, TextPiece)) == reply.text == "I look."
    thought = "".join(p.text for p in pieces if isinstance(p, ReasoningPiece))
    assert thought == reply.reasoning == "Hm, hm."
    assert [(c.name, json.loads(c.arguments)) for c in reply.calls] == [
        ("read_file", {"path": "a"}),
        ("ls", {}),
    ]
    written = {0: "", 1: ""}
    for piece in pieces:
        if isinstance(piece, CallPiece):
            written[piece.number] += piece.arguments
    assert json.loads(written[0]) == {"path": "a"}
    assert reply.calls[0].id == "id_1"
    assert reply.stop == "calls"
    assert reply.usage[:3] == ((100, 20, 80) if protocol == "anthropic" else (100, 20, 40))
    assert reply.usage.dollars > 0


@pytest.mark.parametrize("protocol", list(GOOD))
@pytest.mark.parametrize("thought", ["", "Hm."])
def test_an_answer_goes_back_with_all_that_the_service_wants_to_see_again(
    serve, ask, protocol, thought
):
    service = serve(GOOD[protocol]("I look.", thought=thought, calls=calls_of(protocol)))
    request = Request(ANSWERED[:2], (READ,))
    reply = ask(protocol, service.url, request)[-1]
    results = [Message("tool", '{"a": 1}', call_id=c.id, name=c.name) for c in reply.calls]
    ask(protocol, service.url, Request((*ANSWERED[:2], reply.message(), *results), (READ,)))
    sent = json.dumps(service.bodies[1])
    marks = {"anthropic": "c2lnbmVk", "responses": "ZW5jcnlwdGVk", "chat": '"reasoning_content"'}
    mark = marks.get(protocol, "c2lnbmVk")
    assert (mark in sent) is bool(thought or protocol == "gemini")
    other = ADAPTERS[protocol]("another-model", Facts())
    again = other.body(Request((*ANSWERED[:2], reply.message(), *results)), frozenset())
    assert mark not in json.dumps(again)
    assert "I look." in json.dumps(again)


def test_chat_writes_the_whole_conversation():
    request = Request(ANSWERED, (READ,), tool_choice="required", temperature=0.2, max_tokens=9)
    told = body("chat", request)
    assert told["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path":"a"}'},
                },
                {
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "ls", "arguments": "{}"},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"text": "hello"}'},
        {"role": "tool", "tool_call_id": "call_2", "content": "[1]"},
    ]
    assert told["tools"] == [READ]
    assert (told["tool_choice"], told["temperature"], told["max_tokens"]) == ("required", 0.2, 9)


def test_anthropic_writes_blocks_and_marks_what_stays_the_same_for_the_cache():
    told = body("anthropic", Request(ANSWERED, (READ,), tool_choice="auto"))
    cached = {"type": "ephemeral"}
    assert told["system"] == [{"type": "text", "text": "Be brief.", "cache_control": cached}]
    assert [one["role"] for one in told["messages"]] == ["user", "assistant", "user"]
    assert told["messages"][1]["content"][1] == {
        "type": "tool_use",
        "id": "call_1",
        "name": "read_file",
        "input": {"path": "a"},
    }
    results = told["messages"][2]["content"]
    assert [block["tool_use_id"] for block in results] == ["call_1", "call_2"]
    assert [block.get("cache_control") for block in results] == [None, cached]
    assert told["tools"][0] == {
        "name": "read_file",
        "description": "Read.",
        "input_schema": PARAMETERS,
    }
    assert told["max_tokens"] == 32_000
    assert told["thinking"]["type"] == "adaptive"


@pytest.mark.parametrize(
    ("name", "thinks", "samples"),
    [
        ("claude-haiku-4-5-20251001", False, True),
        ("claude-opus-4-6", True, True),
        ("claude-opus-4-8", True, False),
        ("claude-sonnet-5", True, False),
        ("claude-fable-5-2", True, False),
        ("claude-3-5-haiku-20241022", False, True),
    ],
)
def test_anthropic_asks_each_release_for_what_it_takes(name, thinks, samples):
    told = ADAPTERS["anthropic"](name, look_up(name)).body(
        Request(ANSWERED[:2], temperature=0.1), frozenset()
    )
    assert ("thinking" in told, "temperature" in told) == (thinks, samples)


def test_responses_writes_items_and_leaves_nothing_with_the_service():
    told = body("responses", Request(ANSWERED, (READ,), max_tokens=7))
    assert told["input"] == [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "I look."},
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "read_file",
            "arguments": '{"path":"a"}',
        },
        {"type": "function_call", "call_id": "call_2", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"text": "hello"}'},
        {"type": "function_call_output", "call_id": "call_2", "output": "[1]"},
    ]
    assert (told["store"], told["max_output_tokens"]) == (False, 7)
    assert told["include"] == ["reasoning.encrypted_content"]
    assert told["tools"][0]["name"] == "read_file"
    plain = ADAPTERS["responses"]("gpt-4.1", Facts()).body(Request(ANSWERED), frozenset())
    assert "include" not in plain


def test_gemini_writes_contents_and_signs_for_calls_of_other_models():
    told = body("gemini", Request(ANSWERED, (READ,), tool_choice="required"))
    roles = [(one["role"], len(one["parts"])) for one in told["contents"]]
    assert roles == [("user", 1), ("model", 3), ("user", 2)]
    first, second = told["contents"][1]["parts"][1:]
    assert first["functionCall"] == {"name": "read_file", "args": {"path": "a"}}
    assert first["thoughtSignature"] == "skip_thought_signature_validator"
    assert "thoughtSignature" not in second
    responses = [part["functionResponse"] for part in told["contents"][2]["parts"]]
    assert responses == [
        {"name": "read_file", "response": {"text": "hello"}},
        {"name": "ls", "response": {"result": [1]}},
    ]
    assert told["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert told["systemInstruction"] == {"parts": [{"text": "Be brief."}]}


def test_gemini_definitions_can_be_bent_by_whoever_knows_how():
    told = body("gemini", Request(ANSWERED[:2], (READ,)), bend=lambda _: {"name": "bent"})
    assert told["tools"] == [{"functionDeclarations": [{"name": "bent"}]}]


def test_images_and_sounds_are_sent_where_the_protocol_takes_them():
    request = Request((Message("user", "What is this?", media=(IMAGE, SOUND)),))
    url = "data:image/png;base64,aW1n"
    chat = body("chat", request)["messages"][0]["content"]
    assert chat == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "input_audio", "input_audio": {"data": "c25k", "format": "wav"}},
    ]
    responses = body("responses", request)["input"][0]["content"]
    assert responses[1] == {"type": "input_image", "detail": "auto", "image_url": url}
    assert responses[2]["type"] == "input_audio"
    blocks = body("anthropic", request)["messages"][0]["content"]
    assert blocks[0]["source"] == {"type": "base64", "media_type": "image/png", "data": "aW1n"}
    assert "does not take it" in blocks[1]["text"]
    parts = body("gemini", request)["contents"][0]["parts"]
    assert parts[:2] == [
        {"inlineData": {"mimeType": "image/png", "data": "aW1n"}},
        {"inlineData": {"mimeType": "audio/wav", "data": "c25k"}},
    ]


def test_an_image_that_a_tool_shows_reaches_the_model_in_every_protocol():
    seen = ANSWERED[3]._replace(media=(IMAGE,))
    request = Request((*ANSWERED[:3], seen, ANSWERED[4], Message("user", "Well?")))
    roles = [one["role"] for one in body("chat", request)["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "user"]
    for protocol in GOOD:
        assert "aW1n" in json.dumps(body(protocol, request))


@pytest.mark.parametrize("protocol", list(GOOD))
def test_no_call_is_ever_sent_without_an_answer_nor_an_answer_without_a_call(serve, ask, protocol):
    service = serve(GOOD[protocol]("Hi"))
    orphaned = (
        Message("user", "Look."),
        Message("tool", "stray", call_id="nobody", name="ls"),
        Message("assistant", "", calls=CALLS),
        Message("tool", "[1]", call_id="call_2", name="ls"),
        Message("user", "Go on."),
    )
    ask(protocol, service.url, Request(orphaned))
    sent = json.dumps(service.bodies[0])
    assert "stray" not in sent
    assert "has no answer" in sent


@pytest.mark.parametrize("protocol", list(GOOD))
def test_calls_that_no_service_would_take_back_are_made_fit(protocol):
    odd = ToolCall("id with spaces/é", "does not: exist", '{"cut": ')
    request = Request(
        (
            Message("user", "a"),
            Message("assistant", "", calls=(odd,)),
            Message("tool", "{}", call_id=odd.id, name=odd.name),
        )
    )
    sent = json.dumps(body(protocol, request))
    assert "does_not__exist" in sent
    assert "does not: exist" not in sent
    assert "invalid_arguments" in sent


def test_short_ids_are_the_same_for_a_call_and_its_answer():
    chat = Chat("mistral-large-latest", Facts(), quirks=frozenset({"short_ids"}))
    messages = chat.body(Request(ANSWERED), frozenset())["messages"]
    ids = [call["id"] for call in messages[2]["tool_calls"]]
    assert ids == [message["tool_call_id"] for message in messages[3:]]
    assert all(len(one) == 9 and one.isalnum() for one in ids)


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_an_answer_that_is_too_long_says_so(serve, ask, reason):
    request = Request(ANSWERED[:2])
    assert ask("chat", serve(wire.chat("a", reason=reason)).url, request)[-1].stop == "length"
    for protocol, answer in [
        ("anthropic", wire.messages("a", reason="max_tokens")),
        ("responses", wire.responses("a", incomplete="max_output_tokens")),
        ("gemini", wire.gemini("a", reason="MAX_TOKENS")),
    ]:
        assert ask(protocol, serve(answer).url, request)[-1].stop == "length"


def test_an_answer_that_is_withheld_says_so(serve, ask):
    request = Request(ANSWERED[:2])
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    for protocol, answer in [
        ("chat", wire.chat("a", reason="content_filter")),
        ("anthropic", wire.messages("a", reason="refusal")),
        ("responses", wire.responses("a", incomplete="content_filter")),
        ("gemini", wire.gemini("a", reason="SAFETY")),
        ("gemini", Answer(sse(blocked))),
    ]:
        assert ask(protocol, serve(answer).url, request)[-1].stop == "filter"


def test_a_service_that_does_not_stream_is_understood(serve, ask):
    call = {"id": "a", "type": "function", "function": {"name": "ls", "arguments": {"x": 1}}}
    message = {"role": "assistant", "content": "Hi", "tool_calls": [call]}
    chat = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    claude = {
        "type": "message",
        "content": [
            {"type": "text", "text": "Hi"},
            {"type": "tool_use", "id": "a", "name": "ls", "input": {"x": 1}},
        ],
        "stop_reason": "tool_use",
    }
    item = {"type": "function_call", "call_id": "a", "name": "ls", "arguments": '{"x": 1}'}
    said = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}
    response = {"object": "response", "status": "completed", "output": [said, item]}
    parts = [{"text": "Hi"}, {"functionCall": {"name": "ls", "args": {"x": 1}, "id": "a"}}]
    gemini = [{"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}]
    for protocol, answer in [
        ("chat", chat),
        ("anthropic", claude),
        ("responses", response),
        ("gemini", gemini),
    ]:
        reply = ask(protocol, serve(whole(answer)).url, Request(ANSWERED[:2]))[-1]
        arguments = [(c.id, c.name, json.loads(c.arguments)) for c in reply.calls]
        assert (reply.text, arguments) == ("Hi", [("a", "ls", {"x": 1})])


def test_lines_of_json_without_events_are_understood(serve, ask):
    chunks = [chunk.removeprefix(b"data: ").rstrip() + b"\n" for chunk in wire.chat("Hello").chunks]
    service = serve(Answer(chunks, type="application/x-ndjson"))
    assert ask("chat", service.url, Request(ANSWERED[:2]))[-1].text == "Hello"


@pytest.mark.parametrize(
    ("deltas", "text", "thought"),
    [
        ([{"reasoning": "Hm."}, {"content": "Hi"}], "Hi", "Hm."),
        ([{"reasoning": "Hm.", "reasoning_content": "Hm."}, {"content": "Hi"}], "Hi", "Hm."),
        ([{"content": [{"type": "text", "text": "Hi"}]}], "Hi", ""),
        (
            [
                {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]},
                {"content": "Hi"},
            ],
            "Hi",
            "Hm.",
        ),
        ([{"refusal": "No."}], "No.", ""),
        ([{"content": None}, {}], "", ""),
    ],
)
def test_the_ways_to_say_and_to_think_are_understood(serve, ask, deltas, text, thought):
    events = [{"choices": [{"delta": delta}]} for delta in deltas]
    events.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    reply = ask("chat", serve(Answer(sse(*events))).url, Request(ANSWERED[:2]))[-1]
    assert (reply.text, reply.reasoning, reply.stop) == (text, thought, "end")


def test_details_of_thoughts_come_back_put_together(serve, ask):
    parts = [
        {"type": "reasoning.text", "text": "Hm", "index": 0},
        {"type": "reasoning.text", "text": ", hm.", "index": 0, "signature": "s"},
    ]
    events = [{"choices": [{"delta": {"reasoning_details": [part]}}]} for part in parts]
    events.append({"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]})
    reply = ask("chat", serve(Answer(sse(*events))).url, Request(ANSWERED[:2]))[-1]
    whole_detail = {"type": "reasoning.text", "text": "Hm, hm.", "index": 0, "signature": "s"}
    sent = body("chat", Request((*ANSWERED[:2], reply.message())))["messages"][-1]
    assert sent["reasoning_details"] == [whole_detail]


def test_the_price_that_a_gateway_names_is_the_price(serve, ask):
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25}
    events = [{"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}], "usage": usage}]
    reply = ask("chat", serve(Answer(sse(*events))).url, Request(ANSWERED[:2]))[-1]
    assert reply.usage == (10, 5, 0, 0, 0.25)


def test_what_runs_on_this_machine_costs_nothing():
    adapter = Chat("qwen3", Facts(price=FREE))
    reader = adapter.reader()
    done = {"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}
    reader.read(done)
    assert reader.finish(is_done=True).usage.dollars == 0
