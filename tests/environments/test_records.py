"""What ran when hermes was killed is told once by the next one; what lives is left alone."""

import json
import os
import subprocess
import sys
import time

import pytest

from hermes.environments.records import Records, is_alive, owner


@pytest.fixture
def gone():
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    return [process.pid, 1]


def put(folder, name, **facts):
    (folder / f"{name}.json").write_text(json.dumps(facts))
    (folder / f"{name}.log").write_bytes(b"printed\n")


def test_this_process_is_alive_and_an_earlier_one_of_its_number_is_not():
    assert is_alive(owner())
    assert not is_alive([os.getpid(), 1])


def test_a_process_that_is_gone_is_not_alive(gone):
    assert not is_alive(gone)


def test_a_command_of_the_living_is_not_orphaned(tmp_path):
    records = Records(tmp_path)
    records.write("proc_1", {"command": "sleep", "started": time.time()})
    assert records.orphaned() == []
    assert (tmp_path / "proc_1.json").exists()
    records.remove("proc_1")
    records.remove("proc_1")
    assert list(tmp_path.iterdir()) == []


def test_a_command_of_the_dead_is_told_once_with_its_last_words(tmp_path, gone):
    started = time.time()
    put(tmp_path, "proc_2", command="serve", started=started, owner=gone)
    records = Records(tmp_path)
    assert records.orphaned() == [
        {
            "command": "serve",
            "started": started,
            "owner": gone,
            "id": "proc_2",
            "output": b"printed\n",
        }
    ]
    assert records.orphaned() == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_long_past_is_removed_and_not_told(tmp_path, gone):
    put(tmp_path, "proc_3", command="old", started=1.0, owner=gone)
    assert Records(tmp_path).orphaned() == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        "{}",
        '{"owner": 5, "started": 1}',
        '{"owner": [1], "started": 1}',
        '{"owner": ["a", 2], "started": 1}',
        '{"owner": [1, 2], "started": "now"}',
        '{"owner": null, "started": 1}',
        '{"owner": [1, 2], "started": NaN}',
        '{"owner": [99999999999999999999999, 2], "started": 1}',
        '{"owner": [-1, 2], "started": 1}',
        '{"owner": [0, 2], "started": 1}',
        "\udcff",
        "[" * 100_000,
    ],
)
def test_a_record_that_cannot_be_read_goes(tmp_path, text):
    (tmp_path / "bad.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "bad.log").write_bytes(b"x")
    assert Records(tmp_path).orphaned() == []
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_private(tmp_path):
    Records(tmp_path / "new").write("one", {"started": 1.0})
    assert (tmp_path / "new" / "one.json").stat().st_mode & 0o777 == 0o600
