import os
import shutil
import subprocess

import pytest

from hermes.base.errors import ToolError
from hermes.environments.inside.listing import Order
from hermes.services.files.listing import show, size


@pytest.fixture
def look(work):
    def look(path=".", **order):
        return show(work, path, Order("", **order))

    return look


@pytest.fixture
def put(folder):
    def put(*names, content=""):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)

    return put


def test_a_tree_has_sizes_kinds_and_targets(look, put, folder):
    put("d/a", content="x" * 1_234)
    put(".hidden")
    (folder / "link").symlink_to("d/a")
    os.mkfifo(folder / "pipe")
    assert look(depth=3)["tree"] == "d/\n  a  1.2 kB\nlink -> d/a\npipe  (special)"
    assert look(hidden=True)["tree"].splitlines()[0] == ".hidden  0 B"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("f", "f: it is a file, not a folder"),
        ("f/x", "f/x: a part of the path is a file, not a folder"),
    ],
)
def test_what_is_no_folder_is_told(look, put, path, said):
    put("f")
    with pytest.raises(ToolError) as refused:
        look(path)
    assert (refused.value.message, refused.value.code) == (said, "not_a_folder")


def test_one_level_is_enough_unless_more_is_wanted(look, put):
    put("d/e/a", "b")
    assert look()["tree"] == "b  0 B\nd/"
    assert look(depth=2)["tree"] == "b  0 B\nd/\n  e/"


def test_what_is_left_out_is_counted_where_it_is(look, put):
    put(*(f"d/{n:03}" for n in range(100)), "a", "z")
    answer = look(depth=2, most=5)
    assert answer["tree"] == ("a  0 B\nd/\n  000  0 B\n  001  0 B\n  … 98 more\nz  0 B")
    assert (answer["total"], answer["truncated"]) == (103, True)
    assert look(most=1)["tree"] == "a  0 B\n… 2 more"


def test_a_pattern_keeps_files_and_the_folders_above_them(look, put):
    put("a.py", "b.md", "d/c.py", "e/f.md", "d/g/h.md")
    assert look(depth=5, glob="*.py")["tree"] == "a.py  0 B\nd/\n  c.py  0 B"
    assert look(depth=5, glob="d/**")["tree"] == "d/\n  c.py  0 B\n  g/\n    h.md  0 B"
    assert look(depth=5, glob="*.rs") == {
        "tree": "", "files": 0, "folders": 0, "total": 0, "truncated": False,
    }  # fmt: skip
    with pytest.raises(ToolError, match="wrong way round"):
        look(glob="[z-a]")


def test_the_largest_or_newest_come_first(look, put, folder):
    put("small", content="x")
    put("large", content="x" * 99)
    os.utime(folder / "small", (2_000_000_000, 2_000_000_000))
    os.utime(folder / "large", (1_000_000_000, 1_000_000_000))
    assert look(sort="size")["tree"] == "large  99 B\nsmall  1 B"
    assert look(sort="modified", most=1)["tree"] == "small  1 B  2033-05-18 03:33Z\n… 1 more"


def test_odd_names_stay_on_their_line(look, put):
    put("new\nline", "raw\udcff")
    assert look()["tree"] == "'new\\nline'  0 B\n'raw\\udcff'  0 B"


def test_a_file_is_no_folder(look, put):
    put("a")
    with pytest.raises(ToolError) as caught:
        look("a")
    assert caught.value.hint == "Use read_file to see what is in it."
    with pytest.raises(ToolError, match="no such file"):
        look("nowhere")


def test_when_the_time_is_up_less_is_told_as_such(look, put):
    put("d/a")
    answer = look(depth=5, seconds=-1.0)
    assert (answer["truncated"], "total" in answer) == (True, False)


def git(folder, *words):
    settings = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(folder, put):
    if shutil.which("git") is None:
        pytest.skip("needs git (apt package git)")
    git(folder, "init", "-q")
    put("d/same", "d/changed", "gone")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    (folder / "d/changed").write_text("changed")
    (folder / "d/new").write_text("new")
    (folder / "staged").write_text("staged")
    git(folder, "add", "staged")
    return folder


def test_git_marks_what_changed(look, repository):
    assert look(depth=2)["tree"] == (
        "d/  [•]\n  changed  7 B  [M]\n  new  3 B  [?]\n  same  0 B\ngone  0 B\nstaged  6 B  [A]"
    )
    assert look("d")["tree"] == "changed  7 B  [M]\nnew  3 B  [?]\nsame  0 B"


def test_no_program_of_a_repository_runs(look, repository, tmp_path):
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process", "core.sshCommand"):
        git(repository, "config", key, str(trap))
    (repository / ".gitattributes").write_text("* filter=evil\n")
    assert "[M]" in look(depth=2)["tree"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (12_345, "12 kB"), (5_400_000, "5.4 MB"),
     (10**12, "1.0 TB"), (10**20, "100000 PB")],
)  # fmt: skip
def test_sizes_are_written_as_people_do(count, text):
    assert size(count) == text
