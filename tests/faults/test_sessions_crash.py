import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.base.messages import Message, ToolCall
from hermes.runtime.journal import Journal, database
from hermes.services.sessions import Sessions

CHILD = Path(__file__).with_name("sessions_child.py")


def start(home, name):
    command = [sys.executable, str(CHILD), str(home), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def kill_after(child, lines):
    """Read that many acknowledgements, kill, and return all that were given."""
    stream = child.stdout
    told = [stream.readline() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    told += stream.readlines()
    child.wait(10)
    stream.close()
    return [line.decode().rstrip("\n") for line in told if line.endswith(b"\n")]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.proves("session-durable")
def test_nothing_acknowledged_is_lost_when_processes_are_killed(tmp_path, seed):
    chance = random.Random(seed)
    pair = {name: start(tmp_path, name) for name in "ab"}
    told = {name: kill_after(child, chance.randrange(2, 120)) for name, child in pair.items()}
    sessions = Sessions(tmp_path / "state.db")
    for name, lines in told.items():
        began, *kept = lines
        session = sessions.resume(began.removeprefix("began "))
        every = [message.text for message in session.all_messages()]
        said = [text for text in every if not text.startswith("s ")]
        acknowledged = [line.removeprefix("kept ") for line in kept]
        assert said[: len(acknowledged)] == acknowledged
        assert len(said) - len(acknowledged) <= 1
        facts = session.facts()
        assert facts.messages == len(every)
        hits = sessions.search(f'"u {name} 1"', limit=1).hits
        assert [hit.session.id for hit in hits] == ([session.id] if said else [])
        is_answered(session.messages())
    sessions.close()
    with sqlite3.connect(tmp_path / "state.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for table in ("session_words", "session_trigrams"):
            database.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
    database.close()


def is_answered(messages):
    """Hold a conversation against what every provider demands."""
    waiting = []
    for message in messages:
        if message.role == "tool":
            assert message.call_id == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call.id for call in message.calls]
    assert waiting == []


@pytest.mark.proves("session-maybe-done")
def test_a_call_that_a_kill_cut_off_may_have_been_done(tmp_path):
    sessions = Sessions(tmp_path / "state.db")
    session = sessions.start()
    calls = (ToolCall("1", "pay", {}), ToolCall("2", "pay", {}))
    session.add(Message("user", "pay both"))
    session.add(Message("assistant", calls=calls))
    session.add(Message("tool", "paid", call_id="1", name="pay"))
    sessions.close()  # and the process that paid is gone
    again = Sessions(tmp_path / "state.db").resume(session.id)
    *_, first, second = again.messages()
    assert (first.text, first.call_id) == ("paid", "1")
    assert (second.role, second.call_id, second.name) == ("tool", "2", "pay")
    assert "may have been done" in second.text
    before = again.messages()
    again.add(Message("user", "go on"))
    assert again.messages() == (*before, Message("user", "go on"))
    is_answered(again.messages())


def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path):
    sessions = Sessions(tmp_path / "state.db")
    session = sessions.start()
    session.add(Message("user", "kept"))
    with sessions._database.writing() as connection:
        connection.execute("SELECT 1")
    connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(Exception, match="full") as told:
        session.add(Message("user", "x" * 1_000_000))
    assert "make room" in told.value.hint
    assert session.messages() == (Message("user", "kept"),)
    sessions.close()


@pytest.mark.proves("session-salvage")
def test_a_damaged_file_costs_no_more_than_what_is_damaged(tmp_path, caplog):
    sessions, journal = Sessions(tmp_path / "state.db"), Journal(tmp_path / "state.db")
    journal.intend(("c1", "t", "python", "tool", {}, (), "allow", 1.0)).result(20)
    journal.close()
    session = sessions.start(title="Kept", system="S")
    for number in range(300):
        session.add(Message("user", f"message {number} " + "x" * 200))
    sessions.close()
    data = bytearray((tmp_path / "state.db").read_bytes())
    middle = len(data) * 2 // 3 // 4096 * 4096
    data[middle : middle + 8192] = b"\xff" * 8192
    (tmp_path / "state.db").write_bytes(data)
    database.set_aside(tmp_path / "state.db", "a test")
    assert list(tmp_path.glob("state.db.corrupt-*"))
    assert [facts.title for facts in Sessions(tmp_path / "state.db").list()] == ["Kept"]
    again = sessions.start(title="New")
    found = sessions.resume("Kept")
    texts = [message.text.split()[1] for message in found.all_messages()]
    assert texts == [str(number) for number in range(len(texts))]
    assert len(texts) > 30
    assert found.facts().messages == len(texts)
    assert [hit.session.id for hit in sessions.search("message 7").hits] == [found.id]
    assert again.id != found.id
    assert "brought back" in caplog.text
    sessions.close()
    assert len(Sessions(tmp_path / "state.db").list()) == 2
