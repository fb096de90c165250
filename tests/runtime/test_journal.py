import hashlib
import json
import os
import sqlite3
import stat
import threading
from concurrent.futures import wait

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.base.errors import HermesError
from hermes.base.redact import Redactor
from hermes.runtime.journal import DoneRecord, IntentRecord, Journal, OutcomeRecord
from hermes.runtime.journal.records import careful, cut, encode
from hermes.runtime.journal.recovery import dead_spools, is_alive, read_half
from hermes.runtime.journal.spool import HALF, MAGIC, Spool


def done(call="c1", arguments=None, **other):
    fields = {
        "task_id": "t1",
        "door": "python",
        "tool": "look",
        "changes": (),
        "verdict": "allow",
        "started": 1000.0,
        "duration": 0.5,
        "outcome": "ok",
        "detail": None,
        "size": 7,
    }
    return DoneRecord(call_id=call, arguments=arguments or {}, **(fields | other))


def intent(call="c1", tool="write", arguments=None):
    return IntentRecord(
        call, "t1", "python", tool, arguments or {"path": "/x"}, (), "allow", 1000.0
    )


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def journal(home):
    journal = Journal(home / "state.db")
    yield journal
    journal.close()


def test_a_call_that_only_read_can_be_read_back(journal):
    journal.done(done("c1", {"path": "/x", "n": 3}, changes=('n: "3" → 3',)))
    (entry,) = journal.entries()
    assert (entry.call_id, entry.tool, entry.arguments, entry.changes) == (
        "c1",
        "look",
        {"path": "/x", "n": 3},
        ('n: "3" → 3',),
    )
    assert (entry.status, entry.duration, entry.outcome, entry.size) == ("ok", 0.5, "ok", 7)


def test_a_plain_tuple_is_as_good_as_a_record(journal):
    journal.done(tuple(done("c1")))
    assert journal.entries() == [journal.entry("c1")]


def test_an_intent_runs_until_its_outcome_is_recorded(journal):
    ticket = journal.intend(intent("c1")).result(5)
    running = journal.entry("c1")
    journal.conclude(ticket, OutcomeRecord("c1", "tool_error", "no such file", 0.25, 30)).result(5)
    ended = journal.entry("c1")
    assert (running.status, running.outcome) == ("running", None)
    assert (ended.status, ended.outcome, ended.detail, ended.duration, ended.size) == (
        "error",
        "tool_error",
        "no such file",
        0.25,
        30,
    )
    assert len(journal.entries()) == 1


@pytest.mark.proves("journal-intent-first")
def test_an_acknowledged_intent_is_in_the_database(journal, home):
    journal.intend(intent("c1")).result(5)
    with sqlite3.connect(home / "state.db") as other:
        assert other.execute("SELECT kind, call_id FROM journal").fetchall() == [("intent", "c1")]
    other.close()


def test_two_calls_with_the_same_id_keep_their_own_outcomes(journal):
    for tool, outcome in (("first", "ok"), ("second", "denied")):
        ticket = journal.intend(intent("call_0", tool)).result(5)
        journal.conclude(ticket, OutcomeRecord("call_0", outcome, None, 0.1, 0)).result(5)
    assert [(entry.tool, entry.outcome) for entry in journal.entries()] == [
        ("second", "denied"),
        ("first", "ok"),
    ]


def test_two_calls_of_one_id_in_flight_keep_their_own_outcomes(journal):
    first = journal.intend(intent("same", "first")).result(5)
    second = journal.intend(intent("same", "second")).result(5)
    journal.conclude(second, OutcomeRecord("same", "ok", None, 0.1, 0)).result(5)
    found = {entry.tool: entry.status for entry in journal.entries()}
    assert found == {"first": "running", "second": "ok"}
    journal.conclude(first, OutcomeRecord("same", "tool_error", "no", 0.1, 0)).result(5)
    assert {entry.tool: entry.status for entry in journal.entries()}["first"] == "error"


@pytest.mark.parametrize("ticket", ["", "call_0", 'x"; --', "1-aa.1"])
def test_an_outcome_needs_the_ticket_of_an_intent(journal, ticket):
    failed = journal.conclude(ticket, OutcomeRecord("call_0", "ok", None, 0.1, 0))
    assert isinstance(failed.exception(5), HermesError)


def test_many_waiting_intents_are_all_acknowledged(journal):
    futures = [journal.intend(intent(f"c{n}")) for n in range(200)]
    assert not wait(futures, 10).not_done
    assert journal.verify().rows == 200


def test_entries_are_filtered_and_paged(journal):
    for n in range(6):
        tool = "odd" if n % 2 else "even"
        outcome = "timeout" if n == 5 else "ok"
        journal.done(
            done(f"c{n}", tool=tool, task_id=f"t{n % 3}", started=float(n), outcome=outcome)
        )
    journal.intend(intent("c6")).result(5)

    def calls(**query):
        return [entry.call_id for entry in journal.entries(**query)]

    assert calls() == ["c6", "c5", "c4", "c3", "c2", "c1", "c0"]
    assert calls(limit=2) == ["c6", "c5"]
    assert calls(limit=2, before=journal.entry("c5").id) == ["c4", "c3"]
    assert calls(tool="odd") == ["c5", "c3", "c1"]
    assert calls(task_id="t2") == ["c5", "c2"]
    assert calls(since=4.0) == ["c6", "c5", "c4"]
    assert calls(status="ok", limit=1) == ["c4"]
    assert calls(status="error") == ["c5"]
    assert calls(status="running") == ["c6"]
    assert calls(status="maybe done") == []


def test_the_beginning_of_an_id_is_enough_when_it_is_unique(journal):
    for call in ("abc1", "abd1", "abd1"):
        journal.done(done(call))
    assert journal.entry("abc").call_id == "abc1"
    assert journal.entry("abd").call_id == "abd1"
    assert journal.entry("ab") is None
    assert journal.entry("zz") is None
    assert journal.entry("") is None


def test_reading_needs_no_writer_and_makes_no_files(home):
    journal = Journal(home / "state.db")
    assert journal.entries() == []
    assert journal.entry("x") is None
    assert journal.unfinished() == []
    assert journal.verify().ok
    journal.close()
    assert not home.exists()


SECRET = "Zx81-spectrum-48K"
TOKEN = "ghp_" + "a1B2" * 9


def everything_stored(journal, home):
    """All bytes of the home: spooled, moved, and after closing."""
    stored = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    journal.flush()
    stored += b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    journal.close()
    return stored + b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_secrets_never_reach_the_disk(home):
    journal = Journal(home / "state.db", redactor=Redactor({"MACHINE": SECRET}))
    for _ in range(3):  # what was let through once is let through faster
        journal.done(done("c1", {"text": f"use {SECRET}", "deep": [{"x": TOKEN}]}))
        journal.done(done("c2", detail=f"401 for {TOKEN}", outcome="tool_error"))
        journal.done(done("c3", changes=(f"{SECRET} → x",)))
    ticket = journal.intend(intent("c5", arguments={"text": SECRET})).result(5)
    journal.conclude(ticket, OutcomeRecord("c5", "tool_error", SECRET, 0.1, 0)).result(5)
    stored = everything_stored(journal, home)
    assert SECRET.encode() not in stored
    assert TOKEN.encode() not in stored
    assert b"[redacted MACHINE]" in stored


@pytest.mark.parametrize("secret", [SECRET, TOKEN])
def test_a_secret_in_an_id_or_a_name_never_reaches_the_disk(home, secret):
    journal = Journal(home / "state.db", redactor=Redactor({"MACHINE": SECRET}))
    for call in ("1a2b3c4d-1", "1a2b3c4d-2"):
        journal.done(done(call))
    for field in ("call", "task_id", "tool"):
        journal.done(done(**{field: f"x {secret}"}))
        journal.done(done(**{field: secret}))
    journal.done(done("c", {secret: 1}))
    journal.intend(intent(f"call-{secret}", tool=f"no {secret}")).result(5)
    assert len(journal.entries()) == 10
    assert secret.encode() not in everything_stored(journal, home)


@pytest.mark.parametrize(
    "arguments",
    [
        {"password": "hunter"},
        {"passphrase": "hunter", "city": "Rome"},
        {"auth": "hunter"},
        {"headers": {"Authorization": "hunter"}},
        {"headers": [{"deep": {"Set-Cookie": "hunter"}}]},
        {"creds": ["hunter", {"x": "hunter"}]},
        {"github_pat": "hunter"},
        {"name": "SLACK_WEBHOOK", "value": "hunter"},
        {"pairs": [{"key": "STRIPE_SK", "value": "hunter"}]},
        {"text": 'say "hi":', "deep": {"b": {"c": [{"db_pass": "hunter"}]}}},
    ],
)
def test_whatever_stands_under_a_secrets_name_is_masked_at_any_depth(home, arguments):
    journal = Journal(home / "state.db")
    for _ in range(3):
        journal.done(done("c", {"name": "x", "value": "y", "text": "z", "deep": {"b": 1}}))
        journal.done(done("c", arguments))
        journal.intend(intent("c", arguments=arguments)).result(5)
    assert b"hunter" not in everything_stored(journal, home)


def test_a_number_under_a_secrets_name_is_masked_and_a_switch_is_not(journal):
    journal.done(done("c", {"password": 123456, "auth": True, "token": None, "secret": ""}))
    assert journal.entry("c").arguments == {
        "password": "[redacted password]",
        "auth": True,
        "token": None,
        "secret": "",
    }


def test_only_the_password_of_an_address_is_masked(journal):
    journal.done(done("c", {"database_url": "postgres://ann:correct@db/x"}))
    assert journal.entry("c").arguments == {
        "database_url": "postgres://ann:[redacted database_url]@db/x"
    }


def test_a_secret_learnt_later_is_looked_for_in_texts_known_as_harmless(home):
    redactor = Redactor({})
    journal = Journal(home / "state.db", redactor=redactor)
    record = done("1a2b3c4d-1", {"text": "fluffy-bunny"}, task_id="fluffy-bunny")
    journal.done(record)
    journal.done(record)
    redactor.add("PET", "fluffy-bunny")
    journal.done(record)
    last, *_ = journal.entries()
    assert (last.task_id, last.arguments) == ("[redacted PET]", {"text": "[redacted PET]"})


def test_long_texts_are_cut_with_their_length_and_digest(journal):
    journal.done(done("c1", {"text": "x" * 5_000, "rows": ["ab" * 999] * 200}))
    text = json.dumps(journal.entry("c1").arguments)
    assert "5,000 characters, sha256" in cut("x" * 5_000)
    assert len(text) < 3_000
    assert "sha256" in text


@pytest.mark.parametrize("at", [0, 1_190, 40_000, 999_500, 999_990])
def test_no_part_of_a_secret_in_a_very_long_text_is_kept(journal, at):
    secret = "sk-ant-" + "a1B2c3D4" * 30
    text = "word " * 200_000
    text = f"{text[:at]} {secret} {text[at:]}"
    journal.done(done("c1", {"text": text}))
    kept = journal.entry("c1").arguments["text"]
    assert "a1B2c3D4" not in kept
    assert f"{len(text):,} characters, sha256 {hashlib.sha256(text.encode()).hexdigest()}" in kept
    assert len(kept) < 2_000


BODY = "a1B2c3D4" * 1_000
SECRETS = {
    "token": f"sk-ant-{BODY[:200]}",
    "jwt": f"eyJ{BODY[:7_000]}.eyJ{BODY[:7_000]}.{BODY[:1_000]}",
    "header": f"Authorization: Bearer {BODY[:3_900]}",
    "assignment": f'password = "{BODY[:500]}"',
    "key": "-----BEGIN PRIVATE KEY-----\n"
    + "\n".join([BODY[:64]] * 200)
    + "\n-----END PRIVATE KEY-----",
    "known": " ".join(["a1B2c3D4"] * 1_000),
}


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("line", ["word " * 20 + "\n", "word\n"])
@pytest.mark.parametrize("kept", [1, 9, 40, 300])
def test_no_part_of_any_secret_is_kept_at_an_edge_of_a_very_long_text(name, line, kept):
    secret, redactor = SECRETS[name], Redactor({"SONG": SECRETS["known"]})
    filler = line * (100_000 // len(line))
    for text in (
        f"{filler[: 1_200 - kept - 1]}\n{secret}\n{filler}",
        f"{filler}\n{secret}\n{filler[: 500 - kept - 1]}",
    ):
        record = json.loads(careful(done("c", {"text": text}), redactor))
        assert "a1B2c3D4" not in record[4]["text"]
        assert len(record[4]["text"]) < 2_000


class Broken:
    def __repr__(self):
        raise LookupError("no words")


@pytest.mark.parametrize(
    "arguments",
    [
        {"x": object},
        {"x": Broken()},
        {"x": "\ud800"},
        {"x": {("a", 1): 2}},
        {"x": float("nan"), "y": b"\xff\x00", "z": {1, 2}},
        "not an object",
        None,
    ],
)
def test_arguments_that_json_cannot_say_are_recorded_somehow(journal, arguments):
    journal.done(done("c1")._replace(arguments=arguments))
    journal.intend(intent("c2")._replace(arguments=arguments)).result(5)
    assert {entry.call_id for entry in journal.entries()} == {"c1", "c2"}
    assert journal.problem is None


def test_a_cycle_is_recorded_somehow(journal):
    cycle = {}
    cycle["self"] = cycle
    journal.done(done("c1", cycle))
    assert journal.entry("c1").arguments == {"self": "<cycle>"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(json_values)
def test_a_careful_record_is_always_bounded_json(value):
    record = json.loads(careful(done("c", {"v": value}, changes=(str(value),)), Redactor({})))
    assert len(record) == len(DoneRecord._fields)


def test_every_row_refuses_to_be_changed_or_deleted(journal, home):
    journal.done(done())
    journal.flush()
    other = sqlite3.connect(home / "state.db")
    for statement in (
        "UPDATE journal_links SET records = '[]'",
        "DELETE FROM journal_links",
        "DELETE FROM journal_head",
        "UPDATE journal_head SET id = 0",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            other.execute(statement)
    other.close()


TRIGGERS = ("journal_no_update", "journal_no_delete", "journal_head_grows", "journal_head_stays")


def tamper(path, *statements):
    other = sqlite3.connect(path)
    for trigger in TRIGGERS:
        other.execute(f"DROP TRIGGER {trigger}")
    for statement in statements:
        other.execute(statement)
    other.commit()
    other.close()


def five_calls(journal):
    for n in range(5):
        journal.done(done(f"c{n}"))
        journal.flush()
    journal.close()


@pytest.mark.parametrize(
    ("statement", "first_bad"),
    [
        ("UPDATE journal_links SET records = replace(records, 'look', 'lock') WHERE id = 3", 3),
        ("UPDATE journal_links SET kind = 'intent' WHERE id = 3", 3),
        ("DELETE FROM journal_links WHERE id = 2", 2),
        ("DELETE FROM journal_links WHERE id = 5", 5),
        ("DELETE FROM journal_links WHERE id = 1", 1),
        ("UPDATE journal_links SET hash = '00' WHERE id = 4", 4),
        ("INSERT INTO journal_links VALUES (6, 'ff', 'done', 'x.1', '[\"c\"]')", 6),
        ("DELETE FROM journal_links", 1),
        ("DELETE FROM journal_head", 6),
    ],
)
@pytest.mark.proves("journal-tamper")
def test_a_changed_dropped_or_added_row_is_found_and_stays_found(
    journal, home, statement, first_bad
):
    five_calls(journal)
    assert journal.verify().ok
    tamper(home / "state.db", statement)
    found = journal.verify()
    assert (found.ok, found.first_bad) == (False, first_bad)
    assert found.reason
    journal.intend(intent("after")).result(5)
    journal.done(done("later"))
    assert not journal.verify().ok
    assert {"after", "later"} <= {entry.call_id for entry in journal.entries()}


def test_a_wrong_end_is_found_and_stops_no_effect(journal, home):
    five_calls(journal)
    tamper(home / "state.db", "UPDATE journal_head SET id = 4")
    assert journal.verify().reason == "the journal once ended at row 4; it now ends at row 5"
    journal.intend(intent("after")).result(5)
    assert journal.entry("after").id == 6


@pytest.mark.parametrize(
    ("dropped", "kept"),
    [
        (["journal_head"], 5),
        (["journal_links"], 0),
        (["journal_head", "journal_links"], 0),
        (["journal_spools"], 5),
    ],
)
def test_a_table_taken_away_is_made_again_and_the_break_stays(journal, home, dropped, kept):
    five_calls(journal)
    other = sqlite3.connect(home / "state.db")
    for table in dropped:
        other.execute(f"DROP TABLE {table}")
    other.close()
    is_harmless = dropped == ["journal_spools"]
    assert len(journal.entries()) == kept
    assert journal.verify().ok == is_harmless
    journal.intend(intent("after")).result(5)
    journal.done(done("later"))
    assert journal.verify().ok == is_harmless
    assert journal.problem is None
    assert len(journal.entries()) == kept + 2


def test_a_table_taken_away_under_an_open_journal_stops_no_effect(journal, home):
    journal.intend(intent("before")).result(5)
    other = sqlite3.connect(home / "state.db")
    other.execute("DROP TABLE journal_head")
    other.close()
    journal.intend(intent("after")).result(5)
    assert {entry.call_id for entry in journal.entries()} == {"before", "after"}
    assert not journal.verify().ok


def test_a_database_of_others_is_no_journal(journal, home):
    home.mkdir()
    other = sqlite3.connect(home / "state.db")
    other.execute("CREATE TABLE sessions (id)")
    other.close()
    assert (journal.entries(), journal.verify().ok) == ([], True)


def test_many_records_make_few_links(journal, home):
    for n in range(1_000):
        journal.done(done(f"c{n}", {"n": n}))
    journal.close()
    other = sqlite3.connect(home / "state.db")
    (links,) = other.execute("SELECT count(*) FROM journal_links").fetchone()
    calls = other.execute("SELECT id, kind, call_id FROM journal ORDER BY id").fetchall()
    other.close()
    assert links < 20
    assert calls == [(n + 1, "done", f"c{n}") for n in range(1_000)]
    assert [entry.call_id for entry in journal.entries(limit=3, before=500)] == [
        "c498",
        "c497",
        "c496",
    ]
    assert journal.verify().rows == 1_000


def test_files_are_private(journal, home):
    journal.done(done())
    journal.flush()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*") if path.is_file()}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in [home, home / "journal"]}
    assert (modes, folders) == ({0o600}, {0o700})


def test_closing_leaves_no_spool_and_a_later_record_opens_again(journal, home):
    journal.done(done("c1"))
    journal.close()
    assert list((home / "journal").glob("*.spool")) == []
    journal.done(done("c2"))
    assert [entry.call_id for entry in journal.entries()] == ["c2", "c1"]
    assert journal.verify().rows == 2


def test_the_rest_of_the_database_is_left_alone(journal, home):
    home.mkdir()
    other = sqlite3.connect(home / "state.db")
    other.execute("CREATE TABLE sessions (id)")
    other.execute("CREATE TABLE migrations (part TEXT PRIMARY KEY, version INTEGER NOT NULL)")
    other.execute("INSERT INTO migrations VALUES ('sessions', 4)")
    other.commit()
    other.close()
    journal.done(done())
    journal.close()
    other = sqlite3.connect(home / "state.db")
    assert other.execute("SELECT * FROM migrations ORDER BY part").fetchall() == [
        ("journal", 1),
        ("sessions", 4),
    ]
    other.close()


def test_many_threads_lose_nothing(journal):
    def work(number):
        for n in range(500):
            journal.done(done(f"{number}-{n}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    calls = [entry.call_id for entry in journal.entries(limit=10_000)]
    assert len(calls) == len(set(calls)) == 4_000
    assert journal.verify().rows == 4_000
    assert journal.lost == 0


def test_more_than_the_spool_holds_is_recorded_whole(journal):
    text = "ä" * 600
    count = 3 * HALF // 1_300
    for n in range(count):
        journal.done(done(f"c{n}", {"text": text}))
    journal.flush(30)
    assert (journal.verify().rows, journal.lost) == (count, 0)


def test_follow_yields_what_is_recorded_from_then_on(journal):
    journal.done(done("old"))
    stop = threading.Event()
    following = journal.follow(stop=stop)
    journal.done(done("c1"))
    assert next(following).call_id == "c1"
    ticket = journal.intend(intent("c2")).result(5)
    assert next(following).status == "running"
    journal.conclude(ticket, OutcomeRecord("c2", "ok", None, 0.1, 1)).result(5)
    assert next(following).status == "ok"
    stop.set()
    assert list(following) == []


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_writes_to_a_spool_of_its_own(journal):
    journal.done(done("parent"))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            journal.done(done("child"))
            journal.intend(intent("effect")).result(5)
            journal.close()
            os.write(writer, b"ok")
        finally:
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 2) == b"ok"
    os.close(reader)
    os.waitpid(child, 0)
    journal.done(done("after"))
    assert {entry.call_id for entry in journal.entries()} == {"parent", "child", "effect", "after"}
    assert [entry.call_id for entry in journal.unfinished()] == ["effect"]
    assert journal.verify().ok


def test_a_spool_knows_whether_its_process_lives(tmp_path):
    spool = Spool(tmp_path)
    assert is_alive(tmp_path, spool.origin)
    assert list(dead_spools(tmp_path)) == []
    spool.write(b'["one"]\n')
    spool.abandon()
    assert not is_alive(tmp_path, spool.origin)
    (dead,) = dead_spools(tmp_path)
    assert [batch.data for batch in dead.batches] == [b'["one"]\n']
    dead.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_late_write_to_a_shut_half_is_refused_and_not_lost(tmp_path):
    spool = Spool(tmp_path)
    late = spool.write
    spool.write(b'["one"]\n')
    assert spool.swap()
    with pytest.raises(ValueError, match="range"):
        late(b'["two"]\n')
    assert not spool.swap()
    assert spool.retired().data == b'["one"]\n'
    spool.release()
    assert spool.is_empty
    assert spool.swap()
    assert spool.retired().data == b""
    spool.remove()


def half(content):
    return MAGIC + (1).to_bytes(8, "little") + content + bytes(64)


@settings(max_examples=50)
@given(st.lists(st.text(max_size=40), max_size=6), st.data())
def test_a_torn_spool_gives_the_records_before_the_tear(texts, data):
    lines = [encode([text]) + b"\n" for text in texts]
    whole = b"".join(lines)
    at = data.draw(st.integers(min_value=0, max_value=len(whole)))
    later = data.draw(st.integers(min_value=at, max_value=len(whole)))
    torn = whole[:at] + bytes(later - at) + whole[later:later]
    batch = read_half(half(torn))
    kept = batch.data.count(b"\n")
    assert batch.data == b"".join(lines[:kept])
    assert kept == whole[:at].count(b"\n")
    assert not batch.is_damaged


@pytest.mark.parametrize(
    ("damaged", "kept"),
    [
        (b'["a"]\n["b\n["c"]\n', b'["a"]\n'),
        (b'["a"]\n\0\0\0\0\0\n["c"]\n', b'["a"]\n'),
        (b'["a"]\n{"b":1}\n["c"]\n', b'["a"]\n'),
        (b"\xff\xff\n", b""),
    ],
)
def test_a_damaged_line_ends_what_a_spool_gives(damaged, kept):
    batch = read_half(half(damaged))
    assert (batch.data, batch.is_damaged) == (kept, True)


def test_the_encoder_writes_what_the_reader_expects():
    assert encode(("a", None, 1.5, (), {"k": True})) == b'["a",null,1.5,[],{"k":true}]'
