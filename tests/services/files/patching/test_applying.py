"""A patch of several files is done whole or not at all, and says what it did."""

import errno
import os
import stat

import pytest

from hermes.services.files.local_disk import LocalDisk

TWO = """\
*** Begin Patch
*** Update File: a.txt
@@
-a
+A
*** Add File: new.txt
+new
*** Delete File: gone.txt
*** Update File: b.txt
@@
-b
+B
*** End Patch
"""


class Failing(LocalDisk):
    """A disk on which one write fails as a system call would."""

    fails_at = ("", 0)

    def write(self, path, data, manner="overwrite", *, mode=None, **more):
        name, number = self.fails_at
        if path == name:
            raise OSError(number, os.strerror(number), path)
        return super().write(path, data, manner, mode=mode, **more)

    def remove(self, path):
        name, number = self.fails_at
        if path == name:
            raise OSError(number, os.strerror(number), path)
        return super().remove(path)


@pytest.mark.proves("patch-all-or-none")
@pytest.mark.parametrize("name", ["a.txt", "new.txt", "b.txt", "gone.txt"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_write_that_fails_takes_back_all_others(folder, name, number):
    for each in ("a", "b", "gone"):
        folder.write(f"{each}.txt", f"{each}\n").chmod(0o640)

    def disk(caller, check):
        failing = Failing(str(folder.root), str(folder.root), check)
        failing.fails_at = (name, number)
        return failing

    folder.files._make_disk = disk
    error = folder.refusal(folder.patch, TWO)
    assert error.code in ("disk_full", "permission_denied", "read_only")
    assert error.hint == "No file was changed."
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.root.iterdir()}
    assert modes == {0o640}


@pytest.mark.proves("patch-all-or-none")
def test_a_place_that_may_not_be_written_stops_the_whole_patch(folder):
    for each in ("a", "b", "gone"):
        folder.write(f"{each}.txt", f"{each}\n")
    folder.refused["write", "b.txt"] = PermissionError(errno.EACCES, "no", "b.txt")
    assert folder.refusal(folder.patch, TWO).code == "permission_denied"


def test_the_answer_says_what_happened_to_each_file(folder):
    for each in ("a", "b", "gone"):
        folder.write(f"{each}.txt", f"{each}\n")
    answer = folder.patch(TWO)
    assert answer["files"] == [
        {"path": "a.txt", "action": "updated", "strategy": "exact", "lines": "1"},
        {"path": "new.txt", "action": "added", "lines": 1},
        {"path": "gone.txt", "action": "deleted"},
        {"path": "b.txt", "action": "updated", "strategy": "exact", "lines": "1"},
    ]
    assert answer["diff"].split("\n")[:5] == [
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -1,1 +1,1 @@",
        "-a",
        "+A",
    ]


def test_a_new_file_over_another_replaces_it_and_says_so(folder):
    folder.write("a.txt", "old\n")
    answer = folder.patch("*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch")
    assert folder.read("a.txt") == b"new\n"
    assert answer["diff"].split("\n")[2:] == ["@@ -1,1 +1,1 @@", "-old", "+new"]
    assert answer["files"][0]["action"] == "replaced"
    assert "replaced" in answer["files"][0]["note"]


def test_every_part_that_does_not_fit_is_told(folder):
    folder.write("a.txt", "a\n")
    error = folder.refusal(
        folder.patch,
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n"
        "*** Delete File: b.txt\n*** End Patch",
    )
    assert [problem["code"] for problem in error.extra["problems"]] == ["no_match", "not_found"]


def test_a_moved_file_keeps_its_mode(folder):
    folder.write("a.sh", "#!/bin/sh\n").chmod(0o755)
    folder.patch("*** Begin Patch\n*** Move File: a.sh -> bin/b.sh\n*** End Patch")
    assert stat.S_IMODE((folder.root / "bin/b.sh").stat().st_mode) == 0o755


def test_a_linked_file_is_patched_through_the_link_and_the_link_is_not_deleted(folder):
    folder.write("a.txt", "a\n")
    os.symlink("a.txt", folder.root / "link")
    folder.patch("*** Begin Patch\n*** Update File: link\n@@\n-a\n+b\n*** End Patch")
    assert folder.read("a.txt") == b"b\n"
    assert os.path.islink(folder.root / "link")
    for text in ("*** Delete File: link", "*** Move File: link -> other"):
        error = folder.refusal(folder.patch, f"*** Begin Patch\n{text}\n*** End Patch")
        assert error.code == "is_link"


def test_two_names_of_one_file_are_one_file(folder):
    folder.write("a.txt", "a\nb\n")
    os.symlink("a.txt", folder.root / "link")
    folder.patch(
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+A\n"
        "*** Update File: link\n@@\n-b\n+B\n*** End Patch"
    )
    assert folder.read("a.txt") == b"A\nB\n"


def test_a_patch_that_was_done_before_says_so(folder):
    folder.write("a.txt", "a\n")
    error = folder.refusal(folder.patch, "*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch")
    assert error.code == "already_done"


@pytest.mark.proves("patch-bytes")
def test_a_file_in_another_encoding_stays_in_it(folder):
    folder.write("a.txt", b"caf\xe9\r\nx\r\nlast")
    folder.patch("*** Begin Patch\n*** Update File: a.txt\n@@\n café\n-x\n+ü\n*** End Patch")
    assert folder.read("a.txt") == b"caf\xe9\r\n\xfc\r\nlast"
    error = folder.refusal(
        folder.patch, "*** Begin Patch\n*** Update File: a.txt\n@@\n-café\n+✅\n*** End Patch"
    )
    assert error.code == "encoding"


def test_a_file_that_somebody_else_changed_is_patched_and_noted(folder):
    path = folder.write("a.txt", "a\n")
    work = folder.work()
    work.log.saw("task", str(path), (1, 2, 3), is_whole=True)
    answer = folder.patch("*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch")
    assert "changed by somebody else" in answer["note"]


def test_new_syntax_errors_are_told_by_file(folder):
    folder.write("a.json", "{}\n")
    answer = folder.patch("*** Begin Patch\n*** Update File: a.json\n@@\n-{}\n+{\n*** End Patch")
    assert list(answer["lint"]) == ["a.json"]


def test_mode_lines_are_noted(folder):
    folder.write("a.sh", "a\n")
    answer = folder.patch(
        "diff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\n"
        "--- a/a.sh\n+++ b/a.sh\n@@ -1 +1 @@\n-a\n+b\n"
    )
    assert answer["files"][0]["note"] == "changes of a file's mode are not made"
