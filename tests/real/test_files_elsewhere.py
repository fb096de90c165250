"""The file tools work where the commands of the task run, on the files that are there."""

import json
import runpy
from pathlib import Path

import pytest

from hermes import Runtime

SSHD = runpy.run_path(str(Path(__file__).parent / "sshd.py"))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if reason := SSHD["missing"]():
        pytest.skip(reason)
    made = SSHD["Sshd"](tmp_path_factory.mktemp("sshd"))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def call(server, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    settings = {"host": "box", "config": str(server.config), "root": str(there)}
    config = {"terminal": {"environment": "ssh"}, "ssh": settings}
    with Runtime(cwd=tmp_path, config=config, profile="trusted") as rt:
        yield lambda name, **arguments: json.loads(rt.call_sync(name, arguments, task_id="t"))


def test_what_is_written_is_there_for_commands_and_the_other_way_round(call, tmp_path):
    assert call("write_file", path="a/x.txt", content="one\ntwo\n")["created"]
    assert (tmp_path / "there/a/x.txt").read_text() == "one\ntwo\n"
    assert call("terminal", command="cat a/x.txt; echo three >> a/x.txt")["stdout"] == "one\ntwo\n"
    assert call("read_file", path="a/x.txt")["content"] == "1|one\n2|two\n3|three"


def test_paths_follow_the_folder_that_the_task_is_in(call):
    call("terminal", command="mkdir -p deep && cd deep && echo here > f")
    assert call("read_file", path="f")["content"] == "1|here"


def test_errors_are_those_of_the_place(call):
    assert call("read_file", path="nothing")["code"] == "not_found"
    assert call("read_file", path=".")["code"] == "is_folder"
