import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from hermes.environments.sandbox.child import Child

ROUNDS = 300
SECONDS = 5


@pytest.fixture
def waiting():
    with ThreadPoolExecutor(3) as threads:
        yield threads.submit


def made():
    """Return a child, what its minder tells by, and a list that grows when it has ended."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ends = []
    return Child(ours, lambda: ends.append(ours.fileno())), theirs, ends


def test_threads_that_wait_for_one_child_all_learn_its_code(waiting):
    for _ in range(ROUNDS):
        child, minder, ends = made()
        codes = [waiting(child.wait, SECONDS) for _ in range(3)]
        minder.send(b"S256")
        minder.close()
        assert [code.result(SECONDS) for code in codes] == [1, 1, 1]
        assert ends == [-1]


def test_a_child_that_is_closed_elsewhere_ends_a_wait_on_the_loop(waiting):
    async def main():
        child, minder, ends = made()
        ended = asyncio.ensure_future(child.ended())
        await asyncio.sleep(0)
        closed = waiting(child.close)
        minder.send(b"S9")
        minder.close()
        assert await asyncio.wait_for(ended, SECONDS) == -9
        closed.result(SECONDS)
        assert ends == [-1]

    for _ in range(ROUNDS // 10):
        asyncio.run(main())
