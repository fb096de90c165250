"""What a command prints is kept at both ends, in bounded memory, and whole on disk."""

import os

from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.capture import Capture, Kept, Limits

PARTS = st.lists(st.tuples(st.integers(0, 1), st.binary(max_size=40)), max_size=30)


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(0, 50), st.integers(1, 50))
def test_the_beginning_and_the_end_are_kept_and_the_rest_is_counted(parts, head, tail):
    kept = Kept(Limits(head, tail))
    for part in parts:
        kept.add(part)
    everything = b"".join(parts)
    first, last = kept.ends()
    assert kept.size == len(everything) == len(first) + kept.dropped + len(last)
    if len(everything) <= head + tail:
        assert (first, last) == (everything, b"")
    else:
        assert (first, last) == (everything[:head], everything[len(everything) - tail :])


@given(st.lists(st.integers(1, 200), max_size=200))
def test_memory_is_bounded_however_much_comes(sizes):
    kept = Kept(Limits(10, 64))
    for size in sizes:
        kept.add(b"x" * size)
    assert sum(map(len, kept._tail)) <= 5 * 64
    assert len(kept.head) <= 10


@given(PARTS)
def test_all_of_it_is_on_disk_in_the_order_it_came(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("saved") / "all"
    capture = Capture(lambda: path, Limits(8, 8))
    for stream, data in parts:
        capture.feed(stream, data)
    everything = b"".join(data for _, data in parts)
    if capture.keep() is None:
        assert everything == b""
    else:
        capture.close()
        assert path.read_bytes() == everything
    assert capture.size == len(everything)


def test_nothing_is_written_while_all_of_it_is_at_hand(tmp_path):
    capture = Capture(lambda: tmp_path / "all", Limits(8, 8))
    capture.feed(0, b"x" * 16)
    capture.close()
    assert (capture.path, list(tmp_path.iterdir())) == (None, [])


def test_no_more_is_saved_than_the_limit_and_that_is_told(tmp_path):
    capture = Capture(lambda: tmp_path / "all", Limits(4, 4, saved=100))
    for _ in range(30):
        capture.feed(0, b"0123456789")
    capture.close()
    assert (tmp_path / "all").stat().st_size == 100
    assert capture.trouble == "only the first 100 bytes were saved"
    assert capture.streams[0].size == 300


def test_a_place_that_cannot_be_written_is_told_and_costs_nothing_else(tmp_path):
    capture = Capture(lambda: tmp_path / "missing" / "all", Limits(4, 4))
    capture.feed(0, b"x" * 20)
    capture.feed(0, b"y" * 20)
    capture.close()
    assert "No such file" in capture.trouble
    assert capture.streams[0].ends() == (b"xxxx", b"yyyy")


def test_each_part_is_told_and_streams_stay_apart():
    news = []
    capture = Capture(on_news=lambda stream, data: news.append((stream, data)))
    capture.feed(0, b"out")
    capture.feed(1, b"err")
    assert news == [(0, b"out"), (1, b"err")]
    assert (capture.last(0), capture.last(1)) == (b"out", b"err")


def test_a_descriptor_is_read_to_its_end_however_large():
    reading, writing = os.pipe()
    capture = Capture(limits=Limits(10, 10))
    total = 0
    for _ in range(20):
        total += os.write(writing, b"z" * 60_000)
        capture.take(0, reading)
    os.close(writing)
    while capture.take(0, reading):
        pass
    os.close(reading)
    assert capture.size == total
