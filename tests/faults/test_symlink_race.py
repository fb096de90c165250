"""A process that swaps a folder for a link, without pause, gets no write out and no secret in."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes.base.beneath import Root
from hermes.base.openat2 import has_openat2

ATTEMPTS = 25_000  # in each of twelve parts of reading and writing: 300,000 together
PARTS = pytest.mark.parametrize("part", range(3))
CHILD = Path(__file__).with_name("swapping_child.py")
WAYS = [pytest.param(False, id="openat2"), pytest.param(True, id="walked")]


class Race:
    """A root whose folder ``work`` becomes a link to the folder of a victim, again and again."""

    def __init__(self, base: Path) -> None:
        self.top, self.victim = base / "top", base / "victim"
        for folder in (self.top, self.top / "work", self.victim):
            folder.mkdir()
        (self.top / "work/file").write_bytes(b"mine")
        (self.victim / "file").write_bytes(b"secret")
        (self.top / "link").symlink_to(self.victim)
        self.swaps = 0

    @contextlib.contextmanager
    def running(self):
        command = [sys.executable, str(CHILD), str(self.top), "work", "link"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout.readline() == "ready\n"
            yield
            output, _ = child.communicate(timeout=5)
            self.swaps = int(output)

    def is_victim_whole(self):
        return os.listdir(self.victim) == ["file"] and (
            (self.victim / "file").read_bytes() == b"secret"
        )


@pytest.fixture
def race(tmp_path):
    if sys.platform != "linux":
        pytest.skip("swapping two names at once needs Linux")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=memory) as base:  # the race is of names, not of disks
        yield Race(Path(base))


@pytest.fixture(params=WAYS)
def root(request, race):
    if not request.param and not has_openat2():
        pytest.skip("this kernel has no openat2")
    with Root.open(race.top, is_walked=request.param) as root:
        yield root


@pytest.mark.proves("path-race")
@PARTS
def test_no_write_escapes(race, root, part):
    done = 0
    with race.running():
        for _ in range(ATTEMPTS):
            with contextlib.suppress(OSError):
                root.write_atomic("work/file", b"mine")
                done += 1
    assert race.is_victim_whole()
    assert done > 100
    assert race.swaps > 1_000


@pytest.mark.proves("path-race")
@PARTS
def test_no_read_leaks(race, root, part):
    seen = set()
    with race.running():
        for _ in range(ATTEMPTS):
            with contextlib.suppress(OSError):
                descriptor = root.read_fd("work/file")
                seen.add(os.read(descriptor, 64))
                os.close(descriptor)
    assert seen == {b"mine"}
    assert race.swaps > 1_000


def test_nothing_is_made_moved_or_removed_outside(race, root):
    acts = (
        lambda: root.unlink("work/file"),
        lambda: root.write_atomic("work/file", b"mine"),
        lambda: root.rename("work/file", "work/other"),
        lambda: root.rename("work/other", "kept"),
        lambda: root.rename("kept", "work/file"),
        lambda: root.mkdir("work/folder"),
        lambda: root.rmdir("work/folder"),
    )
    done = [0] * len(acts)
    with race.running():
        for turn in range(ATTEMPTS):
            with contextlib.suppress(OSError):
                acts[turn % len(acts)]()
                done[turn % len(acts)] += 1
    assert race.is_victim_whole()
    assert min(done) > 0
    assert race.swaps > 1_000


def test_the_race_is_real_for_whoever_opens_by_name(race):
    seen = set()
    with race.running():
        for _ in range(ATTEMPTS):
            seen.add((race.top / "work/file").read_bytes())
            if len(seen) == 2:
                break
    assert seen == {b"mine", b"secret"}
