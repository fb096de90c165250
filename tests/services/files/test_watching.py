import asyncio
import os
import shutil
import threading
import time

import pytest
from tests.services.files.conftest import Caller

from hermes.base.errors import Denied, InvalidArguments, ToolError
from hermes.services.files.globs import matcher
from hermes.services.files.watching import Watch, Wish


def watch_of(patterns=()):
    return Watch("w", "/top", Wish("/top", patterns), is_folder=True)


def told(*events, patterns=()):
    watch = watch_of(patterns)
    for kind, path in events:
        watch.take(kind, f"/top/{path}")
    return [(event["type"], event["path"]) for event in watch.told()["events"]]


def waited(files, name, seconds=5):
    return asyncio.run(files.watches.wait(files.watches.find("task", name), seconds))


@pytest.fixture
def started(files, folder):
    def start(path=".", patterns=()):
        disk = files.at(Caller(folder)).disk
        return files.watches.start("task", disk, Wish(path, patterns))["watch_id"]

    yield start
    files.close()


def collected(files, name, wanted):
    """Wait until all of these were told, and return all that was."""
    seen, until = [], time.monotonic() + 5
    while not wanted <= {event["path"] for event in seen} and time.monotonic() < until:
        seen += waited(files, name, 1)["events"]
    return {event["path"]: event["type"] for event in seen}


@pytest.mark.parametrize(
    ("kinds", "together"),
    [
        (["created", "modified"], [("created", "f")]),
        (["created", "deleted"], []),
        (["modified", "deleted"], [("deleted", "f")]),
        (["deleted", "created"], [("modified", "f")]),
        (["modified", "modified"], [("modified", "f")]),
        (["changed"], [("modified", "f")]),
    ],
)
def test_events_of_one_file_become_one(kinds, together):
    assert told(*((kind, "f") for kind in kinds)) == together


def test_caches_are_not_told_unless_they_are_named():
    paths = [".git/HEAD", "node_modules/x/y.js", "a/__pycache__/m.pyc", "src/a.py", "b.txt"]
    events = [("modified", path) for path in paths]
    assert [path for _, path in told(*events)] == ["src/a.py", "b.txt"]
    assert [path for _, path in told(*events, patterns=("*.py",))] == ["src/a.py"]
    assert [path for _, path in told(*events, patterns=(".git/**",))] == [".git/HEAD"]


def test_patterns_are_globs_below_the_folder():
    def fits(pattern, path):
        return matcher([pattern])(path)

    assert fits("*.py", "a.py") and fits("*.py", "deep/er/a.py")
    assert fits("src/*.py", "src/a.py") and not fits("src/*.py", "src/deep/a.py")
    assert fits("src/**", "src/deep/a.py") and fits("**/a.py", "a.py")
    assert fits("/a.py", "a.py") and not fits("./a.py", "b/a.py")
    assert fits("[ab].txt", "b.txt") and not fits("[!ab].txt", "b.txt")
    assert not fits("a.py", "axpy")


@pytest.mark.proves("watch-told-once")
def test_what_is_too_much_is_counted_and_all_else_told_once():
    watch = watch_of()
    for number in range(6_000):
        watch.take("created", f"/top/{number}")
    first = watch.told()
    assert (len(first["events"]), first["more"], first["dropped"]) == (500, 4_500, 1_000)
    seen = first["events"]
    while "more" in (answer := watch.told()):
        seen += answer["events"]
    seen += answer["events"]
    assert [event["path"] for event in seen] == [str(number) for number in range(5_000)]
    assert watch.told() == {"watch_id": "w", "events": []}


def test_changes_are_told_when_they_happen(files, folder, started):
    (folder / "old").write_text("1")
    (folder / "going").write_text("1")
    name = started()
    (folder / "new").write_text("1")
    (folder / "old").write_text("22")
    (folder / "going").unlink()
    (folder / "sub").mkdir()
    seen = collected(files, name, {"new", "old", "going", "sub"})
    assert seen == {"new": "created", "old": "modified", "going": "deleted", "sub": "created"}
    (folder / "sub/inner").write_text("1")
    assert collected(files, name, {"sub/inner"})["sub/inner"] in ("created", "modified")


def test_a_file_is_watched_also_when_another_takes_its_place(files, folder, started):
    (folder / "f").write_text("1")
    (folder / "beside").write_text("1")
    name = started("f")
    (folder / "beside").write_text("2")
    (folder / "g").write_text("3")
    os.replace(folder / "g", folder / "f")
    assert set(collected(files, name, {"f"})) == {"f"}


def test_a_file_that_is_replaced_is_not_told_as_a_new_one(files, folder, started):
    (folder / "old").write_text("1")
    name = started()
    for path in ("old", "new"):
        (folder / f"{path}.tmp").write_text("2")
        (folder / f"{path}.tmp").rename(folder / path)
    seen = collected(files, name, {"old", "new"})
    assert (seen["old"], seen["new"]) == ("modified", "created")


def test_a_watched_folder_that_is_removed_says_so(files, folder, started):
    (folder / "sub").mkdir()
    name = started("sub")
    shutil.rmtree(folder / "sub")
    answer = waited(files, name)
    assert "was removed" in answer["gone"]


def test_waiting_ends_when_the_time_is_up(files, started):
    assert waited(files, started(), 0.01) == {
        "watch_id": "watch-1",
        "events": [],
        "timed_out": True,
    }


def test_waiting_ends_with_the_watch_and_with_the_task(files, started):
    name = started()
    watch = files.watches.find("task", name)

    async def story():
        waiting = asyncio.create_task(files.watches.wait(watch, 60))
        await asyncio.sleep(0)
        await asyncio.to_thread(files.forget, "task")
        return await asyncio.wait_for(waiting, 5)

    assert asyncio.run(story())["events"] == []
    with pytest.raises(ToolError, match="no watch"):
        files.watches.find("task", name)


def test_waiting_can_be_cancelled(files, started):
    watch = files.watches.find("task", started())

    async def story():
        waiting = asyncio.create_task(files.watches.wait(watch, 60))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(asyncio.wait_for(story(), 5))
    assert watch._waiting == []


def test_watches_end_with_the_runtime(files, started):
    before = set(threading.enumerate())
    for _ in range(3):
        started()
    mine = [thread for thread in threading.enumerate() if thread not in before]
    assert len(mine) == 3
    files.close()
    for thread in mine:
        thread.join(5)
    assert not any(thread.is_alive() for thread in mine)


def test_a_task_has_only_so_many_watches_and_only_its_own(files, folder, started):
    names = [started() for _ in range(16)]
    with pytest.raises(ToolError) as refused:
        started()
    assert refused.value.code == "too_many"
    with pytest.raises(ToolError, match="no watch"):
        files.watches.find("another task", names[0])
    files.watches.stop("task", names[0])
    started()


def test_what_is_not_there_or_not_allowed_is_not_watched(files, folder):
    def check(verb, path, is_sole=False):
        if path.endswith("private"):
            raise Denied("no")

    disk = files.at(Caller(folder, check=check)).disk
    (folder / "private").mkdir()
    with pytest.raises(ToolError, match="no such file"):
        files.watches.start("task", disk, Wish("nowhere"))
    with pytest.raises(Denied):
        files.watches.start("task", disk, Wish("private"))
    with pytest.raises(InvalidArguments):
        files.watches.find("task", None)
