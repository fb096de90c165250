"""A process that dies at any moment leaves the old content or the new, of all files together."""

import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from checkpoints_world import DEEDS, World, killed_at, leftovers, several_files, undoing_it

CHILD = Path(__file__).with_name("checkpoints_child.py")
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


def crash_everywhere(tmp_path, prepare, deed):
    """Kill at the first call, at the second and so on, until it ends before it is killed."""
    number, is_killed, ends = 0, True, []
    while is_killed:
        number += 1
        place = tmp_path / str(number)
        place.mkdir()
        world = World(place)
        prepare(world)
        old = world.held()
        is_killed = killed_at(number, deed, world)
        now = world.recovered()
        ends.append((world, old, now))
    new = ends[-1][2]
    assert new != ends[-1][1]
    for world, old, now in ends:
        assert now in (old, new), (
            f"a mixture: {[name for name in now if now[name] != old.get(name)]}"
        )
        assert leftovers(world) == []
    assert {now == new for _, _, now in ends} == {True, False}
    return ends, new


@pytest.mark.proves("checkpoint-all-or-none")
@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.timeout(300)
def test_a_kill_at_any_call_leaves_all_files_old_or_all_new(tmp_path, deed):
    ends, new = crash_everywhere(tmp_path, lambda world: None, deed)
    assert len(ends) > 10
    for world, old, now in ends:
        if now == new:
            world.undo()
            assert world.held() == old
        deed(world)
        assert world.held() == new


@pytest.mark.proves("checkpoint-all-or-none")
@pytest.mark.timeout(300)
def test_a_kill_at_any_call_of_an_undoing_leaves_all_or_nothing_undone(tmp_path):
    crash_everywhere(tmp_path, several_files, undoing_it)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", range(8))
def test_what_was_acknowledged_survives_kills_at_random_moments(tmp_path, seed):
    chance = random.Random(seed)
    world = World(tmp_path)
    acknowledged = 0
    for _ in range(4):
        child = subprocess.Popen(
            [sys.executable, CHILD, world.home, world.folder, str(acknowledged)],
            stdout=subprocess.PIPE,
        )
        for _ in range(chance.randrange(1, 60)):
            acknowledged = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        said = [int(line) for line in child.stdout.readlines() if line.endswith(b"\n")]
        acknowledged = (said or [acknowledged])[-1]
        child.wait(10)
        child.stdout.close()
        world.recovered()
        contents = {path.read_bytes() for path in world.folder.glob("part*")}
        assert len(contents) == 1
        reached = int(contents.pop().split()[0])
        assert acknowledged <= reached <= acknowledged + 1
        assert len(list(world.folder.glob("part*"))) == 4
        assert leftovers(world) == []
        acknowledged = reached


SYSTEM_CALLS = ["pwritev", "fdatasync", "fsync", "write", "rename,renameat,renameat2", "unlinkat"]


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace (apt package strace)")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("call", SYSTEM_CALLS)
def test_a_kill_at_a_system_call_leaves_no_mixture(tmp_path, call):
    for number in (1, 2, 5, 9, 20):
        place = tmp_path / f"{number}"
        place.mkdir()
        world = World(place)
        inject = f"inject={call}:signal=SIGKILL:when={number}"
        command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", inject, sys.executable, CHILD]
        done = subprocess.run(
            [*command, world.home, world.folder, "0", "6"], stdout=subprocess.PIPE, timeout=30
        )
        said = [int(line) for line in done.stdout.splitlines()]
        world.recovered()
        contents = {path.read_bytes() for path in world.folder.glob("part*")}
        assert len(contents) <= 1
        reached = int(contents.pop().split()[0]) if contents else 0
        assert (said or [0])[-1] <= reached <= (said or [0])[-1] + 1
        assert leftovers(world) == []
