import contextlib
import gzip
import io
import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.services.files.archive_samples import (
    LEFT_OUT,
    REFUSED,
    folder,
    header,
    link,
    raw_zip,
    tar,
    twin,
    zipped,
)
from tests.services.files.conftest import Caller

from hermes.base.errors import ToolError
from hermes.services.files import Files
from hermes.services.files.archives.packing import create
from hermes.services.files.archives.streams import encoder, zstd
from hermes.services.files.archives.unpacking import Wanted, extract, list_members
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.local_disk import LocalDisk


def worked_on(top):
    """A task's folder with a secret outside of it, and what works there."""
    (top / "work/in").mkdir(parents=True)
    (top / "outside").mkdir()
    (top / "outside/secret").write_text("secret")
    files = Files(
        lambda caller, check: LocalDisk(str(caller.cwd), str(top / "home"), check),
        leftovers=Leftovers(top / "unfinished"),
    )
    return files.at(Caller(top / "work/in"))


def everything(top):
    """All paths below a folder, and what is in them."""
    return {
        str(path.relative_to(top)): path.read_bytes()
        if path.is_file() and not path.is_symlink()
        else None
        for path in top.rglob("*")
    }


@pytest.mark.proves("archive-confined")
@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_archive_is_refused_and_leaves_nothing(tmp_path, name):
    work = worked_on(tmp_path)
    (tmp_path / "work/in/archive").write_bytes(REFUSED[name])
    (tmp_path / "unfinished").mkdir()
    before = everything(tmp_path)
    for destination in (".", "new", "new/er"):
        with pytest.raises(ToolError):
            extract(work, "archive", Wanted(destination, overwrite=True))
        assert everything(tmp_path) == before


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_leads_out_or_is_no_file_is_left_out_and_told(tmp_path, name):
    work = worked_on(tmp_path)
    (tmp_path / "work/in/archive").write_bytes(LEFT_OUT[name])
    got = extract(work, "archive", Wanted("new"))
    assert got["skipped"] == 1
    assert got["skipped_entries"][0]["name"].rpartition("/")[2] == "l"
    assert (tmp_path / "work/in/new/ok").read_bytes() == b"1"
    assert not (tmp_path / "work/in/new/l").is_symlink()
    assert (tmp_path / "outside/secret").read_text() == "secret"


def test_the_tables_hold_at_least_forty_kinds():
    assert len(REFUSED) + len(LEFT_OUT) >= 60


def test_links_within_the_archive_work(tmp_path):
    work = worked_on(tmp_path)
    (tmp_path / "work/in/archive").write_bytes(
        tar(folder("a/b"), header("f", b"1"), link("a/b/l", "../../f"), link("a/d", "b/l"))
    )
    assert "skipped" not in extract(work, "archive", Wanted("new"))
    assert (tmp_path / "work/in/new/a/d").read_bytes() == b"1"


def test_a_folder_that_becomes_a_link_while_unpacking_is_not_followed(tmp_path):
    """Somebody swaps a folder of the destination for a link, at every moment there is a check."""
    for moment in range(12):
        top = tmp_path / str(moment)
        work = worked_on(top)
        inside = top / "work/in"
        (inside / "sub").mkdir()
        (inside / "archive").write_bytes(
            tar(header("sub/one", b"1"), header("sub/two", b"2"), header("three", b"3"))
        )
        count = 0

        def check(verb, path, inside=inside, top=top, moment=moment, **_):
            nonlocal count
            count += 1
            if count == moment + 1 and not (inside / "sub").is_symlink():
                (inside / "sub").rename(inside / "moved")
                (inside / "sub").symlink_to(top / "outside")

        files = Files(lambda caller, check: LocalDisk(str(caller.cwd), "/", check))
        with_check = files.at(Caller(inside, check=check))
        with contextlib.suppress(ToolError):
            extract(with_check, "archive", Wanted(".", overwrite=True))
        assert os.listdir(top / "outside") == ["secret"]
        del work


BOMB_SIZE = 300 << 20


def bomb_of(kind):
    if kind == "zip":
        buffer = io.BytesIO()
        with (
            zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed,
            packed.open("zeros", "w", force_zip64=True) as target,
        ):
            for _ in range(BOMB_SIZE >> 20):
                target.write(bytes(1 << 20))
        return buffer.getvalue()
    packer = encoder(kind)
    parts = [packer.compress(header("zeros", b"", size=BOMB_SIZE)[:512])]
    parts += [packer.compress(bytes(1 << 20)) for _ in range(BOMB_SIZE >> 20)]
    return b"".join([*parts, packer.compress(bytes(1024)), packer.flush()])


@pytest.mark.proves("archive-bounded")
@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"])
def test_a_bomb_is_stopped_and_leaves_nothing(tmp_path, kind):
    work = worked_on(tmp_path)
    (tmp_path / "work/in/bomb").write_bytes(bomb_of(kind))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ToolError) as refused:
        extract(work, "bomb", Wanted("new"))
    assert refused.value.code == "archive_too_large"
    assert os.listdir(tmp_path / "work/in") == ["bomb"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120 << 10


def test_a_note_that_is_a_bomb_is_stopped(tmp_path):
    work = worked_on(tmp_path)
    packer = encoder("tar.gz")
    parts = [packer.compress(header("n", b"", kind=b"L", size=4 << 30)[:512])]
    parts += [packer.compress(bytes(1 << 20)) for _ in range(64)]
    (tmp_path / "work/in/bomb").write_bytes(b"".join([*parts, packer.flush()]))
    with pytest.raises(ToolError, match="larger than any name"):
        list_members(work, "bomb")


def test_archives_in_archives_stay_packed(tmp_path):
    work = worked_on(tmp_path)
    inner = zipped(("zeros", bytes(50 << 20)))
    for _ in range(5):
        inner = zipped(*((f"{n}.zip", inner) for n in range(16)))
    (tmp_path / "work/in/42.zip").write_bytes(inner)
    got = extract(work, "42.zip", Wanted("new"))
    assert got["files"] == 16
    assert got["bytes"] < 10 << 20


def test_entries_that_share_their_bytes_are_refused(tmp_path):
    work = worked_on(tmp_path)
    names = [f"{n:05}".encode() for n in range(5_000)]
    (tmp_path / "work/in/bomb.zip").write_bytes(raw_zip(names, b"x" * 10, offsets=[0] * len(names)))
    with pytest.raises(ToolError, match="shares its bytes"):
        extract(work, "bomb.zip", Wanted("new"))


MANY = """
import resource, sys, tarfile, io, os
from pathlib import Path
from hermes.services.files import Files
from hermes.services.files.archives.unpacking import Wanted, extract
from hermes.services.files.archives.packing import create
from hermes.services.files.local_disk import LocalDisk

class Caller:
    task_id = call_id = "t"; cancelled = False; tool = ""
    cwd = Path(sys.argv[1]); workspace = sys.argv[1]
    def announced(self):
        pass

    def check_path(self, verb, path, is_sole=False): pass

work = Files(lambda caller, check: LocalDisk(str(caller.cwd), "/nonexistent", check)).at(Caller())
kind = sys.argv[2]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
got = extract(work, "many", Wanted("new"))
assert got["files"] == 100_000, got
made = create(work, "again", ["new"], kind, overwrite=False)
assert made["files"] == 100_000, made
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_a_hundred_thousand_entries_are_unpacked_and_packed_in_bounded_memory(tmp_path, kind):
    names = [f"d{n % 100}/f{n}" for n in range(100_000)]
    if kind == "zip":
        with zipfile.ZipFile(tmp_path / "many", "w") as packed:
            for name in names:
                packed.writestr(name, b"1")
    else:
        with gzip.open(tmp_path / "many", "wb", compresslevel=1) as file:
            for name in names:
                file.write(header(name, b"1"))
            file.write(bytes(1024))
    run = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path), kind], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < (200 if kind == "zip" else 100)


SEEDS = [
    zipped(("a/b.txt", b"hello" * 50), ("c", b"x"), ("l", b"c", 0o120777)),
    tar(folder("a"), header("a/b", b"hello" * 200), link("l", "a/b"), twin("t", "a/b")),
    gzip.compress(tar(header("a/b", b"hello" * 200), header("n" * 150, b"1"))),
    zstd().compress(tar(header("a/b", b"hello" * 200))),
]


@st.composite
def mutated(draw):
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 6))):
        if not data:
            break
        at = draw(st.integers(0, len(data) - 1))
        how = draw(st.sampled_from(["set", "cut", "drop", "insert", "repeat", "dotdot"]))
        if how == "set":
            data[at] = draw(st.integers(0, 255))
        elif how == "cut":
            del data[at:]
        elif how == "drop":
            del data[at : at + draw(st.integers(1, 600))]
        elif how == "insert":
            data[at:at] = draw(st.binary(max_size=40))
        elif how == "repeat":
            data[at:at] = data[at : at + draw(st.integers(1, 600))]
        else:
            data[at : at + 6] = b"../../"
    return bytes(data)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
def test_a_damaged_archive_never_breaks_out_or_down(data):
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        work = worked_on(top)
        inside = top / "work/in"
        (inside / "archive").write_bytes(data)
        for act in (
            lambda: list_members(work, "archive"),
            lambda: extract(work, "archive", Wanted("new", overwrite=True)),
        ):
            with contextlib.suppress(ToolError):
                act()
        left = everything(top)
        outside = [path for path in left if not path.startswith("work/in/new")]
        assert sorted(outside) == sorted(
            {"work", "work/in", "work/in/archive", "outside", "outside/secret"}
            | ({"unfinished"} & set(left))
        )
        for path in (inside / "new").rglob("*"):
            if path.is_symlink():
                assert path.resolve().is_relative_to(inside.resolve())


def test_a_packed_tree_that_changes_meanwhile_is_a_whole_archive(tmp_path):
    """A file that shrinks while it is packed does not shift what comes after it."""
    work = worked_on(tmp_path)
    inside = tmp_path / "work/in"
    (inside / "src").mkdir()
    (inside / "src/a").write_bytes(b"a" * 3_000_000)
    (inside / "src/b").write_bytes(b"b" * 10)
    cut = False

    class Shrinking(Caller):
        @property
        def cancelled(self):
            nonlocal cut
            if not cut and any(name.endswith(".hermes-tmp") for name in os.listdir(inside)):
                size = (inside / "src/a").stat().st_size
                cut = size < 3_000_000
                os.truncate(inside / "src/a", 1_000)
            return False

        @cancelled.setter
        def cancelled(self, value):
            pass

    work = work._replace(caller=Shrinking(inside))
    for kind in ("tar", "zip"):
        cut = False
        create(work, f"a.{kind}", ["src"], kind, overwrite=False)
        extract(work, f"a.{kind}", Wanted(f"new-{kind}"))
        assert (inside / f"new-{kind}/src/b").read_bytes() == b"b" * 10
        (inside / "src/a").write_bytes(b"a" * 3_000_000)
