import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.llm.sse import Event, Events

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
DATA = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)


def read(data, cuts=()):
    events, found, last = Events(), [], 0
    for cut in [*sorted(cuts), len(data)]:
        found += events.feed(data[last:cut])
        last = cut
    return [*found, *events.close()]


@given(st.data(), st.lists(st.lists(DATA, min_size=1, max_size=3), max_size=5), ENDS)
def test_events_are_the_same_however_they_are_cut_and_end_their_lines(data, written, end):
    lines = []
    for event in written:
        lines += [f"data: {line}" for line in event] + [""]
    raw = "".join(line + end for line in lines).encode()
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=8))
    assert [event.data for event in read(raw, cuts)] == ["\n".join(event) for event in written]


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_any_bytes_are_read_without_fail_and_cuts_do_not_matter(raw, cuts):
    assert read(raw, [min(cut, len(raw)) for cut in cuts]) == read(raw)


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        (b"data:1\n\n", [Event("", "1")]),
        (b"\xef\xbb\xbfdata: 1\n\n", [Event("", "1")]),
        (b": comment\n\nevent: ping\n\ndata: 1\n\n", [Event("", "1")]),
        (b"event: error\ndata: {}\nid: 4\nretry: 5\n\n", [Event("error", "{}")]),
        (b"data: no empty line at the end", [Event("", "no empty line at the end")]),
        (b'{"a": 1}\n{"b": 2}\n', [Event("", '{"a": 1}'), Event("", '{"b": 2}')]),
        (b"garbage\n\x00\xff\ndata: \xff\n\n", [Event("", "\ufffd")]),
        (b"", []),
    ],
)
def test_what_services_send_beside_events_does_no_harm(raw, events):
    assert read(raw) == events


def test_a_letter_that_is_cut_in_the_middle_stays_whole():
    raw = f"data: {json.dumps({'text': 'ü→😀'}, ensure_ascii=False)}\n\n".encode()
    assert [json.loads(e.data) for e in read(raw, range(len(raw)))] == [{"text": "ü→😀"}]


def test_a_long_line_in_many_pieces_is_read_in_one_go():
    events, piece = Events(), b"x" * 500
    assert events.feed(b"data: ") == []
    assert not any(events.feed(piece) for _ in range(20_000))
    (event,) = [*events.feed(b"\n\n"), *events.close()]
    assert len(event.data) == 10_000_000
