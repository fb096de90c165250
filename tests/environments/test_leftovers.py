"""Folders of a killed hermes are removed by the next one; those of a living one never."""

import subprocess
import sys
from pathlib import Path

from hermes.environments import leftovers

MAKE = """
import sys
from hermes.environments import leftovers
print(leftovers.make("shell", sys.argv[1]))
"""


def test_the_folder_of_a_process_that_is_gone_is_removed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", MAKE, str(tmp_path)], capture_output=True, text=True, check=True
    )
    left = Path(done.stdout.strip())
    (left / "state").write_text("kept")
    assert leftovers.sweep(str(tmp_path)) == [left.name]
    assert list(tmp_path.iterdir()) == []


def test_folders_of_the_living_and_of_others_stay(tmp_path):
    mine = Path(leftovers.make("task", str(tmp_path)))
    elsewhere = tmp_path / "hermes-shell-1-999999999-5-abc"
    named_alike = tmp_path / "hermes-shell-important"
    for folder in (elsewhere, named_alike):
        folder.mkdir()
    assert leftovers.sweep(str(tmp_path)) == []
    assert sorted(tmp_path.iterdir()) == sorted([mine, elsewhere, named_alike])


def test_a_folder_is_private(tmp_path):
    assert Path(leftovers.make("shell", str(tmp_path))).stat().st_mode & 0o777 == 0o700
