"""Modules that are loaded by name."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late

from hermes.base.optional import load

SLOW = """\
import threading
threading.slow_module["begun"].set()
threading.slow_module["go"].wait(10)
value = 1
"""


def test_a_module_that_another_thread_still_loads_is_waited_for(tmp_path, monkeypatch):
    (tmp_path / "slow_to_load.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    events = {"begun": threading.Event(), "go": threading.Event()}
    monkeypatch.setattr(threading, "slow_module", events, raising=False)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(load, "slow_to_load")
        assert events["begun"].wait(10)
        second = threads.submit(lambda: load("slow_to_load").value)
        try:
            got = second.result(0.2)
        except Late:
            got = "waits"
        finally:
            events["go"].set()
        assert (got, second.result(10), first.result(10).value) == ("waits", 1, 1)
    del sys.modules["slow_to_load"]
