"""One thread reads many descriptors, also when a number is used again at once."""

import os
import threading

from hermes.environments.inside.pump import Pump


def test_what_comes_is_read_and_the_thread_ends_with_the_last_one():
    pump, got, ended = Pump(), [], threading.Event()
    reading, writing = os.pipe()

    def take(fd):
        data = os.read(fd, 100)
        got.append(data)
        if data:
            return True
        os.close(fd)
        ended.set()
        return False

    pump.add(reading, take)
    os.write(writing, b"news")
    os.close(writing)
    assert ended.wait(5)
    assert b"".join(got) == b"news"
    pump._thread.join(5)
    assert not pump._thread.is_alive()


def test_a_number_that_is_used_again_before_it_was_forgotten_is_read():
    pump, ended = Pump(), threading.Event()
    reading, writing = os.pipe()
    others = []

    def again(fd):
        os.read(fd, 100)
        os.close(fd)
        ended.set()
        return False

    def take(fd):
        os.close(fd)
        others.extend(os.pipe())
        assert others[0] == fd
        pump.add(fd, again)
        return False

    pump.add(reading, take)
    os.write(writing, b"x")
    while not others:
        threading.Event().wait(0.01)
    os.write(others[1], b"y")
    assert ended.wait(5)
    os.close(writing)
    os.close(others[1])


def test_what_is_discarded_is_read_to_its_end():
    pump = Pump()
    reading, writing = os.pipe()
    pump.discard(reading)
    for _ in range(20):
        os.write(writing, b"z" * 65_536)
    os.close(writing)
    pump._thread.join(5)
    assert not pump._thread.is_alive()


def test_closing_ends_the_thread():
    pump = Pump()
    reading, writing = os.pipe()
    pump.add(reading, lambda _: True)
    pump.close()
    pump._thread.join(5)
    assert not pump._thread.is_alive()
    os.close(writing)
