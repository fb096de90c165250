import threading
import time

import pytest

from hermes.services.files.meanwhile import begun, caught_up, later


def test_what_was_begun_gives_its_outcome_or_its_error():
    def broken():
        raise OSError("no disk")

    assert begun(lambda: 7).result() == 7
    with pytest.raises(OSError, match="no disk"):
        begun(broken).result()


def test_catching_up_waits_for_all_that_was_left():
    go, done = threading.Event(), []
    for number in range(20):
        later(lambda number=number: (go.wait(5), done.append(number)))
    threading.Timer(0.05, go.set).start()
    caught_up()
    assert sorted(done) == list(range(20))


def test_what_waits_for_the_rest_does_not_keep_the_rest_from_being_done():
    for _ in range(20):
        later(lambda: time.sleep(0.01))
    for each in [begun(caught_up) for _ in range(20)]:
        each.result()
