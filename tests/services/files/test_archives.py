import errno
import gzip
import os
import stat
import tarfile
import zipfile

import pytest
from tests.services.files.archive_samples import (
    folder as tar_folder,
)
from tests.services.files.archive_samples import header, link, tar, twin, zipped
from tests.services.files.conftest import Caller

from hermes.base.errors import Denied, InvalidArguments, ToolError
from hermes.base.files import TEMPORARY
from hermes.services.files.archives import Limits
from hermes.services.files.archives.formats import by_name
from hermes.services.files.archives.packing import create
from hermes.services.files.archives.streams import zstd
from hermes.services.files.archives.unpacking import Wanted, extract, list_members

FORMATS = ("zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst")


def tree(folder):
    """All that is below a folder: bytes of files, targets of links, None for folders."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        else:
            found[name] = None if path.is_dir() else path.read_bytes()
    return found


@pytest.fixture
def sources(folder):
    top = folder / "src"
    (top / "deep/er").mkdir(parents=True)
    (top / "deep/er/data.bin").write_bytes(os.urandom(700_000))
    (top / "a.txt").write_text("hello\n" * 1_000)
    (top / "run.sh").write_text("#!/bin/sh\n")
    (top / "run.sh").chmod(0o755)
    (top / "empty").mkdir()
    (top / "nothing").write_bytes(b"")
    (top / "link").symlink_to("deep/er/data.bin")
    (top / "dangling").symlink_to("nowhere")
    (top / "naïve 名\n.txt").write_text("odd")
    os.utime(top / "a.txt", (1_234_567_890, 1_234_567_890))
    return top


@pytest.mark.proves("archive-round-trip")
@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_packed_is_what_is_unpacked(work, folder, sources, kind):
    made = create(work, f"out.{kind}", ["src"], kind, overwrite=False)
    assert (made["files"], made["folders"]) == (5, 4)
    got = extract(work, f"out.{kind}", Wanted("new"))
    assert (got["format"], got["files"], got["links"]) == (kind, 5, 2)
    assert tree(folder / "new/src") == tree(sources)
    unpacked = folder / "new/src"
    assert stat.S_IMODE((unpacked / "run.sh").stat().st_mode) == 0o755
    assert (unpacked / "a.txt").stat().st_mtime == 1_234_567_890
    assert sorted(path.name for path in folder.iterdir()) == ["new", f"out.{kind}", "src"]


@pytest.mark.parametrize("kind", FORMATS)
def test_other_programs_read_what_is_packed(work, folder, sources, kind, tmp_path):
    create(work, "out", ["src"], kind, overwrite=False)
    if kind == "zip":
        with zipfile.ZipFile(folder / "out") as packed:
            assert packed.testzip() is None
            assert packed.read("src/a.txt") == (sources / "a.txt").read_bytes()
        return
    if kind == "tar.zst":
        plain = zstd().decompress((folder / "out").read_bytes())
        (tmp_path / "plain").write_bytes(plain)
    else:
        (tmp_path / "plain").write_bytes((folder / "out").read_bytes())
    with tarfile.open(tmp_path / "plain") as packed:
        assert packed.extractfile("src/a.txt").read() == (sources / "a.txt").read_bytes()
        assert packed.getmember("src/link").linkname == "deep/er/data.bin"


def test_the_same_files_make_the_same_archive(work, folder, sources):
    for kind in ("zip", "tar.gz", "tar.zst"):
        create(work, f"one.{kind}", ["src"], kind, overwrite=False)
        create(work, f"two.{kind}", ["src"], kind, overwrite=False)
        assert (folder / f"one.{kind}").read_bytes() == (folder / f"two.{kind}").read_bytes()


def test_the_format_is_told_by_content_and_not_by_name(work, folder):
    (folder / "a.zip").write_bytes(gzip.compress(tar(header("x", b"1"))))
    assert list_members(work, "a.zip")["format"] == "tar.gz"
    (folder / "b.tar").write_bytes(zipped(("x", b"1")))
    assert list_members(work, "b.tar")["format"] == "zip"
    (folder / "program").write_bytes(b"#!/bin/sh\nexit\n" * 90 + zipped(("x", b"1")))
    assert extract(work, "program", Wanted("out"))["files"] == 1


def test_a_new_archive_is_what_its_name_says():
    names = {"a.zip": "zip", "A.TGZ": "tar.gz", "x.tar.zst": "tar.zst", "b.txz": "tar.xz"}
    assert {name: by_name(name) for name in names} == names
    with pytest.raises(ToolError, match="does not say which format"):
        by_name("archive")


def test_a_single_compressed_file_is_unpacked_too(work, folder):
    (folder / "notes.txt.gz").write_bytes(gzip.compress(b"some text") + gzip.compress(b" more"))
    assert "total_size" not in list_members(work, "notes.txt.gz")  # nobody knows before
    assert extract(work, "notes.txt.gz", Wanted("out"))["format"] == "gz"
    assert tree(folder / "out") == {"notes.txt": b"some text more"}


def test_existing_files_are_replaced_only_when_asked(work, folder):
    (folder / "a.tar").write_bytes(tar(header("x/one", b"new"), header("x/two", b"new")))
    (folder / "x").mkdir()
    (folder / "x/two").write_text("old")
    with pytest.raises(ToolError) as refused:
        extract(work, "a.tar", Wanted("."))
    assert (refused.value.code, refused.value.extra) == ("exists", {"in_the_way": ["x/two"]})
    assert tree(folder / "x") == {"two": b"old"}
    assert extract(work, "a.tar", Wanted(".", overwrite=True))["replaced"] == 1
    assert tree(folder / "x") == {"one": b"new", "two": b"new"}


def test_a_link_in_the_destination_is_never_written_through(work, folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("theirs")
    (folder / "out").mkdir()
    (folder / "out/sub").symlink_to(outside)
    (folder / "out/f").symlink_to(outside / "f")
    (folder / "a.tar").write_bytes(tar(header("sub/x", b"mine")))
    (folder / "b.tar").write_bytes(tar(header("f", b"mine")))
    with pytest.raises(ToolError, match="is there already as something else"):
        extract(work, "a.tar", Wanted("out", overwrite=True))
    extract(work, "b.tar", Wanted("out", overwrite=True))
    assert tree(outside) == {"f": b"theirs"}
    assert tree(folder / "out") == {"f": b"mine", "sub": f"-> {outside}"}


def test_a_folder_in_the_way_of_a_file_is_never_replaced(work, folder):
    (folder / "x").mkdir()
    (folder / "a.tar").write_bytes(tar(header("x", b"1")))
    with pytest.raises(ToolError, match="something else"):
        extract(work, "a.tar", Wanted(".", overwrite=True))


def test_set_user_bits_are_dropped_and_hard_links_stay(work, folder):
    (folder / "a.tar").write_bytes(tar(header("f", b"1", mode=0o6755), twin("g", "f")))
    extract(work, "a.tar", Wanted("out"))
    assert stat.S_IMODE((folder / "out/f").stat().st_mode) == 0o755
    assert (folder / "out/f").samefile(folder / "out/g")


def test_the_last_of_two_entries_of_one_name_counts(work, folder):
    (folder / "a.tar").write_bytes(
        tar(header("f", b"1"), link("g", "f"), header("f", b"2"), header("g", b"3"))
    )
    extract(work, "a.tar", Wanted("out"))
    assert tree(folder / "out") == {"f": b"2", "g": b"3"}


def test_names_that_are_no_text_are_kept(work, folder):
    odd = [b"line\nbreak", b"\xff\xfe bytes", b"-rf", b"*", b"tab\t"]
    (folder / "a.tar").write_bytes(tar(*(header(os.fsdecode(name), b"1") for name in odd)))
    extract(work, "a.tar", Wanted("out"))
    assert sorted(os.listdir(os.fsencode(folder / "out"))) == sorted(odd)
    names = [entry["name"] for entry in list_members(work, "a.tar")["entries"]]
    assert names[:2] == ["line\nbreak", "\\xff\\xfe bytes"]


def test_only_what_is_named_is_unpacked(work, folder):
    packed = [header(name, b"1") for name in ("a/x.py", "a/y.txt", "b/x.py", "c")]
    (folder / "a.tar").write_bytes(tar(*packed))
    extract(work, "a.tar", Wanted("one", ("a",)))
    extract(work, "a.tar", Wanted("two", ("*.py", "c")))
    assert tree(folder / "one") == {"a": None, "a/x.py": b"1", "a/y.txt": b"1"}
    assert [name for name, data in tree(folder / "two").items() if data] == [
        "a/x.py",
        "b/x.py",
        "c",
    ]
    with pytest.raises(ToolError, match="nothing in the archive is called z"):
        extract(work, "a.tar", Wanted("three", ("z",)))
    assert not (folder / "three").exists()


def test_secrets_are_left_out_unless_they_are_named(work, folder):
    (folder / "src/.ssh").mkdir(parents=True)
    (folder / "src/.ssh/id_rsa").write_text("key")
    (folder / "src/.env").write_text("TOKEN=1")
    (folder / "src/main.py").write_text("1")
    made = create(work, "a.zip", ["src"], "zip", overwrite=False)
    assert made["secrets_left_out"] >= 2
    names = [entry["name"] for entry in list_members(work, "a.zip")["entries"]]
    assert not any(".env" in name or "id_rsa" in name for name in names)
    create(work, "b.zip", ["src/.env"], "zip", overwrite=False)
    assert list_members(work, "b.zip")["total"] == 1


def test_sockets_and_pipes_are_left_out_with_a_note(work, folder):
    (folder / "src").mkdir()
    os.mkfifo(folder / "src/pipe")
    (folder / "src/f").write_text("1")
    made = create(work, "a.tar", ["src"], "tar", overwrite=False)
    assert made["skipped_entries"] == [
        {"name": "src/pipe", "reason": "a socket, a pipe or a device"}
    ]
    assert made["files"] == 1


def test_an_archive_does_not_hold_itself(work, folder):
    (folder / "f").write_text("1")
    create(work, "a.tar", ["."], "tar", overwrite=False)
    create(work, "a.tar", ["."], "tar", overwrite=True)
    assert [entry["name"] for entry in list_members(work, "a.tar")["entries"]] == ["f"]


def test_an_archive_is_replaced_only_when_asked(work, folder):
    (folder / "f").write_text("1")
    (folder / "a.zip").write_text("old")
    with pytest.raises(ToolError, match="it is there already"):
        create(work, "a.zip", ["f"], "zip", overwrite=False)
    assert (folder / "a.zip").read_text() == "old"
    create(work, "a.zip", ["f"], "zip", overwrite=True)
    assert list_members(work, "a.zip")["total"] == 1


def test_nothing_to_pack_and_missing_files_are_errors(work, folder):
    with pytest.raises(InvalidArguments):
        create(work, "a.zip", [], "zip", overwrite=False)
    with pytest.raises(ToolError, match="no such file"):
        create(work, "a.zip", ["nowhere"], "zip", overwrite=False)
    with pytest.raises(ToolError, match="no such file"):
        extract(work, "nowhere.zip", Wanted())
    assert list(folder.iterdir()) == []


def test_every_path_that_is_unpacked_is_judged(files, folder):
    judged = []

    def check(verb, path, is_sole=False):
        judged.append((verb, path))
        if path.endswith("forbidden"):
            raise Denied("no")

    work = files.at(Caller(folder, check=check))
    (folder / "a.tar").write_bytes(
        tar(tar_folder("d"), header("d/x", b"1"), link("d/l", "x"), twin("d/t", "d/x"))
    )
    extract(work, "a.tar", Wanted("out"))
    written = {path for verb, path in judged if verb == "write"}
    assert {str(folder / "out" / name) for name in ("d", "d/x", "d/l", "d/t")} <= written
    (folder / "b.tar").write_bytes(tar(header("fine", b"1"), header("forbidden", b"1")))
    with pytest.raises(Denied):
        extract(work, "b.tar", Wanted("other"))
    assert sorted(path.name for path in folder.iterdir()) == ["a.tar", "b.tar", "out"]


def test_what_may_not_be_read_is_not_packed(files, folder):
    def check(verb, path, is_sole=False):
        if path.endswith("private"):
            raise Denied("no")

    (folder / "src").mkdir()
    (folder / "src/private").write_text("1")
    (folder / "src/public").write_text("1")
    work = files.at(Caller(folder, check=check))
    made = create(work, "a.tar", ["src"], "tar", overwrite=False)
    assert (made["files"], made["skipped"]) == (1, 1)


def test_a_cancelled_call_leaves_nothing(files, folder):
    caller = Caller(folder)
    work = files.at(caller)
    (folder / "f").write_text("1")
    create(work, "a.tar", ["f"], "tar", overwrite=False)
    caller.cancelled = True
    with pytest.raises(ToolError, match="cancelled"):
        extract(work, "a.tar", Wanted("out"))
    with pytest.raises(ToolError, match="cancelled"):
        create(work, "b.tar", ["f"], "tar", overwrite=False)
    assert sorted(path.name for path in folder.iterdir()) == ["a.tar", "f"]


def test_a_folder_that_takes_nothing_is_named_and_let_go_of(work, folder, sources, monkeypatch):
    create(work, "a.zip", ["src"], "zip", overwrite=False)
    real = os.open

    def refuse(path, *more, **options):
        if str(path).endswith(TEMPORARY):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return real(path, *more, **options)

    def cannot(path, *more, **options):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    before = sorted(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ToolError, match=f"^{folder}/b.zip: the file system is read-only"):
        create(work, "b.zip", ["src"], "zip", overwrite=False)
    monkeypatch.setattr(os, "open", real)
    monkeypatch.setattr(os, "mkdir", cannot)
    with pytest.raises(ToolError, match=f"^{folder}: the file system is read-only"):
        extract(work, "a.zip", Wanted("."))
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_listing_is_cut_and_says_so(work, folder):
    (folder / "a.tar").write_bytes(tar(*(header(f"f{n}", b"12") for n in range(1_500))))
    listed = list_members(work, "a.tar")
    assert (len(listed["entries"]), listed["total"], listed["truncated"]) == (1_000, 1_500, True)
    assert listed["total_size"] == 3_000


def test_limits_count_what_comes_out(work, folder):
    (folder / "a.tar.gz").write_bytes(gzip.compress(tar(header("zeros", bytes(5 << 20)))))
    (folder / "a.zip").write_bytes(zipped(("zeros", bytes(5 << 20))))
    for name in ("a.tar.gz", "a.zip"):
        for limits in (Limits(bytes=1 << 20), Limits(ratio=10, ratio_from=1 << 20)):
            with pytest.raises(ToolError) as refused:
                extract(work, name, Wanted("out"), limits)
            assert refused.value.code == "archive_too_large"
        with pytest.raises(ToolError, match="entries"):
            extract(work, name, Wanted("out"), Limits(entries=0))
    assert sorted(path.name for path in folder.iterdir()) == ["a.tar.gz", "a.zip"]


def test_what_unpacking_changes_is_kept_first(work, folder):
    told = []

    class Keeping:
        def begin(self, caller, changes, *, is_local):
            told.append([(change.path, change.before, change.after) for change in changes])
            assert not (folder / "new").exists()
            return "name"

        def secure(self, name):
            told.append((name, "secured"))
            assert not (folder / "new").exists()

        def end(self, name, *, is_done):
            told.append((name, is_done))

    (folder / "old").write_text("before")
    (folder / "a.tar").write_bytes(tar(header("old", b"after"), header("new", b"1")))
    extract(work._replace(keeper=Keeping()), "a.tar", Wanted(".", overwrite=True))
    assert told == [
        [(str(folder / "old"), b"before", b"after"), (str(folder / "new"), None, b"1")],
        ("name", "secured"),
        ("name", True),
    ]
