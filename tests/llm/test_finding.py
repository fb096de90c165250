import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm.loopback import Answer, page, whole

from hermes.llm.finding import find_servers, model_names, models_in
from hermes.llm.measuring import window_in
from hermes.llm.providers import PROVIDERS, find_provider

LISTED = {"object": "list", "data": [{"id": "qwen3:8b", "object": "model"}, {"id": "phi4"}]}


def test_servers_that_list_models_are_found_and_others_are_not(serve):
    good, web, error = serve(whole(LISTED)), serve(page()), serve(whole({"error": "no"}, 404))
    dead = socket.create_server(("127.0.0.1", 0))
    with dead:
        places = [("127.0.0.1", one.port) for one in (good, web, error)]
        found = find_servers([*places, dead.getsockname(), ("127.0.0.1", 1)], seconds=0.5)
    assert found == {("127.0.0.1", good.port): ("qwen3:8b", "phi4")}
    assert [path for path, _, _ in good.requests] == ["/v1/models"]


def test_looking_takes_no_longer_than_it_may_and_nothing_when_nobody_is_there():
    silent = socket.create_server(("127.0.0.1", 0))
    with silent:
        started = time.monotonic()
        assert find_servers([silent.getsockname()], seconds=0.05) == {}
        assert time.monotonic() - started < 2
    started = time.monotonic()
    assert find_servers([("127.0.0.1", 1), ("127.0.0.1", 2)], seconds=30) == {}
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("place", [("", 0), ("no such host.invalid", 80), ("127.0.0.1", 99999)])
def test_a_place_that_is_none_is_left_out(place):
    assert find_servers([place], seconds=0.05) == {}


@given(st.binary(max_size=100))
def test_any_answer_is_a_list_of_models_or_none(answer):
    assert models_in(b"HTTP/1.1 200 OK\r\n\r\n" + answer) in {None, ()}


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        (LISTED, ("qwen3:8b", "phi4")),
        ({"models": [{"name": "models/gemini-3.8-flash"}]}, ("gemini-3.8-flash",)),
        ({"data": [{"id": "a"}, {"id": "a"}, {"id": 1}, "b"]}, ("a",)),
        ([], ()),
        (None, ()),
    ],
)
def test_names_are_read_from_the_lists_of_all_providers(listed, names):
    assert model_names(listed) == names


@pytest.mark.parametrize(
    ("row", "window"),
    [
        ({"max_model_len": 32768}, 32768),
        ({"context_length": 200000}, 200000),
        ({"loaded_context_length": 4096, "max_context_length": 131072}, 4096),
        ({"meta": {"n_ctx": 2048, "n_ctx_train": 8192}}, 2048),
        ({"context_length": "many"}, 0),
        ({}, 0),
    ],
)
def test_the_window_is_read_from_what_servers_say(row, window):
    assert window_in({"data": [{"id": "other", "context_length": 1}, {"id": "m", **row}]}, "m") == (
        window
    )


def test_providers_have_different_names_and_one_key_each_way():
    names = [one.name for one in PROVIDERS]
    assert len(set(names)) == len(names)
    for one in PROVIDERS:
        assert find_provider(one.name) is one
        assert one.url.startswith("https://") or one.is_local or one.name == "custom"
        assert one.model or one.is_local or one.name == "custom"


def test_an_answer_in_pieces_is_read_whole(serve):
    body = whole(LISTED).chunks[0]
    service = serve(Answer([body[:10], body[10:]], type="application/json"))
    # a server that answers HTTP/1.0 in chunks all the same is not worth understanding
    found = find_servers([("127.0.0.1", service.port)], seconds=0.2)
    assert found in ({}, {("127.0.0.1", service.port): ("qwen3:8b", "phi4")})
