import os
import sqlite3
import stat
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes.base.errors import HermesError
from hermes.base.messages import Media, Message, ToolCall
from hermes.base.redact import Redactor
from hermes.llm.contract import Usage
from hermes.runtime.journal import Journal
from hermes.services.sessions import Sessions

CALL = ToolCall("c1", "read_file", {"path": "a.py"})
ASKED = Message("assistant", "", calls=(CALL,))
ANSWER = Message("tool", '{"content": "1"}', call_id="c1", name="read_file")

texts = st.text(st.characters(), max_size=30)  # half characters too
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
messages = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    texts,
    st.lists(
        st.builds(Media, st.sampled_from(["image", "audio"]), texts, texts, texts), max_size=2
    ).map(tuple),
    st.lists(st.builds(ToolCall, texts, texts, values | texts), max_size=2).map(tuple),
    texts,
    texts,
    texts,
    st.dictionaries(texts, values, max_size=2),
)


@given(st.lists(messages, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_message_comes_back_as_it_was(sessions, said):
    session = sessions.start()
    ids = [session.add(message) for message in said]
    assert session.all_messages() == tuple(said)
    assert [entry.id for entry in session.all_entries()] == ids == sorted(ids)
    copied = sessions.fork(session.id)
    assert copied.all_messages() == tuple(said)
    (again,) = sessions.restore(sessions.export(session.id))
    assert again.all_messages() == tuple(said)


def test_a_session_knows_what_was_said_of_it(sessions):
    session = sessions.start(
        title="Lamp", model="openai:gpt", source="cli", workspace="/w", system="Be kind.",
        tools=[{"name": "lamp"}],
    )  # fmt: skip
    session.add(Message("user", "Switch the lamp on"), seconds=1)
    session.add(ASKED, usage=Usage(10, 5, 2, 1, 0.25))
    session.add(Message("assistant", "Done"), usage={"input": 1, "dollars": 0.5})
    facts = sessions.resume(session.id).facts()
    assert (facts.title, facts.model, facts.source) == ("Lamp", "openai:gpt", "cli")
    assert (facts.workspace, facts.kind, facts.parent) == ("/w", "chat", "")
    assert (facts.messages, facts.calls, facts.opening) == (3, 1, "Switch the lamp on")
    assert (facts.input, facts.output, facts.cached, facts.reasoning) == (11, 5, 2, 1)
    assert facts.dollars == 0.75
    assert session.system() == "Be kind."
    assert session.tools() == [{"name": "lamp"}]
    assert session.all_entries()[0].about == {"seconds": 1}


def test_an_unknown_price_is_not_zero(sessions):
    session = sessions.start()
    session.add(Message("user", "a"), usage=Usage(10))
    assert session.facts().dollars is None


def test_a_session_is_found_by_id_by_its_beginning_and_by_title(sessions):
    one, two = sessions.start(title="One"), sessions.start(title="Two")
    assert sessions.resume(one.id).id == one.id
    assert sessions.resume(one.id[:6]).id == one.id
    assert sessions.resume("two").id == two.id
    assert sessions.latest().id in {one.id, two.id}


@pytest.mark.parametrize("name", ["", " ", "nothing", "%", "_", "a' OR 1=1 --", "\ud800"])
def test_an_unknown_name_is_told(sessions, name):
    with pytest.raises(HermesError, match="no session is called"):
        sessions.resume(name)
    sessions.start(title="One")
    with pytest.raises(HermesError, match="no session is called"):
        sessions.resume(name)


def test_a_name_of_two_sessions_is_told(sessions):
    ids = {sessions.start(title="Same").id for _ in range(2)}
    with pytest.raises(HermesError, match="several sessions") as told:
        sessions.resume("Same")
    assert all(id in told.value.message for id in ids)


def test_sessions_are_listed_newest_first_and_children_are_hidden(sessions):
    parent = sessions.start(title="parent", workspace="/a")
    child = sessions.start(title="child", parent=parent.id)
    other = sessions.start(title="other 100%", workspace="/b")
    parent.add(Message("user", "last"))
    assert [facts.id for facts in sessions.list()] == [parent.id, other.id]
    assert len(sessions.list(children=True)) == 3
    assert [facts.id for facts in sessions.list(parent=parent.id, children=True)] == [child.id]
    assert [facts.id for facts in sessions.list(query="100%")] == [other.id]
    assert [facts.id for facts in sessions.list(workspace="/a")] == [parent.id]
    assert [facts.id for facts in sessions.list(limit=1, offset=1)] == [other.id]


def test_reading_where_nothing_was_kept_makes_nothing(tmp_path):
    sessions = Sessions(tmp_path / "home" / "state.db")
    assert sessions.list() == ()
    assert sessions.latest() is None
    assert sessions.search("x").hits == ()
    with pytest.raises(HermesError):
        sessions.delete("x")
    assert not (tmp_path / "home").exists()


def test_a_fork_goes_its_own_way(sessions):
    session = sessions.start(title="Way", system="S")
    first = session.add(Message("user", "first"))
    asked = session.add(ASKED)
    session.add(ANSWER)
    session.add(Message("user", "second"))
    early, late = sessions.fork("Way", at=first), sessions.fork("Way", at=asked)
    early.add(Message("user", "other"))
    assert [message.text for message in early.messages()] == ["first", "other"]
    assert late.messages() == (Message("user", "first"), ASKED, ANSWER)
    facts = late.facts()
    assert (facts.kind, facts.parent, facts.messages, facts.calls) == ("fork", session.id, 3, 1)
    assert {early.facts().title, facts.title} == {"Way (fork)", "Way (fork 2)"}
    assert late.system() == "S"
    assert len(session.messages()) == 4
    sessions.delete(session.id)
    assert len(sessions.resume(late.id).messages()) == 3
    assert late.facts().parent == ""
    with pytest.raises(HermesError, match="has no message"):
        sessions.fork(early.id, at=first)


def test_a_deleted_session_is_gone_with_its_children_and_nothing_finds_it(sessions, tmp_path):
    session = sessions.start(title="Secret plan")
    session.add(Message("user", "the xylophone plan 数据库"))
    child = sessions.start(parent=session.id)
    child.add(Message("user", "xylophone too"))
    assert set(sessions.delete("Secret plan")) == {session.id, child.id}
    assert sessions.search("xylophone", children=True).hits == ()
    assert sessions.search("数据").hits == ()
    with pytest.raises(HermesError, match="deleted meanwhile"):
        session.add(Message("user", "more"))
    with pytest.raises(HermesError, match="gone"):
        session.facts()
    sessions.close()
    assert b"xylophone plan" not in (tmp_path / "state.db").read_bytes()
    with sqlite3.connect(tmp_path / "state.db") as database:
        for table in ("session_words", "session_trigrams"):
            database.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
    database.close()


def test_an_export_is_kept_again_with_its_times(sessions):
    session = sessions.start(title="Old")
    session.add(Message("user", "a"), at=1000.0, usage=Usage(5))
    session.add(Message("user", "b"), at=2000.0)
    (again,) = sessions.restore(sessions.export("Old"), title="Again")
    facts = again.facts()
    assert (facts.title, facts.created, facts.updated, facts.input) == ("Again", 1000, 2000, 5)
    assert [entry.at for entry in again.entries()] == [1000, 2000]


def test_a_rename_is_seen_by_others(sessions, tmp_path):
    session = sessions.start(title="Old")
    sessions.rename("Old", " New\n name ")
    other = Sessions(tmp_path / "state.db")
    assert other.resume("new name").id == session.id
    other.close()


def test_a_summary_stands_for_what_was_compacted(sessions):
    session = sessions.start()
    session.add(Message("system", "Rules"))
    for number in range(4):
        session.add(Message("user", f"old {number}"))
    asked = session.add(ASKED)
    answer = session.add(ANSWER)
    assert asked
    session.compacted(Message("user", "Summary"), answer)
    session.add(Message("user", "new"))
    now = (Message("system", "Rules"), Message("user", "Summary"), ASKED, ANSWER)
    assert session.messages() == (*now, Message("user", "new"))
    assert len(session.all_messages()) == 9
    session.compacted(Message("user", "Again"))
    assert [message.text for message in session.messages()] == ["Rules", "Again"]
    again = sessions.fork(session.id)
    assert again.messages() == session.messages()
    (restored,) = sessions.restore(sessions.export(session.id))
    assert restored.messages() == session.messages()


def test_the_last_messages_are_counted_as_they_were_resumed(sessions):
    session = sessions.start()
    asking = Message("assistant", "", calls=(ToolCall("a", "x", {}), ToolCall("b", "x", {})))
    late = Message("tool", "1", call_id="b", name="x")
    session.add_all([Message("user", "1"), Message("assistant", "2"), Message("user", "3")])
    session.add_all([asking, late, Message("tool", "of nobody", call_id="z", name="x")])
    before = session.messages()
    assert len(before) == 6
    session.compacted(Message("user", "Summary"), keep_last=4)
    assert session.messages() == (Message("user", "Summary"), *before[2:])
    session.compacted(Message("user", "Again"), keep_last=0)
    assert session.messages() == (Message("user", "Again"),)


def test_an_old_summary_is_never_kept_beside_a_new_one(sessions):
    session = sessions.start()
    session.add(Message("user", "a"))
    kept = session.add(Message("user", "b"))
    old = session.compacted(Message("user", "S1"), kept)
    session.compacted(Message("user", "S2"), old)
    assert [message.text for message in session.messages()] == ["S2", "b"]


def test_secrets_are_not_kept(sessions, tmp_path):
    secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    session = sessions.start(title=f"key {secret}", system=f"key {secret}")
    session.add(Message("user", f"my key is {secret}"))
    session.add(Message("assistant", calls=(ToolCall("1", "t", {"k": secret}),), reasoning=secret))
    session.add(Message("tool", f'{{"v": "{secret}"}}', call_id="1"))
    sessions.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("state.db*"))
    assert secret.encode() not in kept
    assert "[redacted" in sessions.resume(session.id).messages()[0].text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[1]", "it is no JSON object"),
        ("nonsense", "Expecting value"),
        ("{}", "'role' is missing"),
        ('{"role": "king", "text": ""}', "'king' is no role"),
        ('{"role": "user", "text": 1}', "a text is no text"),
        ('{"role": "user", "text": "", "calls": [{"id": 1}]}', "missing"),
        ('{"role": "user", "text": "", "calls": [7]}', "mapping"),
        ('{"type": "session", "version": 99}', "it is of version 99"),
        ('{"type": "session", "compaction": 3}', "its compaction is no JSON object"),
    ],
)
def test_a_line_that_is_no_export_is_told_and_nothing_is_kept(sessions, line, why):
    with pytest.raises(HermesError, match="line 2 is no message of an export") as caught:
        sessions.restore(['{"role": "user", "text": "good"}', line])
    assert why in caught.value.message
    assert "object has no" not in caught.value.message
    assert sessions.list() == ()


def test_a_secret_in_what_a_provider_wants_back_is_not_kept(tmp_path):
    sessions = Sessions(tmp_path / "state.db", redactor=Redactor({"KEY": "4711-geheim-4711"}))
    signed = {"blocks": [{"type": "thinking", "thinking": "hm", "signature": "c2lnbmF0dXJl"}]}
    said = {"blocks": [{"type": "tool_use", "input": {"command": "login 4711-geheim-4711"}}]}
    noted = {"facts": {"said": ["use 4711-geheim-4711"]}}
    session = sessions.start()
    session.add(Message("assistant", "a", extra={"anthropic": signed}))
    session.add(Message("assistant", "b", extra={"anthropic": said, "hermes": noted}))
    whole, spoilt = session.messages()
    sessions.close()
    assert whole.extra == {"anthropic": signed}
    assert spoilt.extra == {"hermes": {"facts": {"said": ["use [redacted KEY]"]}}}
    assert b"4711-geheim-4711" not in (tmp_path / "state.db").read_bytes()


def test_files_are_private(sessions, tmp_path):
    sessions.start().add(Message("user", "a"))
    for path in tmp_path.glob("state.db*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_journal_in_the_same_file_is_not_disturbed(sessions, tmp_path):
    journal = Journal(tmp_path / "state.db")
    session = sessions.start()
    for number in range(20):
        record = (f"c{number}", "t", "python", "tool", {}, (), "allow", 1.0)
        ticket = journal.intend(record).result(20)
        session.add(Message("user", str(number)))
        journal.conclude(ticket, (f"c{number}", "ok", None, 0.1, 1)).result(20)
    journal.close()
    assert journal.verify().ok
    assert len(journal.entries()) == 20
    sessions.delete(session.id)
    assert journal.verify().ok


def test_threads_and_several_openings_share_one_file(tmp_path):
    several = [Sessions(tmp_path / "state.db", durable=False) for _ in range(3)]
    session = several[0].start()
    failed = []

    def write(sessions, number):
        try:
            mine = sessions.resume(session.id)
            for turn in range(20):
                mine.add(Message("user", f"{number} {turn}"))
        except Exception as error:
            failed.append(error)

    threads = [
        threading.Thread(target=write, args=(several[number % 3], number)) for number in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    texts = [message.text for message in several[1].resume(session.id).messages()]
    assert sorted(texts) == sorted(f"{number} {turn}" for number in range(6) for turn in range(20))
    for number in range(6):
        assert [text for text in texts if text[0] == str(number)] == [
            f"{number} {turn}" for turn in range(20)
        ]
    for sessions in several:
        sessions.close()


def test_a_file_that_was_replaced_is_opened_anew(sessions, tmp_path):
    old = sessions.start(title="Old")
    for path in tmp_path.glob("state.db*"):
        path.rename(tmp_path / f"away-{path.name}")
    new = sessions.start(title="New")
    assert [facts.id for facts in sessions.list()] == [new.id]
    with pytest.raises(HermesError, match="gone"):
        old.add(Message("user", "lost?"))


def test_a_forked_process_opens_its_own(sessions):
    session = sessions.start()
    session.add(Message("user", "parent"))
    child = os.fork()
    if child == 0:
        try:
            session.add(Message("user", "child"))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    session.add(Message("user", "parent again"))
    said = [message.text for message in session.messages()]
    assert said == ["parent", "child", "parent again"]


def test_tables_of_a_newer_version_are_left_alone(sessions, tmp_path):
    sessions.start()
    sessions.close()
    with sqlite3.connect(tmp_path / "state.db") as database:
        database.execute("UPDATE migrations SET version = 99 WHERE part = 'sessions'")
    database.close()
    with pytest.raises(HermesError, match="version 99"):
        sessions.start()


def test_a_task_has_its_session_until_it_is_forgotten(sessions):
    session = sessions.start(task_id="t")
    assert sessions.of_task("t") is session
    assert sessions.of_task("other") is None
    sessions.forget("t")
    assert sessions.of_task("t") is None
