import json
import os
import re
import sqlite3
import subprocess
import sys

import pytest

from hermes.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("HERMES_DEBUG", raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(capsys, *words):
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def calls(capsys):
    """Three calls: two of task a, the last of which failed, and one with an effect."""
    run(capsys, "tool", "call", "sleep", "seconds=0.001", "--task", "a")
    run(capsys, "tool", "call", "sleep", "seconds=soon", "--task", "a")
    run(capsys, "tool", "call", "env_manager", "action=set", "name=COLOUR", "value=red")


def listed(capsys, *words):
    return json.loads(run(capsys, "journal", "list", "--json", *words)[1])


def test_an_empty_journal_is_fine(capsys, home):
    assert run(capsys, "journal", "list") == (0, "", "")
    assert run(capsys, "journal", "tail") == (0, "", "")
    assert run(capsys, "journal", "verify") == (0, "0 records checked: intact\n", "")
    assert not (home / "state.db").exists()


@pytest.mark.usefixtures("calls")
def test_every_call_is_listed_newest_first(capsys):
    found = listed(capsys)
    assert [entry["tool"] for entry in found] == ["env_manager", "sleep", "sleep"]
    assert [entry["status"] for entry in found] == ["ok", "error", "ok"]
    assert {entry["door"] for entry in found} == {"cli"}
    assert found[0]["arguments"] == {"action": "set", "name": "COLOUR", "value": "red"}
    assert found[2]["arguments"] == {"seconds": 0.001}
    assert found[2]["changes"]
    rows = [line.split("\t") for line in run(capsys, "journal", "list")[1].splitlines()]
    assert [row[3] for row in rows] == ["ok", "invalid_arguments", "ok"]


@pytest.mark.usefixtures("calls")
def test_listings_can_be_narrowed(capsys):
    assert len(listed(capsys, "--tool", "sleep")) == 2
    assert len(listed(capsys, "--task", "a")) == 2
    assert [entry["tool"] for entry in listed(capsys, "--status", "error")] == ["sleep"]
    assert len(listed(capsys, "--limit", "1")) == 1
    assert len(listed(capsys, "--since", "10m")) == 3
    assert listed(capsys, "--since", "2100-01-01") == []
    assert listed(capsys, "--status", "maybe-done") == []


@pytest.mark.usefixtures("calls")
def test_one_call_is_shown_by_the_beginning_of_its_id(capsys):
    newest = listed(capsys, "--limit", "1")[0]
    code, out, _ = run(capsys, "journal", "show", newest["call_id"], "--json")
    assert (code, json.loads(out)) == (0, newest)
    lines = run(capsys, "journal", "show", newest["call_id"])[1].splitlines()
    assert "tool\tenv_manager" in lines


def test_a_call_nobody_made_is_told(capsys):
    code, out, err = run(capsys, "journal", "show", "zzz")
    assert (code, out) == (1, "")
    assert "'zzz'" in err


@pytest.mark.usefixtures("calls")
def test_tail_prints_the_oldest_first_one_object_a_line(capsys):
    lines = run(capsys, "journal", "tail", "--limit", "2", "--json")[1].splitlines()
    assert [json.loads(line)["tool"] for line in lines] == ["sleep", "env_manager"]


@pytest.mark.usefixtures("calls")
def test_tail_follows_what_comes(capsys, home):
    follower = subprocess.Popen(
        [sys.executable, "-m", "hermes", "journal", "tail", "-f", "--limit", "1", "--json"],
        stdout=subprocess.PIPE,
        env={**os.environ, "HERMES_HOME": str(home)},
        text=True,
    )
    assert json.loads(follower.stdout.readline())["tool"] == "env_manager"
    run(capsys, "tool", "call", "sleep", "seconds=0.002")
    assert json.loads(follower.stdout.readline())["arguments"] == {"seconds": 0.002}
    follower.terminate()
    follower.communicate(timeout=20)


@pytest.mark.usefixtures("calls")
@pytest.mark.proves("journal-tamper")
def test_a_changed_record_is_found(capsys, home):
    assert run(capsys, "journal", "verify")[0] == 0
    with sqlite3.connect(home / "state.db") as database:
        triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE journal_links SET records = replace(records, 'COLOUR', 'FLAVOUR')")
    database.close()
    code, out, _ = run(capsys, "journal", "verify", "--json")
    proof = json.loads(out)
    assert (code, proof["ok"]) == (1, False)
    assert proof["first_bad"]
    assert "broken" in run(capsys, "journal", "verify")[1]


@pytest.mark.usefixtures("calls")
def test_without_an_id_the_newest_call_is_shown(capsys):
    code, out, _ = run(capsys, "journal", "show", "--json")
    assert (code, json.loads(out)) == (0, listed(capsys, "--limit", "1")[0])


@pytest.mark.usefixtures("calls")
def test_a_script_sees_which_calls_were_repaired_and_whole_times(capsys):
    rows = [line.split("\t") for line in run(capsys, "journal", "list")[1].splitlines()]
    assert [row[7] for row in rows] == ["", "", "repaired"]
    assert [row[0] for row in rows] == [entry["started"] for entry in listed(capsys)]
    assert all(re.fullmatch(r"\d+\.\d ms", row[4]) for row in rows)
