import contextlib
import os

from hermes.services.checkpoints import Checkpoints
from hermes.services.checkpoints.model import ABSENT, Checkpoint, Entry, State
from hermes.services.checkpoints.notes import ENDING


def noted(keeper, name, path):
    made = Checkpoint(
        name, 1.0, "task", "", "write_file", "/", entries=(Entry(str(path), ABSENT, State("file")),)
    )
    return keeper.store.begin(made)


def test_what_a_dead_process_noted_in_a_folder_that_was_quiet_is_taken_over(tmp_path, folder):
    home = tmp_path / "home" / "checkpoints"
    with contextlib.closing(Checkpoints(home)) as keeper:
        keeper.end(noted(keeper, "first", folder / "a"), is_done=True)
        os.utime(home / "open", (0, 0))  # nothing came or went for long
        keeper.end(noted(keeper, "second", folder / "a"), is_done=True)
        with contextlib.closing(Checkpoints(tmp_path / "elsewhere")) as other:
            noted(other, "theirs", folder / "b")
        (left,) = (tmp_path / "elsewhere" / "open").glob(f"*{ENDING}")
        left.rename(home / "open" / left.name)
        keeper.end(noted(keeper, "third", folder / "a"), is_done=True)
        assert not (home / "open" / left.name).exists()


def test_a_note_on_a_name_that_is_no_text_is_read_as_it_was(tmp_path, folder):
    path = os.fsdecode(bytes(folder) + b"/\xff")
    with contextlib.closing(Checkpoints(tmp_path / "home" / "checkpoints")) as keeper:
        keeper.end(noted(keeper, "odd", path), is_done=True)
        (found,) = keeper.store.all()
    assert [entry.path for entry in found.entries] == [path]
