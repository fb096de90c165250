import os
import socket
import stat
import tempfile
import threading
from pathlib import Path

import pytest
from tests.services.files.conftest import Caller

from hermes.base.errors import Denied
from hermes.services.files.local_disk import LocalDisk


def test_a_file_keeps_mode_owner_and_attributes(disk, folder):
    path = folder / "run.sh"
    path.write_text("old")
    path.chmod(0o751)
    os.setxattr(path, "user.note", b"kept")
    disk.write("run.sh", b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.getxattr(path, "user.note") == b"kept"


def test_a_new_file_follows_the_umask(disk, folder):
    before = os.umask(0o027)
    try:
        disk.write("new", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o640


def test_a_symlink_stays_and_its_file_is_written(disk, folder):
    (folder / "real").write_text("old")
    (folder / "link").symlink_to("real")
    assert disk.write("link", b"new").found.path == str(folder / "real")
    assert (folder / "link").is_symlink()
    assert (folder / "real").read_bytes() == b"new"


def test_a_dangling_symlink_makes_its_file(disk, folder):
    (folder / "link").symlink_to("later")
    assert disk.write("link", b"new").is_new
    assert (folder / "later").read_bytes() == b"new"


def test_hard_links_stay_one_file(disk, folder):
    (folder / "a").write_text("longer than the new one")
    (folder / "b").hardlink_to(folder / "a")
    disk.write("a", b"new")
    assert (folder / "b").read_bytes() == b"new"
    assert (folder / "a").stat().st_ino == (folder / "b").stat().st_ino


def test_missing_folders_are_made_and_counted(disk, folder):
    assert disk.write("x/y/z.txt", b"1").folders == 2
    assert (folder / "x/y/z.txt").read_bytes() == b"1"


def test_only_a_new_file_is_made(disk, folder):
    disk.write("a", b"1", "create")
    with pytest.raises(FileExistsError):
        disk.write("a", b"2", "create")
    assert (folder / "a").read_bytes() == b"1"
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_one_of_many_that_make_the_same_file_wins(disk, folder):
    won = []

    def make(number):
        try:
            disk.write("a", str(number).encode(), "create")
        except FileExistsError:
            return
        won.append(number)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert [int((folder / "a").read_bytes())] == won


@pytest.mark.parametrize("make", ["fifo", "socket", "folder"])
def test_what_is_no_file_is_refused_without_waiting(disk, folder, make):
    path = folder / "it"
    if make == "fifo":
        os.mkfifo(path)
    elif make == "folder":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(path))
    with pytest.raises(OSError, match=r"is a|Is a"), disk.open("it"):
        pass
    with pytest.raises(OSError, match=r"is a|Is a"):
        disk.write("it", b"x")


def test_links_in_a_circle_are_an_error(disk, folder):
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        disk.write("a", b"x")


def test_paths_are_judged_by_what_they_lead_to(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    (folder / "link").symlink_to(outside / "secret")
    (folder / "below").symlink_to(outside)
    judged = []

    def check(verb, path, is_sole=False):
        judged.append((verb, path))
        if not path.startswith(str(folder)):
            raise Denied("outside")

    disk = LocalDisk(str(folder), "/", check)
    for act in (
        lambda: disk.read("link"),
        lambda: disk.write("link", b"x"),
        lambda: disk.write("below/new", b"x"),
        lambda: disk.write("below/a/b/new", b"x"),
        lambda: disk.remove("below/secret"),
        lambda: list(disk.entries("below")),
        lambda: disk.find("link"),
    ):
        with pytest.raises(Denied):
            act()
    assert (outside / "secret").read_text() == "s"
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    assert all(path.startswith(str(outside)) for _, path in judged)
    disk.remove("link")  # the link itself lies in the workspace
    assert not (folder / "link").is_symlink()


@pytest.mark.parametrize("name", ["with\nnewline", "späße", "a" * 255, " lead", "-dash"])
def test_odd_names_are_names(disk, folder, name):
    disk.write(name, b"x")
    assert disk.read(name)[1] == b"x"


def test_a_name_that_is_too_long_is_an_error(disk):
    with pytest.raises(OSError, match="too long"):
        disk.write("a" * 256, b"x")


def test_a_name_that_is_no_unicode_is_reached(disk, folder):
    name = os.fsdecode(b"caf\xe9")
    (folder / name).write_bytes(b"x")
    assert disk.read(name)[1] == b"x"
    assert [os.fsencode(one.path).rpartition(b"/")[2] for one in disk.entries(".")] == [b"caf\xe9"]


def test_a_failed_write_leaves_nothing(disk, folder, monkeypatch):
    (folder / "a").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        disk.write("a", b"new")
    assert (folder / "a").read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_a_sparse_terabyte_is_looked_at_without_reading_it(disk, folder):
    with (folder / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with disk.open("huge") as file:
        assert (file.found.size, file.read(0, 10)) == (1 << 40, bytes(10))
    with pytest.raises(OSError, match="too large"):
        disk.read("huge")


def test_two_tasks_have_their_own_folders(files, folder):
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    one, two = files.at(Caller(folder / "a", "one")), files.at(Caller(folder / "b", "two"))
    one.disk.write("f", b"1")
    two.disk.write("f", b"2")
    assert ((folder / "a/f").read_bytes(), (folder / "b/f").read_bytes()) == (b"1", b"2")


ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="another user can only be played by root")


def as_somebody(work):
    """Do something as a user without rights, and return the name of what went wrong."""
    os.seteuid(65534)
    try:
        work()
    except OSError as error:
        return type(error).__name__
    finally:
        os.seteuid(0)
    return ""


@ROOT
@pytest.mark.parametrize(
    ("mode", "owner", "said"),
    [
        (0o666, 0, ""), (0o644, 0, "PermissionError"), (0o644, 65534, ""),
        (0o444, 65534, "PermissionError"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("above", [0o755, 0o777])
def test_a_file_is_written_as_far_as_it_may_be_and_stays_whose_it_is(mode, owner, said, above):
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(above)
        file = folder / "f"
        file.write_text("an old text")
        os.chown(file, owner, 65534)
        file.chmod(mode)
        disk = LocalDisk(name, name, lambda verb, path, is_sole=False: None)
        assert as_somebody(lambda: disk.write("f", b"new")) == said
        now = file.stat()
        assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (owner, 65534, mode)
        assert file.read_text() == ("an old text" if said else "new")
