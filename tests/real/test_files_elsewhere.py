"""The file tools work where the commands of the task run, on the files that are there."""

import contextlib
import json
import os
import runpy
import shutil
import stat
import time
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


def test_what_waits_for_something_else_works_on_the_files_of_the_place(call, tmp_path):
    started = call("file_watch", action="start", path=".")
    (tmp_path / "there/new.html").write_text("<title>T</title><p>word</p>")
    events = call("file_watch", action="wait", watch_id=started["watch_id"], timeout=5)["events"]
    assert events == [{"type": "created", "path": "new.html"}]
    assert "word" in str(call("html_extract", path="new.html", selector="p"))


def test_a_file_there_keeps_its_owner_and_attributes(call, tmp_path):
    file = tmp_path / "there/f"
    file.write_text("old")
    file.chmod(0o640)
    os.chown(file, 1234, 4321)
    with contextlib.suppress(OSError):  # not every disk has attributes
        os.setxattr(file, "user.kept", b"yes")
    had = os.listxattr(file)
    assert "error" not in call("write_file", path="f", content="new")
    now = file.stat()
    assert (file.read_text(), now.st_uid, now.st_gid) == ("new", 1234, 4321)
    assert (stat.S_IMODE(now.st_mode), os.listxattr(file)) == (0o640, had)


def test_folders_that_are_made_there_are_counted(call, tmp_path):
    assert call("write_file", path="a/b/f", content="x")["folders_created"] == 2
    assert "folders_created" not in call("write_file", path="a/b/g", content="x")
    assert call("file_compress", action="create", archive="new/f.zip", paths=["a"])["files"] == 2
    assert (tmp_path / "there/new/f.zip").exists()


def test_no_folder_is_left_of_a_write_that_fails(call, tmp_path):
    answer = call("write_file", path=f"c/d/{'y' * 300}", content="x")
    assert answer["code"] == "invalid_path"
    assert not (tmp_path / "there/c").exists()


def test_a_file_there_is_watched_also_when_another_takes_its_place(call, tmp_path):
    (tmp_path / "there/f").write_text("1")
    name = call("file_watch", action="start", path="f")["watch_id"]

    def waited():
        told = call("file_watch", action="wait", watch_id=name, timeout=5)
        return told["events"] or told.get("gone")

    for _ in range(2):
        call("write_file", path="f", content="2")
        assert waited() == [{"type": "modified", "path": "f"}]
    (tmp_path / "there/f").unlink()
    assert "removed" in waited()


def test_a_folder_there_says_when_it_is_removed_and_what_is_new(call, tmp_path):
    folder = tmp_path / "there/d"
    folder.mkdir()
    (folder / "old").write_text("1")
    name = call("file_watch", action="start", path="d")["watch_id"]
    call("write_file", path="d/old", content="2")
    call("write_file", path="d/new", content="2")
    told = call("terminal", command="true") and call("file_watch", action="poll", watch_id=name)
    assert {one["path"]: one["type"] for one in told["events"]} == {
        "old": "modified", "new": "created",
    }  # fmt: skip
    shutil.rmtree(folder)
    until = time.monotonic() + 5
    while "gone" not in told and time.monotonic() < until:
        told = call("file_watch", action="wait", watch_id=name, timeout=1)
    assert "removed" in told["gone"]
