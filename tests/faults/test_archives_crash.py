import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.services.files.archive_samples import header, tar
from tests.services.files.conftest import Caller

from hermes.base.errors import ToolError
from hermes.services.files import Files
from hermes.services.files.archives.packing import create
from hermes.services.files.archives.unpacking import Wanted, extract
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.local_disk import LocalDisk

CHILD = Path(__file__).with_name("archive_child.py")
SCENARIOS = ["create-new", "create-over", "extract-tar", "extract-zip", "merge-tar", "merge-zip"]


def works(top):
    (top / "work").mkdir(exist_ok=True)
    files = Files(
        lambda caller, check: LocalDisk(str(caller.cwd), "/", check),
        leftovers=Leftovers(top / "unfinished"),
    )
    return files.at(Caller(top / "work"))


@pytest.mark.proves("archive-killed")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_kill_at_any_moment_leaves_the_old_or_the_new(tmp_path, scenario):
    run = subprocess.run(
        [sys.executable, str(CHILD), str(tmp_path), scenario], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-3_000:]
    olds, news = map(int, run.stdout.split())
    assert olds > 10
    assert news >= 1


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from archive_child import works
from hermes.services.files.archives.unpacking import Wanted, extract
top, count = Path(sys.argv[2]), 0
work = works(top, top / "work")

def watch(event, arguments):
    global count
    count += event == "os.link"
    if event == "os.link" and count == 3:
        os.kill(os.getpid(), 9)

sys.addaudithook(watch)
extract(work, "a.tar", Wanted("out"))
"""


def test_what_somebody_changed_after_a_kill_is_left_alone(tmp_path):
    folder = tmp_path / "work"
    (folder / "out").mkdir(parents=True)
    (folder / "a.tar").write_bytes(tar(*(header(f"f{n}", b"new") for n in range(3))))
    run = subprocess.run([sys.executable, "-c", KILLED, str(CHILD), str(tmp_path)])
    assert run.returncode == -9
    seen = sorted(path.name for path in (folder / "out").iterdir() if path.name[0] != ".")
    assert seen == ["f0", "f1"]
    (folder / "out/f1").write_text("edited since")
    assert Leftovers(tmp_path / "unfinished").sweep() == 1
    assert [(path.name, path.read_text()) for path in (folder / "out").iterdir()] == [
        ("f1", "edited since")
    ]


def test_what_is_being_written_now_is_not_taken_for_a_leftover(tmp_path):
    work = works(tmp_path)
    with work.disk.stage("out", work.leftovers) as stage:
        stage.file("f", [b"1"], None, None)
        assert Leftovers(tmp_path / "unfinished").sweep() == 0
        stage.settle(stage.plan(overwrite=False))
    assert (tmp_path / "work/out/f").read_bytes() == b"1"
    assert list((tmp_path / "unfinished").iterdir()) == []


def test_a_record_does_not_reach_other_folders(tmp_path):
    """A folder that took the place of the recorded one is not touched."""
    work = works(tmp_path)
    with pytest.raises(KeyboardInterrupt), work.disk.stage("out", work.leftovers):
        record = next((tmp_path / "unfinished").glob("*.record"))
        kept = record.read_bytes()
        hidden = next((tmp_path / "work").glob(".hermes-unpack-*")).name
        raise KeyboardInterrupt
    (tmp_path / "work").rename(tmp_path / "moved")
    (tmp_path / "work" / hidden).mkdir(parents=True)
    (tmp_path / "unfinished/again.record").write_bytes(kept)
    Leftovers(tmp_path / "unfinished").sweep()
    assert (tmp_path / "work" / hidden).is_dir()


@pytest.mark.parametrize("content", [b"", b"{", b"[1]\n", b"null\n", b'["/","x"]\n', b"\xff\n"])
def test_a_record_that_cannot_be_read_is_dropped(tmp_path, content):
    (tmp_path / "torn.record").write_bytes(content)
    assert Leftovers(tmp_path).sweep() == 1
    assert list(tmp_path.iterdir()) == []


FULL = """
import os, sys
from pathlib import Path
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from archive_child import works, state
from hermes.base.errors import ToolError
from hermes.services.files.archives.packing import create
from hermes.services.files.archives.unpacking import Wanted, extract
top = Path(sys.argv[2])
work = works(Path(sys.argv[3]), top)
before = state(top)
for act in (
    lambda: extract(work, sys.argv[3] + "/large.tar", Wanted("out")),
    lambda: create(work, "out.tar", [sys.argv[3] + "/large.tar"], "tar", overwrite=False),
):
    try:
        act()
    except ToolError as error:
        assert error.code == "disk_full", error.code
    else:
        raise AssertionError("there was room")
    assert state(top) == before
"""


def test_a_full_disk_leaves_nothing(tmp_path):
    (tmp_path / "large.tar").write_bytes(
        tar(header("small", b"1"), header("large", os.urandom(3 << 20)))
    )
    (tmp_path / "disk").mkdir()
    script = f'mount -t tmpfs -o size=1m none {tmp_path}/disk && exec "$@"'
    command = ["unshare", "-rm", "sh", "-c", script, "sh", sys.executable, "-c", FULL]
    run = subprocess.run(
        [*command, str(CHILD), str(tmp_path / "disk"), str(tmp_path)],
        capture_output=True,
        text=True,
    )
    if "unshare" in run.stderr or "mount" in run.stderr.partition("\n")[0]:
        pytest.skip("this machine does not let anybody mount a small disk")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("number", range(1, 12))
def test_an_error_at_any_write_leaves_nothing(tmp_path, monkeypatch, number):
    work = works(tmp_path)
    folder = tmp_path / "work"
    (folder / "src").mkdir()
    for name in "abcdef":
        (folder / "src" / name).write_bytes(os.urandom(1_000))
    (folder / "a.tar").write_bytes(tar(*(header(name, b"x" * 2_000) for name in "abcdefghijklm")))
    before = sorted(os.listdir(folder))
    count, real = 0, os.write

    def full(descriptor, data):
        nonlocal count
        count += threading.current_thread() is threading.main_thread()
        if count >= number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    for act in (
        lambda: extract(work, "a.tar", Wanted("out")),
        lambda: create(work, "b.zip", ["src"], "zip", overwrite=False),
    ):
        count = 0
        with pytest.raises(ToolError, match="disk is full"):
            act()
        assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("call", ["link", "rename", "mkdir", "replace"])
def test_an_error_while_moving_in_takes_everything_back(tmp_path, monkeypatch, call):
    work = works(tmp_path)
    folder = tmp_path / "work"
    (folder / "out/sub").mkdir(parents=True)
    (folder / "out/sub/x").write_text("old")
    (folder / "out/y").write_text("old")
    entries = [header(name, b"new") for name in ("a", "b/c", "sub/x", "sub/z", "y", "z")]
    (folder / "a.tar").write_bytes(tar(*entries))

    def shown():
        return {
            str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")
        }

    before, real, failed = shown(), getattr(os, call), 0
    for number in range(1, 20):
        count = 0

        def failing(*arguments, number=number, **words):
            nonlocal count
            count += 1
            if count == number:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(*arguments, **words)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing)
            try:
                extract(work, "a.tar", Wanted("out", overwrite=True))
            except ToolError:
                failed += 1
            else:
                break
        assert shown() == before, number
    assert failed >= 1
