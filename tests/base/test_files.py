import os
import stat

import pytest

from hermes.base.files import private_folder, write_atomic


def test_a_private_folder_and_its_new_parents_are_the_owners_alone(tmp_path):
    folder = private_folder(tmp_path / "a" / "b")
    for path in (folder, folder.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert private_folder(folder) == folder


def test_a_write_replaces_the_whole_content_with_a_private_file(tmp_path):
    file = tmp_path / "f"
    write_atomic(file, "old and long")
    write_atomic(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["f"]


def test_a_write_that_fails_leaves_the_old_content_and_no_litter(tmp_path, monkeypatch):
    file = tmp_path / "f"
    write_atomic(file, "old")

    def fail(_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        write_atomic(file, "new")
    assert file.read_text() == "old" and os.listdir(tmp_path) == ["f"]
