"""A disk that fails at any call: a clear error, all files as before, and the next change works."""

import contextlib
import errno
import functools
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from checkpoints_world import (
    DEEDS,
    LONG,
    NEW,
    OLD,
    Caller,
    World,
    counted,
    leftovers,
    linked_file,
    several_files,
    undoing_it,
)

from hermes.base.errors import HermesError
from hermes.services.files import Files
from hermes.services.files.changing import Step, apply
from hermes.services.files.local_disk import LocalDisk

CODES = [errno.ENOSPC, errno.EIO, errno.EROFS]
CHILD = Path(__file__).with_name("checkpoints_child.py")


class Broken:
    """Have the n-th call fail, and all after it if it is for good."""

    def __init__(self, number, code, is_for_good):
        self.number, self.code, self.is_for_good, self.is_reached = number, code, is_for_good, False

    def __call__(self, count, name, call, arguments):
        if count == self.number or (count > self.number and self.is_for_good):
            self.is_reached = True
            raise OSError(self.code, os.strerror(self.code))
        return call(*arguments)


def break_everywhere(tmp_path, prepare, deed, code, is_for_good):
    """Fail at the first call, at the second and so on, until nothing fails any more."""
    number, is_reached, ends = 0, True, []
    while is_reached:
        number += 1
        place = tmp_path / str(number)
        place.mkdir()
        world = World(place)
        prepare(world)
        old = world.held()
        broken, failure = Broken(number, code, is_for_good), None
        with counted(broken):
            try:
                deed(world)
            except (OSError, HermesError) as error:
                failure = error
        is_reached = broken.is_reached
        ends.append((world, old, world.held(), failure))
    return ends


def in_a_process_of_its_own(deed, number):
    """Do it where everything from a call on fails; say whether it could, and got that far."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(20)
    broken, failed = Broken(number, errno.EIO, is_for_good=True), 0
    logging.disable()
    try:
        with counted(broken):
            try:
                deed()
            except (OSError, HermesError):
                failed = 2
    finally:
        os._exit(failed + broken.is_reached)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("deed", DEEDS)
def test_one_failing_call_leaves_all_files_old_or_all_new(tmp_path, deed, code):
    ends = break_everywhere(tmp_path, lambda world: None, deed, code, is_for_good=False)
    new = ends[-1][2]
    assert len(ends) > 8
    for world, old, now, failure in ends:
        assert now == (new if failure is None else old)
        assert world.recovered() == now
        assert leftovers(world) == []
        if failure is not None:
            deed(world)
        assert world.held() == new


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("deed", [several_files, linked_file])
def test_a_disk_that_fails_for_good_is_mended_by_the_next_start(tmp_path, deed):
    number, code, ends = 0, 1, []
    while code:
        number += 1
        place = tmp_path / str(number)
        place.mkdir()
        world = World(place)
        old = world.held()
        code = in_a_process_of_its_own(functools.partial(deed, world), number)
        ends.append((world, old, world.recovered(), code))
    new = ends[-1][2]
    assert new != old
    for world, old, now, code in ends:
        assert now == (old if code & 2 else new)
        assert leftovers(world) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("code", CODES)
def test_an_undoing_that_fails_changes_nothing(tmp_path, code):
    ends = break_everywhere(tmp_path, several_files, undoing_it, code, is_for_good=False)
    new = ends[-1][2]
    for world, old, now, failure in ends:
        assert now == (new if failure is None else old)
        assert list(world.folder.rglob("*.hermes-tmp")) == []
        if failure is not None:
            world.undo()
        assert world.held() == new


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace (apt package strace)")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync", "fsync", "openat"])
def test_errors_inside_the_database_cost_no_change(tmp_path, call, error):
    world = World(tmp_path)
    several_files(world)
    held = world.held()
    listing = (
        "import sys; from pathlib import Path; from hermes.services.checkpoints import Checkpoints;"
        "keeper = Checkpoints(Path(sys.argv[1])); print(len(keeper.store.all()))"
    )
    for number in (1, 2, 3, 5, 8):
        inject = f"inject={call}:error={error}:when={number}"
        which = f"trace={call}"
        path = str(world.home / "checkpoints.db")
        subprocess.run(
            [
                *("strace", "-f", "-qq", "-o", "/dev/null", "-P", path, "-P", f"{path}-wal"),
                *("-e", which, "-e", inject, sys.executable, "-c", listing, world.home),
            ],
            capture_output=True,
            timeout=30,
            check=False,
        )
        assert world.held() == held
    assert len(world.keeper().store.all()) == 1
    world.undo()


def test_a_store_that_cannot_be_written_refuses_the_change_and_says_why(tmp_path):
    world = World(tmp_path)
    world.home.parent.mkdir()
    world.home.write_text("in the way")
    with pytest.raises(HermesError, match="nothing was changed") as error:
        several_files(world)
    assert error.value.code == "checkpoint_unwritable"
    assert "checkpoints.enabled" in error.value.hint


@pytest.mark.timeout(60)
def test_ten_writers_of_one_path_leave_one_whole_content_and_every_checkpoint(tmp_path):
    world = World(tmp_path)
    with contextlib.closing(world.keeper()) as keeper:
        files = Files(lambda caller, check: LocalDisk(str(world.folder), "/", check), keeper)
        start = threading.Barrier(10)

        def write(number):
            start.wait(10)
            for turn in range(20):
                content = b"%d-%d " % (number, turn) * 3_000
                work = files.at(Caller(world.folder))
                now = work.disk.read("a")[1]
                apply(work, [Step("a", now, content)])

        with ThreadPoolExecutor(10) as pool:
            list(pool.map(write, range(10)))
        words = (world.folder / "a").read_bytes().split()
        assert len(words) == 3_000 and len(set(words)) == 1
        assert len(keeper.store.all()) == 200
    assert leftovers(world) == []


def five_at_once(world):
    """Let five processes change the same four files ten times each; return how they ended."""
    children = [
        subprocess.Popen([sys.executable, CHILD, world.home, world.folder, "0", "10"], stdout=-3)
        for _ in range(5)
    ]
    return [child.wait(50) for child in children]


@pytest.mark.timeout(60)
def test_processes_that_change_the_same_files_lose_no_checkpoint(tmp_path):
    world = World(tmp_path)
    for number in range(4):
        (world.folder / f"part{number}").write_bytes(b"0 " * 5_000)
    assert five_at_once(world) == [0] * 5
    for path in world.folder.glob("part*"):
        assert len(set(path.read_bytes().split())) == 1
    assert len(world.keeper().store.all()) == 50
    assert leftovers(world) == []


@pytest.mark.timeout(60)
def test_processes_that_make_the_same_files_make_them_whole_or_not_at_all(tmp_path):
    world = World(tmp_path)
    codes = five_at_once(world)  # each of them may find that another one was first
    for path in world.folder.glob("part*"):
        assert len(set(path.read_bytes().split())) == 1
    done = len(world.keeper().store.all())
    assert done <= 50 and (done == 50 or any(codes))
    assert leftovers(world) == []


@pytest.mark.timeout(60)
def test_many_large_changes_are_moved_to_the_store_while_others_go_on(tmp_path):
    world = World(tmp_path)
    with contextlib.closing(world.keeper()) as keeper:
        files = Files(lambda caller, check: LocalDisk(str(world.folder), "/", check), keeper)
        before = OLD
        for number in range(60):
            after = os.urandom(1 << 20) + b"%d" % number
            apply(files.at(Caller(world.folder)), [Step("a", before, after)])
            before = after
        found = keeper.store.all()
        assert len(found) == 60
        keeper.store.bring(found[0].digests | found[-1].digests)
        assert keeper.store.blobs.read(found[-1].entries[0].before.digest) == OLD
    sizes = [path.stat().st_size for path in (world.home / "open").iterdir()]
    assert len(sizes) == 1 and sizes[0] <= 32 << 20


def test_a_file_that_somebody_else_changed_is_left_alone_by_recovery(tmp_path, caplog):
    world = World(tmp_path)
    keeper = world.keeper()

    class Change:
        def __init__(self, name, before, after):
            self.path, self.before, self.after = str(world.folder / name), before, after
            self.mode, self.digest = 0o644, None

    changes = [Change("a", OLD, NEW), Change("c", OLD, NEW), Change("d", OLD, LONG)]
    keeper.begin(Caller(world.folder), changes, is_local=True)
    keeper.close()
    (world.folder / "a").write_bytes(NEW)
    (world.folder / "d").write_bytes(b"theirs")
    world.recovered()
    assert (world.folder / "a").read_bytes() == OLD
    assert (world.folder / "d").read_bytes() == b"theirs"
    assert "d was changed by somebody else since; it is left alone" in caplog.text
    assert world.keeper().store.all()[0].left == (str(world.folder / "d"),)
