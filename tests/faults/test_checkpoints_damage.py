"""A store that was damaged: bad parts are set aside with a message, good ones are kept."""

import contextlib
import os
import random
import sqlite3
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from checkpoints_world import NEW, OLD, World, one_file, several_files

from hermes.base.errors import HermesError
from hermes.services.checkpoints.blobs import Lost
from hermes.services.checkpoints.notes import Notes, parse
from hermes.services.files.changing import Step


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    one_file(world)
    world.change(Step("c", OLD, NEW))
    world.change(Step("d", OLD, b"third"))
    return world


def moved(world):
    """Have everything in contents and database, and nothing in notes."""
    with contextlib.closing(world.keeper()) as keeper:
        keeper.store.recover()
        keeper.store.move()
    for path in (world.home / "open").iterdir():
        path.unlink()


def known(world):
    with contextlib.closing(world.keeper()) as keeper:
        return [Path(one.entries[-1].path).name for one in keeper.store.all()]


def notes_of(world):
    return next((world.home / "open").glob("*.notes"))


@pytest.mark.proves("checkpoint-damage")
def test_a_damaged_note_is_set_aside_and_the_others_are_kept(world, caplog):
    path = notes_of(world)
    data = bytearray(path.read_bytes())
    second = parse(bytes(data)).notes[2]
    data[second.at - 20] ^= 0xFF
    path.write_bytes(data)
    assert known(world) == ["d", "a"]
    assert f"part of {path} cannot be read; set aside as" in caplog.text
    assert [each.suffix for each in (world.home / "open").iterdir()] == [".damaged"]
    one_file_again = Step("a", NEW, OLD)
    world.change(one_file_again)
    assert known(world) == ["a", "d", "a"]


def test_a_note_cut_short_is_nothing_to_speak_of(world):
    path = notes_of(world)
    last = parse(path.read_bytes()).notes[-1]
    os.truncate(path, last.at - 5)
    assert len(known(world)) == 3  # its end is lost, and the file tells that it was done


@pytest.mark.proves("checkpoint-damage")
def test_a_damaged_content_is_set_aside_and_named(world, caplog):
    world.change(Step("a", NEW, b"last"))
    moved(world)
    with contextlib.closing(world.keeper()) as keeper:
        digest = keeper.store.all()[0].entries[0].before.digest
        path = Path(keeper.store.blobs.find(digest))
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.raises(Lost, match="set aside"):
            keeper.store.blobs.read(digest)
    assert path.with_name(f"{path.name}.damaged").exists()
    assert "is damaged; set aside as" in caplog.text
    with pytest.raises(HermesError, match="not kept any more"):
        world.undo()
    assert (world.folder / "a").read_bytes() == b"last"
    assert len(known(world)) == 4


def garbage(path):
    path.write_bytes(random.Random(1).randbytes(9_000))


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def no_table(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript("DROP TABLE checkpoints")


@pytest.mark.proves("checkpoint-damage")
@pytest.mark.parametrize("damage", [garbage, cut])
def test_a_damaged_list_is_set_aside_and_work_goes_on(world, damage, caplog):
    moved(world)
    damage(world.home / "checkpoints.db")
    world.change(Step("a", NEW, OLD))
    assert known(world)[0] == "a"
    assert "checkpoints.db is damaged" in caplog.text
    assert len(list(world.home.glob("checkpoints.db.corrupt-*"))) >= 1


def test_rows_before_the_damage_are_kept(tmp_path):
    world = World(tmp_path)
    before = OLD
    for number in range(150):
        after = b"%d" % number
        world.change(Step("a", before, after))
        before = after
    moved(world)
    cut(world.home / "checkpoints.db")
    assert 20 < len(known(world)) < 150


def test_a_row_that_makes_no_sense_is_left_out_and_told(world, caplog):
    moved(world)
    with contextlib.closing(sqlite3.connect(world.home / "checkpoints.db")) as database:
        database.execute("UPDATE checkpoints SET record = '[1, 2]' WHERE rowid = 2")
        database.commit()
    assert len(known(world)) == 2
    assert "cannot be read" in caplog.text


def test_a_list_of_a_newer_hermes_is_not_touched(world):
    moved(world)
    with contextlib.closing(sqlite3.connect(world.home / "checkpoints.db")) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(HermesError, match="version 99") as error:
        known(world)
    assert "Upgrade" in error.value.hint


@pytest.mark.parametrize("seed", range(20))
def test_any_flipped_bits_of_notes_cost_no_file_and_no_start(tmp_path, seed):
    chance = random.Random(seed)
    world = World(tmp_path)
    several_files(world)
    one = world.held()
    path = notes_of(world)
    data = bytearray(path.read_bytes())
    for _ in range(5):
        data[chance.randrange(70_000)] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    assert world.recovered() == one
    world.change(Step("later", None, b"x"))
    assert known(world)[0] == "later"


@pytest.mark.parametrize("content", [b"", b"hckp", b"hckp" * 1_000, bytes(100), b"\xff" * 5_000])
def test_notes_of_garbage_are_harmless(tmp_path, content):
    world = World(tmp_path)
    folder = world.home / "open"
    folder.mkdir(parents=True)
    (folder / "1-aa.notes").write_bytes(content)
    one_file(world)
    assert known(world) == ["a"]


def test_the_room_of_notes_is_used_again_and_old_notes_are_not_believed(tmp_path):
    notes = Notes.create(tmp_path)
    for number in range(5):
        notes.add(["old", number], [b"x" * 100])
    notes.clear()
    notes.add(["new", 1], [b"y" * 10])
    notes.close()
    again = Notes.take(notes.path)
    assert [note.value for note in again.found] == [["new", 1]]
    assert again.contents(again.found[0]) == [b"y" * 10]
    assert not again.is_damaged
    again.close()
