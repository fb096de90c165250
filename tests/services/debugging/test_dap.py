"""The wire of the Debug Adapter Protocol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.services.debugging.contract import Output
from hermes.services.debugging.dap import Decoder, Garbled, encode

messages = st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), max_size=5)


@given(messages, st.lists(st.integers(1, 40)))
def test_messages_arrive_whole_however_they_are_cut(sent, cuts):
    data = b"".join(map(encode, sent))
    decoder, got = Decoder(), []
    for size in cuts:
        got += decoder.feed(data[:size])
        data = data[size:]
    assert got + decoder.feed(data) == sent


@given(st.binary())
def test_garbage_is_refused_or_waited_on(data):
    try:
        Decoder().feed(data)
    except Garbled:
        return


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Nothing: 1\r\n\r\n",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 1\r\n\r\n{",
        b"x" * 5_000,
    ],
)
def test_what_is_no_message_is_refused(data):
    with pytest.raises(Garbled):
        Decoder().feed(data)


@given(st.lists(st.text()))
def test_output_is_bounded_and_keeps_its_end(parts):
    output = Output(most=50)
    for part in parts:
        output.add(part)
    told = output.take()
    assert len(told) <= 50 + 40
    assert told.endswith("".join(parts)[-10:]) or len(parts[-1]) < 10
    assert output.take() == ""
