"""Files below a root are reached by descriptor, with openat2 and without."""

from __future__ import annotations

import os
import socket

import pytest

from hermes.base.beneath import Outside, Root
from hermes.base.openat2 import has_openat2

WAYS = [pytest.param(False, id="openat2"), pytest.param(True, id="walked")]


@pytest.fixture(params=WAYS)
def root(request, tmp_path):
    if not request.param and not has_openat2():
        pytest.skip("this kernel has no openat2")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "top").mkdir()
    with Root.open(tmp_path / "top", is_walked=request.param) as root:
        yield root


@pytest.fixture
def top(tmp_path):
    return tmp_path / "top"


def read(root, path):
    with os.fdopen(root.read_fd(path), "rb") as stream:
        return stream.read()


def test_what_is_written_is_read_again(root, top):
    root.mkdir("a/b", with_parents=True)
    root.write_atomic("a/b/file", b"content")
    assert read(root, "a/b/file") == b"content"
    assert root.listdir("a/b") == ["file"]
    assert (top / "a/b/file").read_bytes() == b"content"


def test_a_new_file_has_the_mode_asked_for_and_an_old_one_keeps_its_own(root, top):
    root.write_atomic("new", b"", 0o600)
    (top / "old").write_text("")
    (top / "old").chmod(0o775)
    root.write_atomic("old", b"x", 0o600)
    assert [root.stat(name).st_mode & 0o777 for name in ("new", "old")] == [0o600, 0o775]


def test_files_and_folders_are_moved_and_removed(root):
    root.mkdir("folder")
    root.write_atomic("one", b"1")
    root.rename("one", "folder/two")
    assert root.listdir() == ["folder"]
    assert root.listdir("folder") == ["two"]
    root.unlink("folder/two")
    root.rmdir("folder")
    assert root.listdir(".") == []


@pytest.mark.parametrize(
    "path",
    ["../secret", "/etc/passwd", "a/../../secret", "out/secret", "absolute", "up", "a\0b", "proc"],
)
def test_no_path_leads_out(root, top, tmp_path, path):
    (top / "a").mkdir()
    (top / "out").symlink_to("..")
    (top / "absolute").symlink_to(tmp_path / "secret")
    (top / "up").symlink_to("a/../../secret")
    (top / "proc").symlink_to("/proc/self/root/etc/passwd")
    for act in (
        lambda: root.read_fd(path),
        lambda: root.write_atomic(path, b"changed"),
        lambda: root.stat(path),
        lambda: root.listdir(path),
    ):
        with pytest.raises(Outside):
            act()
    assert (tmp_path / "secret").read_text() == "secret"
    assert sorted(os.listdir(tmp_path)) == ["secret", "top"]


def test_nothing_is_made_moved_or_removed_through_a_link_that_leads_out(root, top, tmp_path):
    (top / "out").symlink_to(tmp_path)
    root.write_atomic("mine", b"")
    for act in (
        lambda: root.mkdir("out/new"),
        lambda: root.mkdir("out/new/newer", with_parents=True),
        lambda: root.unlink("out/secret"),
        lambda: root.rmdir("out/top"),
        lambda: root.rename("mine", "out/mine"),
        lambda: root.rename("out/secret", "stolen"),
    ):
        with pytest.raises(Outside):
            act()
    assert sorted(os.listdir(tmp_path)) == ["secret", "top"]


def test_links_that_stay_inside_are_followed(root, top):
    (top / "folder").mkdir()
    (top / "folder/file").write_text("old")
    (top / "link").symlink_to("folder/../folder/file")
    (top / "way").symlink_to("folder")
    assert read(root, "link") == b"old"
    root.write_atomic("link", b"new")
    root.write_atomic("way/other", b"other")
    assert (top / "link").is_symlink()
    assert (top / "folder/file").read_text() == "new"
    assert (top / "folder/other").read_text() == "other"


def test_a_link_itself_can_be_looked_at_and_removed(root, top, tmp_path):
    (top / "link").symlink_to(tmp_path / "secret")
    assert root.stat("link", is_followed=False).st_size == len(str(tmp_path / "secret"))
    root.unlink("link")
    assert (tmp_path / "secret").exists()


def test_links_in_a_circle_are_refused(root, top):
    (top / "one").symlink_to("two")
    (top / "two").symlink_to("one")
    with pytest.raises(OSError):
        root.read_fd("one")
    with pytest.raises(OSError):
        root.write_atomic("one", b"")


def test_only_regular_files_are_read_and_written_and_nothing_waits(root, top):
    os.mkfifo(top / "pipe")
    (top / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(top / "socket"))
        for name in ("pipe", "folder", "socket"):
            with pytest.raises(OSError):
                root.read_fd(name)
            with pytest.raises(OSError):
                root.write_atomic(name, b"")


def test_a_write_that_fails_leaves_nothing_behind(root, top):
    root.write_atomic("file", b"old")
    with pytest.raises(TypeError):
        root.write_atomic("file", "text")
    assert root.listdir() == ["file"]
    assert read(root, "file") == b"old"


def test_the_root_itself_cannot_be_replaced_or_removed(root):
    for path in ("", ".", "..", "a/.."):
        with pytest.raises(Outside):
            root.write_atomic(path, b"")
        with pytest.raises(Outside):
            root.unlink(path)


def test_no_descriptor_is_left_open(root, top):
    (top / "out").symlink_to("/")
    root.write_atomic("file", b"")
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(20):
        os.close(root.read_fd("file"))
        for path in ("out/etc", "missing/x", "../x"):
            with pytest.raises(OSError):
                root.read_fd(path)
    assert sorted(os.listdir("/proc/self/fd")) == before
