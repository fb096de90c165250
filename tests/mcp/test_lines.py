import asyncio
import json
import os

import anyio
import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage

from hermes.mcp.lines import Reading, Throttle, Writing

NOTICE = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}).encode()


def message(method="ping", **more):
    return SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method=method, **more))


def test_answers_requests_and_notifications_are_told_apart():
    throttle = Throttle()
    answer = throttle.admitted(b'{"jsonrpc":"2.0","id":7,"result":{"a":1}}')
    assert isinstance(answer.message, types.JSONRPCResponse)
    assert (answer.message.id, answer.message.result) == (7, {"a": 1})
    error = throttle.admitted(b'{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}')
    assert isinstance(error.message, types.JSONRPCError)
    asked = throttle.admitted(b'{"jsonrpc":"2.0","id":"x","method":"ping"}')
    assert isinstance(asked.message, types.JSONRPCRequest)
    told = throttle.admitted(NOTICE)
    assert isinstance(told.message, types.JSONRPCNotification)


@given(st.one_of(st.binary(), st.text().map(str.encode)))
def test_no_line_breaks_the_reader(line):
    try:
        Throttle().admitted(line)
    except ValueError:
        return


@pytest.mark.parametrize(
    "line",
    [b"hello", b"[1]", b"{}", b'{"jsonrpc":"2.0"}', b"\xff", b"[" * 100_000, b'{"id":1}', b"null"],
)
def test_what_is_no_message_is_refused(line):
    with pytest.raises(ValueError):
        Throttle().admitted(line)


def test_notifications_beyond_what_anybody_can_follow_are_dropped():
    now = [0.0]
    throttle = Throttle(clock=lambda: now[0])
    through = sum(throttle.admitted(NOTICE) is not None for _ in range(1_000))
    assert (through, throttle.dropped) == (500, 500)
    now[0] = 1.0
    assert sum(throttle.admitted(NOTICE) is not None for _ in range(1_000)) == 200


def test_a_dropped_change_of_lists_is_remembered():
    throttle = Throttle(clock=lambda: 0.0)
    for _ in range(500):
        throttle.admitted(NOTICE)
    change = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    assert throttle.admitted(change) is None
    assert throttle.missed_changes == {"notifications/tools/list_changed"}


def test_what_others_take_is_not_passed_on():
    throttle = Throttle(takes=lambda told: told.id == "mine")
    assert throttle.admitted(b'{"jsonrpc":"2.0","id":"mine","result":{}}') is None
    assert throttle.admitted(b'{"jsonrpc":"2.0","id":"other","result":{}}') is not None


def test_messages_are_read_in_order_until_the_end():
    async def read():
        reading = Reading(lambda: None)
        for number in range(3):
            reading.put(number)
        reading.end()
        return [one async for one in reading]

    assert asyncio.run(read()) == [0, 1, 2]


def test_a_pipe_that_is_full_takes_the_rest_when_there_is_room():
    async def write():
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        writing = Writing(theirs)
        long = message("big", params={"text": "x" * 500_000})
        sending = asyncio.ensure_future(writing.send(long))
        await asyncio.sleep(0)
        writing.put(b'{"second":1}\n', asyncio.get_running_loop())
        read = b""
        loop = asyncio.get_running_loop()
        while read.count(b"\n") < 2:
            read += await loop.run_in_executor(None, os.read, ours, 1 << 16)
        await sending
        writing.end()
        os.close(ours)
        return read

    first, second, _ = asyncio.run(write()).split(b"\n")
    assert json.loads(first)["params"]["text"] == "x" * 500_000
    assert second == b'{"second":1}'


def test_writing_to_a_closed_pipe_is_told():
    async def write():
        ours, theirs = os.pipe()
        os.close(ours)
        writing = Writing(theirs)
        with pytest.raises(anyio.BrokenResourceError):
            await writing.send(message())
        with pytest.raises(anyio.ClosedResourceError):
            await writing.send(message())
        writing.put(b"dropped\n", asyncio.get_running_loop())

    asyncio.run(write())
