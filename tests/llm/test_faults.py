"""Whatever a service does, the answer is a ModelError with the right trouble, never another one."""

import asyncio
import json
import logging
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm import wire
from tests.llm.conftest import ADAPTERS, KEY, NAMES, make_model
from tests.llm.loopback import Answer, page, sse, whole

from hermes.base.messages import Message, ToolCall
from hermes.llm.asking import HttpModel
from hermes.llm.catalog import look_up
from hermes.llm.contract import ModelError, Reply, Request, Retry, TextPiece
from hermes.llm.endpoint import Endpoint, Patience
from hermes.llm.troubles import Failed, waiting

HELLO = Request((Message("user", "Hello?"),))
GOOD = {
    "chat": wire.chat,
    "anthropic": wire.messages,
    "responses": wire.responses,
    "gemini": wire.gemini,
}
PROTOCOLS = list(GOOD)


def refused(said, kind="invalid_request_error"):
    return {"error": {"message": said, "type": kind}}


def fails(ask, protocol, url, **options):
    """Return the trouble, how often it was tried again, and the error."""
    seen = []

    async def run():
        model = make_model(protocol, url, **options)
        try:
            async with asyncio.timeout(5):
                async for piece in model.ask(HELLO):
                    seen.append(piece)
        finally:
            await model.close()

    with pytest.raises(ModelError) as caught:
        asyncio.run(run())
    return caught.value.trouble, sum(isinstance(p, Retry) for p in seen), caught.value


@pytest.mark.proves("model-troubles")
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("answer", "trouble", "retries"),
    [
        (whole(refused("no such model"), 404), "refused", 0),
        (whole(refused("bad"), 400), "refused", 0),
        (whole(refused("prompt is too long: 250000 tokens > 200000 maximum"), 400), "too long", 0),
        (whole(refused("maximum context length is 8192 tokens"), 400), "too long", 0),
        (Answer([b""], 413, "text/plain"), "too long", 0),
        (whole(refused("wrong key"), 401), "key", 0),
        (whole(refused("not yours"), 403), "key", 0),
        (whole(refused("slow down", "rate_limit_error"), 429), "limit", 2),
        (whole(refused("out of money", "insufficient_quota"), 429), "limit", 0),
        (whole(refused("oops"), 500), "busy", 2),
        (whole(refused("Overloaded", "overloaded_error"), 529), "busy", 2),
        (page(502), "busy", 2),
        (page(200), "unreadable", 2),
        (Answer([b"\x00\xff not an event \x01\n\n"] * 5), "unreadable", 2),
        (Answer([b"data: {broken\n\ndata: 12\n\n"]), "unreadable", 2),
        (Answer([]), "unreadable", 2),
        (Answer([b""], 308, headers={"location": "https://elsewhere.example"}), "refused", 0),
        (Answer([b'{"choices": [{"delta"'], 200, "application/json"), "unreadable", 2),
    ],
    ids=lambda value: None if isinstance(value, Answer) else str(value),
)
def test_every_answer_that_is_none_has_its_trouble(serve, ask, protocol, answer, trouble, retries):
    service = serve(answer)
    assert fails(ask, protocol, service.url)[:2] == (trouble, retries)
    assert len(service.requests) == retries + 1


@pytest.mark.proves("model-troubles")
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("ending", ["close", "abrupt"])
@pytest.mark.parametrize("kept", [1, 2, 3])
def test_an_answer_that_ends_early_is_asked_for_again_and_then_cut(
    serve, ask, protocol, ending, kept
):
    good = GOOD[protocol]("Hello, I am here.", calls=[], cuts=4)
    service = serve(Answer(good.chunks[:kept], ending=ending))
    trouble, retries, _ = fails(ask, protocol, service.url)
    assert (trouble, retries) == ("cut", 2)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_service_that_fails_in_passing_is_asked_again_and_then_answers(serve, ask, protocol):
    service = serve(
        page(503), whole(refused("slow"), 429, retry_after="0.01"), GOOD[protocol]("Hi")
    )
    pieces = ask(protocol, service.url, HELLO)
    retries = [piece for piece in pieces if isinstance(piece, Retry)]
    assert [piece.wait_seconds for piece in retries][1] == 0.01
    assert "503" in retries[0].why
    assert pieces[-1].text == "Hi"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_garbage_among_good_events_does_no_harm(serve, ask, protocol):
    good = GOOD[protocol]("Hello", calls=[])
    garbage = [b"data: {nonsense\n\n", b": ping\n\n", b"\xff\xfe\n", b"data: [1, 2]\n\n"]
    mixed = [chunk for one in good.chunks for chunk in (*garbage, one)]
    assert ask(protocol, serve(Answer(mixed)).url, HELLO)[-1].text == "Hello"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_half_a_character_costs_the_answer_nothing_else(serve, ask, protocol):
    made = GOOD[protocol]("so HERE it is")
    chunks = made.chunks if isinstance(made, Answer) else sse(*made)
    service = serve(Answer([chunk.replace(b"HERE", b"\\ud83d") for chunk in chunks]))
    assert ask(protocol, service.url, HELLO)[-1].text == "so ? it is"


def test_the_key_does_not_follow_where_a_service_says_it_has_moved(serve, ask):
    other = serve(page())
    moved = Answer([], 307, headers={"location": f"{other.url}/steal"})
    service = serve(moved)
    trouble, retries, error = fails(ask, "chat", service.url)
    assert (trouble, retries, other.requests) == ("refused", 0, [])
    assert "moved" in error.message
    assert "address" in error.hint


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nobody_at_the_address_is_unreachable_after_bounded_tries(ask, protocol):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert fails(ask, protocol, url)[:2] == ("unreachable", 2)


@pytest.mark.parametrize(
    "url", ["", "nonsense", "ftp://x", "http://", "http://[", "http://x:99999"]
)
def test_an_address_that_is_none_is_a_model_error(ask, url):
    trouble, _, _ = fails(ask, "chat", url)
    assert trouble in {"refused", "unreachable"}


def test_silence_before_and_within_an_answer_ends_in_time(serve, ask):
    quick = Patience(silence_seconds=0.05, tries=2, first_wait_seconds=0.001)
    silent = serve(Answer([], ending="hang"))
    assert fails(ask, "chat", silent.url, patience=quick)[0] == "cut"
    dead = socket.create_server(("127.0.0.1", 0))
    with dead:
        url = f"http://127.0.0.1:{dead.getsockname()[1]}"
        assert fails(ask, "chat", url, patience=quick)[:2] == ("busy", 1)


def test_an_answer_that_never_ends_is_cut_in_time(serve, ask):
    chunks = [b": still here\n\n"] * 50
    endless = serve(Answer(chunks, ending="hang"))
    quick = Patience(silence_seconds=2, answer_seconds=0.0, tries=2, first_wait_seconds=0.001)
    assert fails(ask, "chat", endless.url, patience=quick)[:2] == ("cut", 0)


def test_a_service_that_asks_to_wait_for_too_long_is_not_waited_for(serve, ask):
    service = serve(whole(refused("slow"), 429, retry_after="3600"))
    trouble, retries, error = fails(ask, "chat", service.url)
    assert (trouble, retries, error.wait_seconds) == ("limit", 0, 3600)


@pytest.mark.proves("model-cancelled")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_being_cancelled_in_the_midst_of_an_answer_closes_the_connection(serve, protocol):
    good = GOOD[protocol]("Hello, I am here.", cuts=4)
    service = serve(Answer(good.chunks[:-2], ending="hang"))

    async def run():
        model = make_model(protocol, service.url)
        begun = asyncio.Event()

        async def listen():
            async for piece in model.ask(HELLO):
                if isinstance(piece, TextPiece):
                    begun.set()

        task = asyncio.create_task(listen())
        async with asyncio.timeout(5):
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            has_left = await asyncio.to_thread(service.left.wait, 5)
        await model.close()
        return has_left

    assert asyncio.run(run())


def test_a_listener_that_leaves_closes_the_connection(serve):
    service = serve(Answer(wire.chat("Hello, I am here.", cuts=4).chunks[:-3], ending="hang"))

    async def run():
        model = make_model("chat", service.url)
        pieces = model.ask(HELLO)
        await anext(pieces)
        await pieces.aclose()
        has_left = await asyncio.to_thread(service.left.wait, 5)
        await model.close()
        return has_left

    assert asyncio.run(run())


def test_a_connection_that_the_service_had_closed_costs_no_try(serve):
    """A server may close a connection that was kept, just as the next question is sent."""
    listener = socket.create_server(("127.0.0.1", 0))
    good = b"".join(wire.chat("Hi").chunks)
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n"

    def answer(connection):
        connection.recv(1 << 16)
        connection.sendall(head % len(good) + good)

    def run_server():
        first, _ = listener.accept()
        answer(first)
        first.recv(1 << 16)  # the second question, which is never answered
        first.close()
        second, _ = listener.accept()
        answer(second)
        second.close()

    async def run():
        model = make_model("chat", f"http://127.0.0.1:{listener.getsockname()[1]}")
        server = asyncio.create_task(asyncio.to_thread(run_server))
        async with asyncio.timeout(5):
            seen = [[p async for p in model.ask(HELLO)] for _ in range(2)]
            await server
        await model.close()
        return seen

    with listener:
        for pieces in asyncio.run(run()):
            assert pieces[-1].text == "Hi"
            assert not [piece for piece in pieces if isinstance(piece, Retry)]


def test_one_connection_serves_many_questions_and_each_loop_has_its_own(serve):
    service = serve(wire.chat("Hi"))
    model = make_model("chat", service.url)

    async def run():
        replies = [[p async for p in model.ask(HELLO)][-1].text for _ in range(3)]
        await model.close()
        return replies

    assert asyncio.run(run()) == ["Hi"] * 3
    assert asyncio.run(run()) == ["Hi"] * 3


@pytest.mark.proves("model-key-quiet")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_key_is_in_no_error_and_no_log(serve, ask, protocol, caplog):
    caplog.set_level(logging.INFO)
    leaks = [
        whole(refused(f"Incorrect API key provided: {KEY}"), 401),
        Answer([f"<title>{KEY}</title>".encode()], 502, "text/html"),
        Answer([f"data: {KEY}\n\n".encode()]),
        Answer([b""], 307, headers={"location": f"https://x.example/?key={KEY}"}),
        Answer(sse({"type": "error", "error": {"message": f"bad key {KEY}"}})),
    ]
    for leak in leaks:
        service = serve(leak)
        _, _, error = fails(ask, protocol, service.url)
        assert any(KEY in value for value in service.requests[0][1].values())
        assert KEY not in service.requests[0][0]
        assert KEY not in f"{error!r} {error.message} {error.hint} {error.__cause__!r}"
    model = make_model(protocol, "http://127.0.0.1:1")
    assert KEY not in repr(vars(model)) + repr(vars(model._wire))
    assert KEY not in caplog.text


@pytest.mark.parametrize("key", ["sk-tést-5f2c9a7e1b3d", "sk-test-5f2c9a7e1b3d\nx", "sk\x00"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(serve, ask, key):
    async def run():
        adapter = ADAPTERS["chat"]("m", look_up("m"))
        model = HttpModel("test:m", 0, adapter, Endpoint("http://127.0.0.1:1", key))
        return [piece async for piece in model.ask(HELLO)]

    with pytest.raises(ModelError) as caught:
        asyncio.run(run())
    assert caught.value.trouble == "key"
    assert key[:7] not in repr(caught.value)


def test_a_proxy_that_cannot_be_used_is_a_model_error(serve, ask, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    assert fails(ask, "chat", "http://model.example")[0] in {"refused", "unreachable"}


def test_a_server_on_this_machine_is_asked_without_a_proxy(serve, ask, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    service = serve(wire.chat("here"))
    assert ask("chat", service.url, HELLO)[-1].text == "here"


def test_an_error_in_the_midst_of_an_answer_is_told_by_what_it_says(serve, ask):
    for said, trouble in [
        ({"message": "Overloaded", "type": "overloaded_error"}, "busy"),
        ({"message": "Rate limit reached", "code": "rate_limit_exceeded"}, "limit"),
        ({"message": "context_length_exceeded"}, "too long"),
        ({"message": "Provider returned error", "code": 502}, "busy"),
        ({"message": "we do not like this"}, "refused"),
        ("just words", "refused"),
    ]:
        service = serve(Answer(sse({"type": "error", "error": said})))
        for protocol in ("chat", "anthropic", "gemini"):
            assert fails(ask, protocol, service.url)[0] == trouble
    failed = {"id": "r", "status": "failed", "error": {"code": "server_error", "message": "oops"}}
    service = serve(Answer(sse({"type": "response.failed", "response": failed})))
    assert fails(ask, "responses", service.url)[0] == "busy"


def test_an_option_that_a_service_refuses_is_left_out_from_then_on(serve):
    complaint = whole(refused("Unsupported parameter: 'stream_options'"), 400)
    service = serve(complaint, wire.chat("Hi"))

    async def run():
        model = make_model("chat", service.url)
        texts = [[p async for p in model.ask(HELLO)] for _ in range(2)]
        await model.close()
        return [[p for p in pieces if isinstance(p, (Retry, Reply))] for pieces in texts]

    first, second = asyncio.run(run())
    assert [reply.text for reply in first + second] == ["Hi", "Hi"]
    assert ["stream_options" in body for body in service.bodies] == [True, False, False]


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "index",
                    "delta",
                    "content",
                    "choices",
                    "message",
                    "text",
                    "thinking",
                    "signature",
                    "partial_json",
                    "id",
                    "name",
                    "input",
                    "usage",
                    "candidates",
                    "parts",
                    "functionCall",
                    "args",
                    "finishReason",
                    "response",
                    "item",
                    "output",
                    "output_index",
                    "tool_calls",
                    "function",
                    "arguments",
                    "content_block",
                    "finish_reason",
                    "reasoning_details",
                    "usageMetadata",
                    "incomplete_details",
                    "status",
                    "object",
                    "summary",
                ]
            ),
            inner
            | st.sampled_from(
                [
                    "message_start",
                    "content_block_start",
                    "content_block_delta",
                    "message_delta",
                    "message",
                    "tool_use",
                    "text",
                    "thinking",
                    "function_call",
                    "reasoning",
                    "response",
                    "response.completed",
                    "response.output_item.done",
                    "response.function_call_arguments.delta",
                    "stop",
                ]
            ),
            max_size=5,
        )
    ),
    max_leaves=15,
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(events=st.lists(NESTED.filter(lambda value: isinstance(value, dict)), max_size=6))
def test_readers_take_any_json_and_give_a_reply_that_can_be_sent_back(protocol, events):
    name = NAMES[protocol]
    adapter = ADAPTERS[protocol](name, look_up(name))
    reader = adapter.reader()
    try:
        for event in events:
            list(reader.read(json.loads(json.dumps(event))))
        reply = reader.finish(is_done=True)
    except Failed:
        return
    answers = [Message("tool", "{}", call_id=c.id, name=c.name) for c in reply.calls]
    request = Request((Message("user", "a"), reply.message(), *answers))
    json.dumps(adapter.body(request, frozenset()))
    assert all(isinstance(call, ToolCall) and call.id for call in reply.calls)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "7"}, None, 7),
        ({"retry-after-ms": "250", "retry-after": "7"}, None, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, None, 10),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT"}, None, 0),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "-1"}, None, None),
        ({"retry-after": "nan"}, None, None),
        ({}, {"error": {"details": [{"retryDelay": "34.5s"}]}}, 34.5),
        ({}, [{"error": {"details": [{"retryDelay": "3s"}]}}], 3),
        ({}, {"error": {"details": [{"retryDelay": "never"}]}}, None),
    ],
)
def test_how_long_to_wait_is_read_wherever_it_is_said(headers, body, seconds):
    assert waiting(headers, body, now=1445412480) == seconds
