import os

import pytest

from hermes.base.errors import HermesError
from hermes.services.checkpoints import Limits
from hermes.services.checkpoints.pruning import prune
from hermes.services.checkpoints.undoing import perform, plan, undone


@pytest.fixture
def undo(keeper, folder):
    """Return a function that undoes checkpoints and returns the one of that."""

    def undoing(*checkpoints, force=False, path=None):
        made = plan(keeper, checkpoints, path)
        name = perform(keeper, made, workspace=str(folder), force=force)
        return next(one for one in keeper.store.all() if one.id == name)

    return undoing


def test_a_change_is_undone_and_the_undoing_too(folder, change, undo, keeper):
    (folder / "a").write_bytes(b"old\r\n\xff")
    (folder / "a").chmod(0o751)
    done = change(a=b"new", b=b"more")
    assert (done.tool, done.call_id, done.task_id) == ("write_file", "call", "task")
    back = undo(done)
    assert (folder / "a").read_bytes() == b"old\r\n\xff"
    assert (folder / "a").stat().st_mode & 0o777 == 0o751
    assert not (folder / "b").exists()
    assert undone(keeper.store.all()) == {done.id}
    undo(back)
    assert ((folder / "a").read_bytes(), (folder / "b").read_bytes()) == (b"new", b"more")
    assert undone(keeper.store.all()) == {back.id}


def test_a_removed_file_comes_back_with_its_mode(folder, change, undo):
    (folder / "a").write_bytes(b"old")
    (folder / "a").chmod(0o640)
    undo(change(a=None))
    assert ((folder / "a").read_bytes(), (folder / "a").stat().st_mode & 0o777) == (b"old", 0o640)


def test_folders_made_for_a_file_go_with_it_unless_somebody_uses_them(folder, change, undo):
    undo(change(**{"x/y/new": b"1"}))
    assert list(folder.iterdir()) == []
    done = change(**{"x/y/new": b"1"})
    (folder / "x" / "theirs").write_text("mine")
    undo(done)
    assert [path.name for path in (folder / "x").iterdir()] == ["theirs"]


@pytest.mark.proves("checkpoint-others")
def test_what_somebody_else_changed_since_is_not_touched_unless_forced(folder, change, undo):
    (folder / "a").write_bytes(b"old")
    (folder / "b").write_bytes(b"old")
    done = change(a=b"new", b=b"new")
    (folder / "b").write_bytes(b"theirs")
    with pytest.raises(HermesError, match="b: it was changed by somebody else since"):
        undo(done)
    assert ((folder / "a").read_bytes(), (folder / "b").read_bytes()) == (b"new", b"theirs")
    back = undo(done, force=True)
    assert ((folder / "a").read_bytes(), (folder / "b").read_bytes()) == (b"old", b"old")
    undo(back)
    assert (folder / "b").read_bytes() == b"theirs"


def test_one_file_of_a_change_can_be_undone_alone(folder, change, undo):
    (folder / "a").write_bytes(b"old")
    (folder / "b").write_bytes(b"old")
    undo(change(a=b"new", b=b"new"), path=str(folder / "b"))
    assert ((folder / "a").read_bytes(), (folder / "b").read_bytes()) == (b"new", b"old")


def test_several_changes_are_undone_together(folder, change, undo):
    (folder / "a").write_bytes(b"0")
    done = [change(a=b"1"), change(a=b"2", b=b"x"), change(a=b"3"), change(b=None)]
    undo(*done)
    assert (folder / "a").read_bytes() == b"0"
    assert not (folder / "b").exists()


def test_a_hard_linked_file_keeps_its_other_names(folder, change, undo):
    (folder / "a").write_bytes(b"old content")
    os.link(folder / "a", folder / "twin")
    done = change(a=b"new")
    assert (folder / "twin").read_bytes() == b"new"
    undo(done)
    assert (folder / "twin").read_bytes() == b"old content"
    assert (folder / "a").stat().st_ino == (folder / "twin").stat().st_ino


def test_undoing_does_not_follow_a_link_that_took_a_folders_place(folder, change, undo, tmp_path):
    (folder / "x").mkdir()
    (folder / "x" / "a").write_bytes(b"old")
    done = change(**{"x/a": b"new"})
    (folder / "x").rename(tmp_path / "elsewhere")
    (folder / "x").symlink_to(tmp_path / "elsewhere")
    for force in (False, True):
        with pytest.raises((HermesError, OSError)):
            undo(done, force=force)
    assert (tmp_path / "elsewhere" / "a").read_bytes() == b"new"


def test_names_of_any_bytes_are_kept(folder, change, undo):
    names = ["line\nbreak", os.fsdecode(b"\xff\xfe"), "ü" * 127, " "]
    for name in names:
        (folder / name).write_bytes(b"old")
    undo(change(**dict.fromkeys(names, b"new")))
    assert {(folder / name).read_bytes() for name in names} == {b"old"}


def test_identical_contents_are_stored_once_and_all_is_private(folder, change, keeper):
    text = b"the same line\n" * 10_000
    for name in "abc":
        (folder / name).write_bytes(text)
        change(**{name: b"x"})
    keeper.store.move()
    stored = list(keeper.store.blobs.stored())
    assert len(stored) == 1
    assert stored[0].size < len(text) / 10
    modes = {path.stat().st_mode & 0o777 for path in keeper.store.folder.rglob("*")}
    assert modes == {0o600, 0o700}


def test_old_and_too_many_checkpoints_are_pruned(folder, change, keeper):
    (folder / "a").write_bytes(b"0" * 1_000)
    for number in range(5):
        change(a=os.urandom(100_000) + b"%d" % number)
    keeper.store.move()
    for one in keeper.store.blobs.stored():
        os.utime(one.path, (0, 0))
    done = prune(keeper.store, Limits(total_bytes=250_000))
    assert (done.checkpoints, done.contents) == (3, 3)
    assert done.left_bytes < 250_000
    assert len(keeper.store.all()) == 2
    keeper.store.move()
    done = prune(keeper.store, Limits(keep_seconds=-1))
    assert done.checkpoints == 2
    assert keeper.store.all() == []


def test_a_file_over_the_limit_is_changed_but_not_kept(folder, keeper, change, undo):
    keeper.limits = Limits(file_bytes=10)
    (folder / "a").write_bytes(b"0" * 11)
    done = change(a=b"new")
    with pytest.raises(HermesError, match="not kept"):
        undo(done)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_keeps_its_changes_apart(folder, change, keeper):
    change(a=b"parent")
    child = os.fork()
    if child == 0:
        try:
            change(b=b"child")
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    change(c=b"parent again")
    names = [os.path.basename(one.entries[0].path) for one in keeper.store.all()]
    assert names == ["c", "b", "a"]


def test_a_change_that_fails_leaves_nothing_to_undo(folder, change, keeper):
    (folder / "a").write_bytes(b"a file, no folder")
    for name in ("a/x", "y" * 300):
        with pytest.raises(OSError):
            change(**{name: b"new"})
    done = change(z=b"new")
    assert keeper.store.all() == [done]
    assert sorted(os.listdir(folder)) == ["a", "z"]
