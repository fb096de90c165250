"""Background commands are named, watched, told about exactly once, and forgotten in the end."""

import asyncio
import json
import threading
import time

import pytest

from hermes.base.errors import ToolError
from hermes.environments import processes as module
from hermes.environments.contract import Outcome, Refused
from hermes.environments.processes import Notice, Processes, Watch
from hermes.services.terminal.following import Following


class Scripted:
    """A command whose end is decided by the test."""

    def __init__(self):
        self.calls, self.outcome, self.is_closed = [], None, False

    def on_end(self, call):
        self.calls.append(call)
        if self.outcome is not None:
            call(self.outcome)

    def end(self, code=0):
        self.outcome = Outcome(code, "exited", 0.1, "")
        for call in self.calls:
            call(self.outcome)

    async def close(self):
        self.is_closed = True
        if self.outcome is None:
            self.end(-9)


@pytest.fixture
def processes(tmp_path):
    made = Processes(tmp_path / "processes")
    yield made
    asyncio.run(made.close())


def start(processes, *, notify=True, patterns=(), task="task"):
    session = processes.prepare(task, "serve", "/", pty=False)
    process = Scripted()
    processes.add(session, process, notify=notify, patterns=patterns)
    return session, process


def test_a_line_is_told_once_and_only_when_it_is_whole():
    watch = Watch(("ready", "error: \\d+"))
    assert watch.look(b"not yet\nrea") == []
    assert watch.look(b"dy on 80\r\nerror: 5\nerror: x\n") == ["ready on 80", "error: 5"]
    assert watch.look(b"ready again") == []


def test_a_pattern_that_is_no_expression_is_meant_as_it_stands():
    assert Watch(("a[b(",)).look(b"x a[b( y\n") == ["x a[b( y"]


def test_many_matches_are_held_back_and_counted(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    watch = Watch(("x",))
    assert len(watch.look(b"x\n" * 100)) == 8
    now[0] += 11
    assert watch.look(b"x last\n") == ["x last (and 92 more lines before it)"]
    assert watch.look(b"x\n") == ["x"]


def test_at_the_end_the_rest_is_told():
    watch = Watch(("x",))
    assert len(watch.look(b"x\n" * 100 + b"x unfinished")) == 8
    assert watch.end() == ["93 more lines matched"]
    other = Watch(("done",))
    assert other.look(b"all done") == []
    assert other.end() == ["all done"]
    assert other.end() == []


def test_a_match_in_the_last_line_is_told_before_the_end(processes):
    session, process = start(processes, patterns=("done",))
    session.log.feed(0, b"all done")
    process.end(0)
    assert [each.kind for each in processes.notices("task")] == ["matched", "ended"]


def test_a_line_without_end_costs_bounded_memory():
    watch = Watch(("x",))
    for _ in range(100):
        watch.look(b"y" * 10_000)
    assert len(watch._line) <= 4_000


def test_an_end_is_told_exactly_once(processes):
    session, process = start(processes)
    process.end(3)
    assert processes.notices("task") == [
        Notice(session.id, "ended", "serve ended with exit code 3")
    ]
    assert processes.notices("task") == []
    assert processes.notices("other") == []


def test_an_end_is_not_told_unless_asked_for(processes):
    start(processes, notify=False)[1].end()
    assert processes.notices("task") == []


def test_matches_are_told_to_the_task_also_those_from_before(processes):
    session = processes.prepare("task", "serve", "/", pty=False)
    session.log.feed(0, b"ready 1\n")
    processes.add(session, Scripted(), notify=False, patterns=("ready",))
    session.log.feed(0, b"ready 2\n")
    assert [one.text for one in processes.notices("task")] == ["ready 1", "ready 2"]


def test_notices_taken_from_many_threads_are_each_taken_once(processes):
    session, _ = start(processes, patterns=())
    taken, ready = [], threading.Barrier(5)

    def take():
        ready.wait()
        for _ in range(200):
            taken.extend(processes.notices("task"))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    ready.wait()
    for number in range(150):
        processes._tell("task", Notice(session.id, "matched", str(number)))
    for thread in threads:
        thread.join()
    taken.extend(processes.notices("task"))
    assert sorted(int(one.text) for one in taken) == list(range(150))


def test_a_task_finds_only_its_own(processes):
    session, _ = start(processes)
    assert processes.find("task", session.id) is session
    assert processes.find("other", session.id) is None


def test_ending_a_task_kills_and_forgets_all_of_it(processes, tmp_path):
    _, process = start(processes)
    _, other = start(processes, task="other")
    asyncio.run(processes.end_task("task"))
    assert (process.is_closed, other.is_closed) == (True, False)
    assert (processes.of_task("task"), processes.notices("task")) == ([], [])
    asyncio.run(processes.close())
    assert list((tmp_path / "processes").iterdir()) == []


def test_a_process_that_cannot_be_closed_does_not_keep_the_others(processes, tmp_path):
    _, broken = start(processes)

    async def close():
        raise OSError("no answer")

    broken.close = close
    _, fine = start(processes)
    asyncio.run(processes.end_task("task"))
    assert fine.is_closed
    assert list((tmp_path / "processes").iterdir()) == []


def test_only_the_last_of_those_that_ended_are_kept(processes, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_ENDED", 3)
    sessions = []
    for _ in range(10):
        session, process = start(processes)
        process.end()
        sessions.append(session)
    assert processes.of_task("task") == sessions[-3:]
    assert len(list((tmp_path / "processes").iterdir())) == 3


def test_too_many_at_once_are_refused(processes, monkeypatch):
    monkeypatch.setattr(module, "MOST_RUNNING", 2)
    start(processes)
    start(processes)
    with pytest.raises(Refused, match="2 commands run"):
        processes.prepare("task", "more", "/", pty=False)


def test_what_an_earlier_hermes_ran_is_told_by_the_next(processes, tmp_path):
    folder = tmp_path / "processes"
    folder.mkdir()
    facts = f'{{"command": "serve", "task_id": "t", "started": {time.time()}, "owner": [1, 5]}}'
    (folder / "proc_old.json").write_text(facts.replace("[1, 5]", "[999999999, 5]"))
    assert [one["id"] for one in processes.lost()] == ["proc_old"]


def test_a_command_that_was_lost_is_known_by_its_name(processes, tmp_path):
    folder = tmp_path / "processes"
    folder.mkdir(exist_ok=True)
    facts = {"command": "serve", "task_id": "task", "started": time.time(), "owner": [999999999, 5]}
    (folder / "proc_old.json").write_text(json.dumps(facts))
    (folder / "proc_old.log").write_bytes(b"was up\n")
    followed = Following(processes, "task")
    for _ in range(2):  # also after all of them were listed
        with pytest.raises(ToolError, match="ended when hermes was stopped") as told:
            followed.find("proc_old")
        assert (told.value.code, told.value.extra["output"]) == ("ended", "was up\n")
        followed.list()
