import asyncio
import os

from hypothesis import given
from hypothesis import strategies as st

from hermes.mcp.serving.messages import id_in_head
from hermes.mcp.serving.pipes import Lines, TooLong, Writer

LIMIT = 20


@given(st.lists(st.binary(max_size=60)), st.data())
def test_lines_are_the_same_however_they_come_in(lines, data):
    whole = b"\n".join(line.replace(b"\n", b"") for line in lines)
    pieces, left = [], whole
    while left:
        size = data.draw(st.integers(1, len(left)))
        pieces.append(left[:size])
        left = left[size:]
    reader = Lines(LIMIT)
    found = [line for piece in pieces for line in reader.feed(piece)] + reader.end()
    expected = [line for line in whole.split(b"\n") if line.strip() or len(line) > LIMIT]
    assert [line for line in found if not isinstance(line, TooLong)] == [
        line for line in expected if len(line) <= LIMIT
    ]
    assert len(found) == len(expected)


def test_a_line_without_end_takes_no_room():
    reader = Lines(1_000)
    for _ in range(1_000):
        assert reader.feed(b"x" * 10_000) == []
        assert len(reader._rest) <= 11_000
    assert reader.feed(b"\nnext\n") == [TooLong(b"x" * 1_000), b"next"]


def test_the_id_of_a_cut_line_is_taken_only_from_where_it_must_stand():
    assert id_in_head(b'{"jsonrpc":"2.0","id":7,"method":"x"') == 7
    assert id_in_head(b'{"id": "a" , "jsonrpc"') == "a"
    assert id_in_head(b'{"jsonrpc":"2.0","method":"x","params":{"id":7,') is None
    assert id_in_head(b'{"jsonrpc":"2.0","id":1.5,') is None


def test_a_reader_that_is_slow_gets_everything_in_order():
    async def run():
        ours, theirs = os.pipe()
        writer = Writer(theirs, 100_000)
        full = []
        writer.on_full = full.append
        lines = [b"%d " % number + b"x" * 1_000 + b"\n" for number in range(1_000)]
        for line in lines:
            writer.write(line)
        got = bytearray()
        wanted = b"".join(lines)
        while len(got) < len(wanted):
            got += await asyncio.to_thread(os.read, ours, 65_536)
        await asyncio.wait_for(writer.drain(), 5)
        writer.close()
        os.close(ours)
        os.close(theirs)
        return bytes(got) == wanted, full

    assert asyncio.run(run()) == (True, [True, False])


def test_a_reader_that_left_breaks_nothing():
    async def run():
        ours, theirs = os.pipe()
        writer = Writer(theirs, 1_000)
        os.close(ours)
        writer.write(b"x\n")
        writer.write(b"y\n")
        await asyncio.wait_for(writer.drain(), 5)
        os.close(theirs)
        return writer.is_broken

    assert asyncio.run(run()) is True
