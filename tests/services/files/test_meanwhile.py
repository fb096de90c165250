import os
import subprocess
import sys
import threading
import time
import weakref

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


def test_what_was_left_is_done_before_the_process_ends(tmp_path):
    program = f"""
import time
from pathlib import Path
from hermes.services.files.meanwhile import later
later(lambda: (time.sleep(0.2), Path({str(tmp_path / "done")!r}).touch()))
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=20)
    assert (tmp_path / "done").exists()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_was_forked_has_threads_of_its_own():
    release = threading.Event()
    later(lambda: release.wait(5))
    child = os.fork()
    if child == 0:
        caught_up()
        os._exit(begun(lambda: 7).result())
    release.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_what_work_holds_is_let_go_of_once_it_is_done():
    class Content:
        pass

    content = Content()
    gone = weakref.ref(content)
    done = begun(lambda content=content: id(content))
    done.result()
    del content
    assert gone() is None
