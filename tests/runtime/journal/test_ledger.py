import errno
import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.runtime.journal import Journal, ledger
from hermes.runtime.journal.chain import Link
from hermes.runtime.journal.ledger import Ledger, drop, left_behind

ASKED = ("t", "python", "tool", {}, (), "allow", 1.0)
RECORDS = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=300)
STEPS = st.lists(st.one_of(RECORDS, st.integers(1, 9)), max_size=60)


def link(records="[]", ticket="o.i1"):
    return Link("intent", ticket, records)


@pytest.fixture
def book(tmp_path):
    book = Ledger(tmp_path, "o")
    yield book
    book.remove()


@given(steps=STEPS, size=st.integers(400, 3_000))
def test_what_waits_is_what_a_crash_leaves(tmp_path_factory, steps, size):
    """A text appends a record, a number moves so many; room is used again in any order."""
    folder = tmp_path_factory.mktemp("ledger")
    book, moved = Ledger(folder, "o"), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger, "_SIZE", size)
        for step in steps:
            if isinstance(step, int):
                moved = min(book.number, moved + step)
                book.moved(moved)
            else:
                try:
                    book.append(link(step))
                except OSError:
                    assert not book.is_moved or len(step.encode()) > size - 60
            left = left_behind(folder, "o", moved)
            assert [(one.number, one.link) for one in left] == [
                (one.number, one.link) for one in book.waiting()
            ]
    book.remove()


def test_a_torn_line_is_left_out(book, tmp_path):
    book.append(link('["whole"]'))
    book.append(link('["torn"]'))
    path = next(tmp_path.glob("*.ledger"))
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"torn") + 2] + bytes(100))
    assert [one.link.records for one in left_behind(tmp_path, "o", 0)] == ['["whole"]']


def test_a_flipped_bit_costs_one_line(book, tmp_path):
    for word in ("first", "second", "third"):
        book.append(link(f'["{word}"]'))
    path = next(tmp_path.glob("*.ledger"))
    path.write_bytes(path.read_bytes().replace(b"second", b"sacond"))
    assert [one.link.records for one in left_behind(tmp_path, "o", 0)] == ['["first"]', '["third"]']


def test_a_closed_ledger_takes_nothing(book):
    book.shut()
    with pytest.raises(OSError, match="closed"):
        book.append(link())


def test_there_is_nothing_where_there_was_no_ledger(tmp_path):
    assert left_behind(tmp_path, "gone", 0) == []
    drop(tmp_path, "gone")


@pytest.fixture
def journal(tmp_path):
    journal = Journal(tmp_path / "state.db")
    journal.intend(("first", *ASKED)).result(5)  # the ledger is made after the database is there
    journal.flush()
    yield journal
    journal.close()


def lines(tmp_path):
    return b"".join(path.read_bytes() for path in (tmp_path / "journal").glob("*.ledger"))


def test_an_intent_is_on_disk_when_its_future_is_done(journal, tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(ledger, "_sync", lambda fd: synced.append(os.fstat(fd).st_ino))
    intended = journal.intend(("call-7", *ASKED))
    assert intended.done()
    assert b"call-7" in lines(tmp_path)
    assert len(synced) == 1


def test_a_call_that_only_looks_does_not_wait_for_the_disk(journal, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "_sync", lambda _: pytest.fail("waited for the disk"))
    assert journal.intend(("call-8", *ASKED), durable=False).done()
    assert b"call-8" in lines(tmp_path)


def test_a_disk_that_cannot_sync_has_the_intent_written_to_the_database(journal, monkeypatch):
    def broken(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(ledger, "_sync", broken)
    ticket = journal.intend(("call-9", *ASKED)).result(5)
    journal.conclude(ticket, ("call-9", "ok", None, 0.1, 1)).result(5)
    assert journal.entry("call-9").status == "ok"
    assert journal.verify().ok


def test_a_slow_disk_is_waited_for_in_the_thread(journal, monkeypatch):
    journal._writer._slow_until = math.inf
    monkeypatch.setattr(ledger, "_sync", lambda _: pytest.fail("held up the caller"))
    ticket = journal.intend(("call-10", *ASKED)).result(5)
    assert journal.entry("call-10").status == "running"
    journal.conclude(ticket, ("call-10", "ok", None, 0.1, 1)).result(5)


def test_an_intent_whose_disk_and_database_fail_did_not_run(journal, monkeypatch):
    journal._writer._slow_until = math.inf
    append = journal._writer._store.append

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    journal._writer._store.append = full
    error = journal.intend(("call-11", *ASKED)).exception(5)
    assert "No space left" in error.message
    journal._writer._store.append = append
    journal.intend(("call-12", *ASKED)).result(5)
    assert journal.entry("call-11").outcome == "journal_unwritable"
    assert journal.verify().ok


def test_a_closed_journal_leaves_no_ledger(journal, tmp_path):
    journal.intend(("call-13", *ASKED)).result(5)
    journal.close()
    assert list((tmp_path / "journal").glob("*.ledger")) == []
    assert journal.entry("call-13") is not None
