import errno
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.services.files.conftest import Caller

from hermes.base.errors import Denied, ToolError
from hermes.services.files import Nobody, placing
from hermes.services.files.changing import Step, apply
from hermes.services.files.linting import introduced
from hermes.services.files.meanwhile import caught_up
from hermes.services.files.patching.applying import patch
from hermes.services.files.patching.finding import Wanted as Searched
from hermes.services.files.patching.replacing import replace
from hermes.services.files.reading import Wanted, read
from hermes.services.files.writing import write


def test_a_write_says_what_it_did(work, folder):
    assert write(work, "a/x.txt", "1\n2\n3", "overwrite") == {
        "path": str(folder / "a/x.txt"), "bytes": 5, "lines": 3, "created": True,
        "folders_created": 1,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["new/", "", "."])
def test_a_path_to_a_folder_makes_nothing(work, folder, name):
    with pytest.raises(ToolError, match=f"^{name or repr('')}: it is a folder$"):
        write(work, name, "x", "overwrite")
    assert list(folder.iterdir()) == []


def test_only_folders_that_were_made_are_counted(work, folder):
    assert write(work, "a/../b", "x", "overwrite")["folders_created"] == 1
    assert (folder / "b").read_text() == "x"


@pytest.mark.parametrize("name", [" x", "x ", "a\nb"])
def test_a_name_that_is_not_seen_is_quoted_in_an_error(files, work, name):
    with pytest.raises(ToolError) as refused:
        read(work, files.index, name, Wanted())
    assert refused.value.message == f"{name!r}: there is no such file"


def test_replacing_a_file_that_was_never_read_is_told(work, folder):
    (folder / "x").write_text("old")
    assert "had not read it" in write(work, "x", "new", "overwrite")["warning"]
    assert "warning" not in write(work, "x", "newer", "overwrite")


def test_a_file_that_somebody_changed_since_it_was_read_is_told(files, work, folder):
    (folder / "x").write_text("old")
    read(work, files.index, "x", Wanted())
    (folder / "x").write_text("theirs")
    assert "changed by somebody else" in write(work, "x", "mine", "overwrite")["warning"]


def test_a_write_of_a_sibling_task_is_told(files, folder):
    one, two = files.at(Caller(folder, "one")), files.at(Caller(folder, "two"))
    write(one, "x", "1", "overwrite")
    read(two, files.index, "x", Wanted())
    write(one, "x", "22", "overwrite")
    assert "changed by another task" in write(two, "x", "333", "overwrite")["warning"]


def test_a_file_keeps_its_encoding_as_long_as_that_has_the_characters(work, folder):
    (folder / "x").write_bytes("café\n".encode("latin-1"))
    assert write(work, "x", "thé\n", "overwrite")["encoding"] == "latin-1"
    assert (folder / "x").read_bytes() == "thé\n".encode("latin-1")
    answer = write(work, "x", "日本\n", "overwrite")
    assert (folder / "x").read_bytes() == "日本\n".encode()
    assert answer["encoding"] == "utf-8" and "It was latin-1" in answer["warning"]


def test_nothing_is_added_that_the_encoding_of_a_file_does_not_have(work, folder):
    (folder / "x").write_bytes("café\n".encode("latin-1"))
    with pytest.raises(ToolError, match="latin-1") as refused:
        write(work, "x", "日本\n", "append")
    assert refused.value.code == "encoding"
    assert (folder / "x").read_bytes() == "café\n".encode("latin-1")


def test_lines_of_wide_text_are_counted_as_lines(work, folder):
    (folder / "x").write_bytes("a\n".encode("utf-16"))
    assert write(work, "x", "b\nc\n", "overwrite")["lines"] == 2


@pytest.mark.parametrize("name", ["there", "new"])
def test_all_that_is_added_at_the_same_time_is_kept(files, folder, name):
    (folder / "there").write_text("")
    works = [files.at(Caller(folder, f"task-{number}")) for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda work: write(work, name, f"{work.task_id}\n", "append"), works))
    assert sorted((folder / name).read_text().split()) == sorted(each.task_id for each in works)


def test_patches_of_one_file_at_the_same_time_are_all_made(files, folder):
    (folder / "x").write_text("".join(f"line-{number:02}-old\n" for number in range(12)))

    def change(number):
        wanted = Searched("x", f"line-{number:02}-old", f"line-{number:02}-new")
        replace(files.at(Caller(folder, f"task-{number}")), wanted)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(change, range(12)))
    assert (folder / "x").read_text().count("new") == 12


def test_a_change_by_another_program_right_before_ours_is_noticed(files, folder):
    (folder / "x").write_text("old")
    work = files.at(Caller(folder))
    work.caller.announced = lambda: (folder / "x").write_text("theirs")
    with pytest.raises(ToolError, match="changed by somebody else"):
        write(work, "x", "mine", "overwrite")
    assert (folder / "x").read_text() == "theirs"


def test_a_new_file_never_has_a_second_name(work, folder, monkeypatch):
    given, link = [], os.link

    def watched(source, name, **places):
        link(source, name, **places)
        given.append((name, os.listdir(folder), os.stat(folder / "x").st_nlink))

    monkeypatch.setattr(os, "link", watched)
    write(work, "x", "new", "create")
    assert given in ([], [("x", ["x"], 1)])
    assert (folder / "x").read_text() == "new"


def test_what_is_added_goes_to_the_end(work, folder):
    (folder / "x").write_bytes(b"a\n")
    write(work, "x", "b\n", "append")
    write(work, "new", "c", "append")
    assert ((folder / "x").read_bytes(), (folder / "new").read_bytes()) == (b"a\nb\n", b"c")


def test_create_does_not_replace(work, folder):
    (folder / "x").write_text("old")
    with pytest.raises(ToolError, match="there already") as refused:
        write(work, "x", "new", "create")
    assert "overwrite" in refused.value.hint
    assert (folder / "x").read_text() == "old"


def test_half_a_character_is_refused(work, folder):
    with pytest.raises(ToolError, match="half a character"):
        write(work, "x", "\ud800", "overwrite")
    assert not (folder / "x").exists()


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("a.py", b"x = 1", b"x = (", "line 1"),
        ("a.py", b"x = (", b"y = (", None),
        ("a.py", b"", b"x = 1", None),
        ("a.json", b"{}", b"{,}", "line 1"),
        ("tsconfig.json", b"{ // comment\n}", b"{ // other\n}", None),
        ("a.yaml", b"a: 1", b"a: [", "line"),
        ("templates/x.yaml", b"{{ if }}: [", b"{{ else }}: [", None),
        ("a.toml", b"a = 1", b"a = ", "Invalid value"),
        ("a.txt", b"", b"((((", None),
        ("noending", None, b"((((", None),
    ],
)
def test_only_problems_that_a_write_introduced_are_told(name, old, new, problem):
    found = introduced(name, old, new)
    assert (found is None) if problem is None else problem in found


def test_several_changes_happen_together(work, folder):
    (folder / "a").write_text("1")
    (folder / "b").write_text("2")
    apply(work, [Step("a", b"1", b"one"), Step("b", b"2", None), Step("c", None, b"three")])
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a": "one", "c": "three"}


def test_when_one_change_fails_none_has_happened(work, folder):
    (folder / "a").write_text("1")
    (folder / "b").write_text("2")
    (folder / "c").mkdir()
    with pytest.raises(OSError, match=r"exists|directory"):
        apply(
            work,
            [
                Step("a", b"1", b"x"),
                Step("b", b"2", None),
                Step("new", None, b"y"),
                Step("c", None, b"z"),
            ],
        )
    left = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    assert left == {"a": "1", "b": "2"}


def test_a_file_that_changed_while_the_change_was_prepared_is_left_alone(work, folder):
    (folder / "a").write_text("1")
    version = work.disk.find("a").version
    (folder / "a").write_text("theirs")
    with pytest.raises(ToolError, match="somebody else"):
        apply(work, [Step("a", b"1", b"mine", version)])
    assert (folder / "a").read_text() == "theirs"


def test_a_failure_names_the_file_that_the_caller_named(work, folder, monkeypatch):
    (folder / "one").write_text("1\n")
    (folder / "two").write_text("1\n")
    refuse_second(monkeypatch)
    text = "\n".join(f"*** Update File: {name}\n@@\n-1\n+2" for name in ("one", "two"))
    with pytest.raises(ToolError, match=r"^two: permission denied") as refused:
        patch(work, f"*** Begin Patch\n{text}\n*** End Patch")
    assert refused.value.hint == "No file was changed."
    assert (folder / "one").read_text() == "1\n"


def refuse_second(monkeypatch):
    """Let the second file that takes its place fail as one that must not be changed does."""
    real, seen = os.replace, []

    def replace(source, target, **folders):
        seen.append(target)
        if len(seen) == 2:
            raise PermissionError(1, os.strerror(1), source)
        real(source, target, **folders)

    monkeypatch.setattr(os, "replace", replace)


@pytest.mark.parametrize("is_there", [True, False])
def test_without_nameless_files_what_is_overwritten_is_kept_before_another_name_appears(
    work, folder, monkeypatch, is_there
):
    seen = []

    class Keeping(Nobody):
        def secure(self, name):
            seen.append(sorted(os.listdir(folder)))

    monkeypatch.setattr(placing, "_UNNAMED", None)
    if is_there:
        (folder / "x").write_text("old")
    write(work._replace(keeper=Keeping()), "x", "new", "overwrite")
    assert seen == [["x"] if is_there else []]
    assert (folder / "x").read_text() == "new"
    assert os.listdir(folder) == ["x"]


@pytest.mark.parametrize("is_there", [True, False])
def test_where_a_nameless_file_cannot_be_named_another_one_takes_the_place(
    work, folder, monkeypatch, is_there
):
    def refuse(*_, **places):
        raise OSError(errno.EXDEV, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    if is_there:
        (folder / "x").write_text("old")
        (folder / "x").chmod(0o751)
    write(work, "x", "new", "overwrite")
    assert ((folder / "x").read_text(), os.listdir(folder)) == ("new", ["x"])
    assert not is_there or (folder / "x").stat().st_mode & 0o777 == 0o751


@pytest.mark.parametrize("is_there", [True, False])
def test_until_what_is_overwritten_is_kept_nothing_can_be_seen(work, folder, is_there):
    if is_there:
        (folder / "x").write_text("old")
    before = sorted(os.listdir(folder))

    class Full(Nobody):
        def secure(self, name):
            assert sorted(os.listdir(folder)) == before
            raise ToolError("the disk is full")

    with pytest.raises(ToolError, match="the disk is full"):
        write(work._replace(keeper=Full()), "x", "new", "overwrite")
    assert sorted(os.listdir(folder)) == before
    assert not is_there or (folder / "x").read_text() == "old"


def test_more_calls_than_threads_wait_for_the_disk_at_once(files, folder):
    def change(number):
        write(files.at(Caller(folder, f"task{number}")), f"f{number}", "x" * 100_000, "overwrite")

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(change, range(40), timeout=20))
    assert len(os.listdir(folder)) == 40


def test_what_was_replaced_is_let_go_of(work, folder):
    def written():
        for number in range(30):
            write(work, "x", f"{number}", "overwrite")
        caught_up()
        return sorted(os.listdir("/proc/self/fd"))

    assert written() == written()


def test_a_change_right_before_the_file_takes_its_place_is_noticed(work, folder, monkeypatch):
    put = placing._put

    def overtaken(descriptor, data):
        put(descriptor, data)
        (folder / "x").write_text("theirs")

    (folder / "x").write_text("old")
    monkeypatch.setattr(placing, "_put", overtaken)
    with pytest.raises(ToolError, match="changed by somebody else") as refused:
        write(work, "x", "mine", "overwrite")
    assert refused.value.code == "conflict"
    assert ((folder / "x").read_text(), os.listdir(folder)) == ("theirs", ["x"])


def test_a_write_that_fails_is_taken_back_where_nothing_may_be_read(files, folder, monkeypatch):
    def check(verb, path, is_sole=False):
        if verb == "read":
            raise Denied("not to be read")

    def full(descriptor, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    ended = []

    class Keeping(Nobody):
        def begin(self, caller, changes, *, is_local):
            return "kept"

        def end(self, name, *, is_done):
            ended.append((name, is_done))

    (folder / "x").write_text("old")
    work = files.at(Caller(folder, check=check))._replace(keeper=Keeping())
    monkeypatch.setattr(placing, "_put", full)
    with pytest.raises(ToolError, match="the disk is full"):
        write(work, "x", "new", "overwrite")
    assert ((folder / "x").read_text(), ended) == ("old", [("kept", False)])


def test_utf_8_with_a_stray_byte_stays_utf_8(files, work, folder):
    data = "Größe und Maß\n".encode() * 4 + b"\xff\n"
    (folder / "x").write_bytes(data)
    seen = read(work, files.index, "x", Wanted(5, 1))
    assert (seen["content"], seen["encoding"]) == ("5|\ufffd", "utf-8 with invalid bytes")
    write(work, "x", "ä\n", "append")
    assert (folder / "x").read_bytes() == data + "ä\n".encode()
    replace(work, Searched("x", "ä\n", "für\n"))
    assert (folder / "x").read_bytes() == data + "für\n".encode()
    answer = write(work, "x", "ö\n", "overwrite")
    assert ((folder / "x").read_bytes(), "encoding" in answer) == ("ö\n".encode(), False)
