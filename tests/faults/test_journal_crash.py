import contextlib
import errno
import logging
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from hermes.base.errors import HermesError
from hermes.runtime.journal import Journal, recovery
from hermes.runtime.journal import database as journal_database
from hermes.runtime.journal import spool as journal_spool
from hermes.runtime.journal import store as journal_store

CHILD = Path(__file__).with_name("journal_child.py")
ASKED = ("t", "python", "tool", {}, (), "allow", 1.0)
ENDED = (0.1, "ok", None, 1)


def start(home, *arguments, stdout=subprocess.PIPE):
    return subprocess.Popen([sys.executable, str(CHILD), str(home), *arguments], stdout=stdout)


def kill_after(child, lines):
    """Read that many acknowledgements, kill, and return all that were given."""
    stream = child.stdout
    acknowledged = [stream.readline() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    acknowledged += stream.readlines()
    child.wait(10)
    stream.close()
    return {tuple(line.decode().split()) for line in acknowledged if line.endswith(b"\n")}


def recorded(home):
    with sqlite3.connect(home / "state.db") as database:
        rows = database.execute("SELECT kind, call_id FROM journal").fetchall()
    database.close()
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_nothing_acknowledged_is_lost_when_processes_are_killed(tmp_path, seed):
    chance = random.Random(seed)
    acknowledged = set()
    for life in range(2):
        pair = [start(tmp_path, f"{life}{side}") for side in "ab"]
        for child in pair:
            acknowledged |= kill_after(child, chance.randrange(1, 400))
    journal = Journal(tmp_path / "state.db")
    unfinished = {entry.call_id for entry in journal.unfinished()}
    rows = recorded(tmp_path)
    assert acknowledged - set(rows) == set()
    assert len(rows) == len(set(rows))
    assert journal.verify().ok
    intents = {call for kind, call in rows if kind == "intent"}
    outcomes = {call for kind, call in rows if kind == "outcome"}
    assert unfinished == intents - outcomes
    assert {
        entry.call_id for entry in journal.entries(status="maybe done", limit=9999)
    } == unfinished
    assert list((tmp_path / "journal").glob("*.spool")) == []


@pytest.mark.proves("journal-maybe-done")
def test_an_intent_of_a_killed_process_is_maybe_done(tmp_path):
    child = start(tmp_path, "x")
    while child.stdout.readline() != b"intent x-15\n":
        pass
    kill_after(child, 0)
    assert "x-15" in {entry.call_id for entry in Journal(tmp_path / "state.db").unfinished()}


def test_processes_that_write_at_once_share_one_chain(tmp_path):
    children = [start(tmp_path, f"p{n}", "200", stdout=None) for n in range(4)]
    assert [child.wait(50) for child in children] == [0] * 4
    journal = Journal(tmp_path / "state.db")
    assert len(journal.entries(limit=9999)) == 4 * 210
    assert len(set(recorded(tmp_path))) == 4 * 220
    assert journal.verify().ok


def test_a_crash_between_commit_and_reset_doubles_nothing(tmp_path):
    child = start(tmp_path, "x")
    kill_after(child, 3)
    spools = list((tmp_path / "journal").glob("*.spool"))
    saved = [(path, path.read_bytes()) for path in spools]
    store = journal_store.Store(tmp_path / "state.db")
    for spool in recovery.dead_spools(tmp_path / "journal"):
        for batch in spool.batches:
            store.append_batch(spool.origin, batch)
        spool.leave()
    store.close()
    assert [path.read_bytes() for path, _ in saved] == [data for _, data in saved]
    journal = Journal(tmp_path / "state.db")
    journal.entries()
    rows = recorded(tmp_path)
    assert len(rows) == len(set(rows)) >= 3
    assert journal.verify().ok


@pytest.fixture
def journal(tmp_path):
    journal = Journal(tmp_path / "state.db")
    yield journal
    journal.close()


def fill(journal, count=300):
    for n in range(count):
        journal.done((f"c{n}", *ASKED, *ENDED))
        if n % 20 == 0:
            journal.flush()
    journal.close()


def no_space(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_refuses_effects_and_lets_reads_go_on(journal, monkeypatch, caplog):
    monkeypatch.setattr(journal_spool, "_allocate", no_space)
    with caplog.at_level(logging.ERROR):
        for n in range(3):
            journal.done((f"c{n}", *ASKED, *ENDED))
        error = journal.intend(("e", *ASKED)).exception(5)
    assert isinstance(error, HermesError)
    assert "No space left" in str(error)
    assert "No space left" in journal.problem
    assert journal.lost == 3
    assert len(caplog.records) == 1
    assert list((journal.path.parent / "journal").glob("*.new")) == []


def test_a_database_that_is_full_keeps_reads_in_the_spool_until_there_is_room(journal, monkeypatch):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(journal_store, "insert", full)
        journal.done(("c1", *ASKED, *ENDED))
        journal.flush()
        error = journal.intend(("e1", *ASKED)).exception(5)
        assert isinstance(error, HermesError)
        assert "disk is full" in str(error)
    journal.intend(("e2", *ASKED)).result(5)
    assert {entry.call_id for entry in journal.entries()} == {"c1", "e2"}
    assert journal.lost == 0
    assert "disk is full" in journal.problem


def test_what_cannot_be_moved_when_closing_is_recovered_later(journal, monkeypatch):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(journal_store, "insert", full)
        journal.done(("c1", *ASKED, *ENDED))
        journal.close()
    assert [entry.call_id for entry in Journal(journal.path).entries()] == ["c1"]


def test_a_full_spool_over_a_broken_database_loses_records_but_never_blocks(journal, monkeypatch):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(journal_spool, "HALF", 1 << 16)
    with monkeypatch.context() as patch:
        patch.setattr(journal_store, "insert", full)
        journal.intend(("e", *ASKED)).exception(5)
        for n in range(3_000):
            journal.done((f"c{n}", *ASKED, *ENDED))
        assert 0 < journal.lost < 3_000
    journal.flush(10)
    assert journal.verify().rows == 3_000 - journal.lost


def test_a_home_that_cannot_be_made_is_reported_once(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    journal = Journal(tmp_path / "file" / "state.db")
    journal.done(("c1", *ASKED, *ENDED))
    assert isinstance(journal.intend(("e", *ASKED)).exception(5), HermesError)
    assert journal.problem
    journal.close()


def test_a_read_only_database_refuses_effects(journal, monkeypatch):
    fill(journal, 3)

    def read_only(path):
        place = f"file:{path}?mode=ro"
        return sqlite3.connect(place, uri=True, isolation_level=None, check_same_thread=False)

    monkeypatch.setattr(journal_database, "connect", read_only)
    error = journal.intend(("e", *ASKED)).exception(5)
    assert isinstance(error, HermesError)
    assert "readonly" in str(error)
    assert len(journal.entries()) == 3


def garbage(path):
    path.write_bytes(random.Random(1).randbytes(20_000))


def truncated(path):
    os.truncate(path, path.stat().st_size * 2 // 3)


def empty(path):
    os.truncate(path, 0)


def flipped_page(path):
    data = bytearray(path.read_bytes())
    middle = data.find(b'"allow"', len(data) // 2) // 4096 * 4096
    data[middle : middle + 4096] = random.Random(2).randbytes(4096)
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [garbage, truncated, empty])
def test_a_damaged_database_is_set_aside_and_work_goes_on(journal, damage, caplog):
    fill(journal)
    damage(journal.path)
    for n in range(300):
        journal.intend((f"e{n}", *ASKED))
    journal.intend(("last", *ASKED)).result(20)
    after = Journal(journal.path)
    assert after.entry("last").call_id == "last"
    aside = list(journal.path.parent.glob("state.db.corrupt-*"))
    assert bool(aside) == (damage is not empty)
    assert after.verify().ok
    kept = {entry.call_id for entry in after.entries(limit=9999)}
    assert {f"e{n}" for n in range(300)} <= kept


def test_damage_in_the_middle_is_reported_with_its_row(journal):
    fill(journal, 2_000)
    flipped_page(journal.path)
    found = journal.verify()
    assert not found.ok
    assert 1 <= found.first_bad <= 2_000
    assert f"row {found.first_bad}" in found.reason


def test_records_before_the_damage_are_kept(journal):
    fill(journal, 2_000)
    truncated(journal.path)
    journal.intend(("after", *ASKED)).result(20)
    kept = journal.verify()
    assert kept.ok
    assert kept.rows > 200
    assert journal.entry("c0") is not None


def test_reading_a_damaged_database_says_so(journal):
    fill(journal)
    garbage(journal.path)
    with pytest.raises(HermesError, match="cannot be read"):
        journal.entries()


@pytest.mark.parametrize("seed", range(12))
def test_any_flipped_byte_leaves_a_journal_that_works_or_reports_the_row(tmp_path, seed):
    journal = Journal(tmp_path / "state.db")
    fill(journal, 60)
    chance = random.Random(seed)
    data = bytearray(journal.path.read_bytes())
    for _ in range(3):
        data[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)
    journal.path.write_bytes(data)
    future = journal.intend(("e", *ASKED))
    assert future.exception(20) is None or isinstance(future.exception(), HermesError)
    journal.close()
    try:
        found = Journal(journal.path).verify()
    except HermesError:
        return
    assert found.ok or found.reason


def test_a_damaged_spool_gives_its_good_records_and_is_set_aside(tmp_path):
    spool = journal_spool.Spool(tmp_path / "journal")
    for n in range(10):
        spool.write(b'["c%d","t","p","tool",{},[],"allow",1.0,0.1,"ok",null,1]\n' % n)
    spool.abandon()
    data = bytearray(spool.path.read_bytes())
    data[16 + 5 * 59 + 20] ^= 0xFF
    spool.path.write_bytes(data)
    journal = Journal(tmp_path / "state.db")
    calls = [entry.call_id for entry in journal.entries()]
    assert calls == [f"c{n}" for n in reversed(range(len(calls)))]
    assert 0 < len(calls) < 10
    assert [path.suffix for path in (tmp_path / "journal").glob("*-*")] == [".damaged"]


@pytest.mark.parametrize("content", [b"", b"HERMES", bytes(100), b"\xff" * 5000])
def test_a_spool_of_garbage_is_harmless(tmp_path, content):
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "1-aa.spool").write_bytes(content)
    journal = Journal(tmp_path / "state.db")
    assert journal.entries() == []
    assert journal.problem is None


def test_a_database_replaced_while_in_use_gets_the_next_records(journal):
    journal.intend(("e1", *ASKED)).result(5)
    for path in journal.path.parent.glob("state.db*"):
        path.unlink()
    journal.intend(("e2", *ASKED)).result(5)
    assert [entry.call_id for entry in journal.entries()] == ["e2"]


def test_a_journal_can_be_read_where_nothing_can_be_written(caplog):
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        journal = Journal(home / "state.db")
        fill(journal, 3)
        with read_only(home):
            found = [entry.call_id for entry in Journal(journal.path).entries()]
            proof = Journal(journal.path).verify()
    assert found == ["c2", "c1", "c0"]
    assert proof.ok
    assert "as it was last closed" in caplog.text


@contextlib.contextmanager
def read_only(home):
    """Make files and folder unwritable, for root too, who may write all files."""
    nobody = 65534
    for path, mode in [(home / "state.db", 0o444), (home / "journal", 0o555), (home, 0o555)]:
        path.chmod(mode)
    owner = os.geteuid()
    if owner == 0:
        os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(owner)
        home.chmod(0o700)
        (home / "journal").chmod(0o700)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.timeout(60)
def test_children_forked_under_load_can_record_at_once(tmp_path):
    journal = Journal(tmp_path / "state.db")
    stop = threading.Event()

    def load(name):
        number = 0
        while not stop.is_set():
            number += 1
            ticket = journal.intend((f"{name}-{number}", *ASKED)).result(20)
            journal.done((f"{name}-read-{number}", *ASKED, *ENDED))
            journal.conclude(ticket, (f"{name}-{number}", "ok", None, 0.1, 1)).result(20)

    def look():
        while not stop.is_set():
            journal.entries(limit=5)

    threads = [threading.Thread(target=load, args=(name,)) for name in "abc"]
    threads.append(threading.Thread(target=look))
    for thread in threads:
        thread.start()
    children = [in_child(journal, f"child-{number}") for number in range(10)]
    told = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.set()
    for thread in threads:
        thread.join(20)
    journal.close()
    assert told == [0] * 10
    assert journal.verify().ok
    assert [entry.call_id for entry in journal.unfinished()] == []
    calls = {entry.call_id for entry in journal.entries(limit=99_999)}
    assert {f"child-{n}-{kind}" for n in range(10) for kind in ("read", "effect")} <= calls


def in_child(journal, name):
    """Fork a child that records, reads back and verifies; its exit code says whether it could."""
    child = os.fork()
    if child:
        return child
    code = 1
    signal.alarm(20)  # a child that hangs must not outlive the test
    try:
        journal.done((f"{name}-read", *ASKED, *ENDED))
        ticket = journal.intend((f"{name}-effect", *ASKED)).result(10)
        journal.conclude(ticket, (f"{name}-effect", "ok", None, 0.1, 1)).result(10)
        is_there = journal.entry(f"{name}-effect").status == "ok"
        code = 0 if is_there and journal.verify().ok else 2
        journal.close()
    finally:
        os._exit(code)


def test_a_journal_of_a_newer_hermes_is_not_touched(journal):
    fill(journal, 1)
    database = sqlite3.connect(journal.path)
    database.execute("UPDATE migrations SET version = 99")
    database.commit()
    database.close()
    assert "Upgrade" in journal.intend(("e", *ASKED)).exception(5).hint or journal.problem
    assert "version 99" in journal.problem


def test_threads_that_record_while_the_journal_closes_lose_nothing(tmp_path):
    journal = Journal(tmp_path / "state.db")
    go_on = threading.Event()

    def work(name):
        for n in range(2_000):
            journal.done((f"{name}-{n}", *ASKED, *ENDED))
            if n == 500:
                go_on.set()

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    assert go_on.wait(10)
    journal.close()
    for thread in threads:
        thread.join(20)
    journal.close()
    assert (journal.verify().rows, journal.lost) == (6_000, 0)
    assert len(set(recorded(tmp_path))) == 6_000
