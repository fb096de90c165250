import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes.base.errors import HermesError
from hermes.base.messages import Message, ToolCall
from hermes.services.sessions.words import terms

ANY_FIXTURE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def told(sessions, *texts, **said):
    session = sessions.start(**said)
    for number, text in enumerate(texts):
        session.add(Message("assistant" if number % 2 else "user", text))
    return session


def found(sessions, query, **how):
    return [hit.session.id for hit in sessions.search(query, **how).hits]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The nightly deployment failed", "deployment"),
        ("The nightly deployment failed", "failed nightly"),
        ("The nightly deployment failed", "DEPLOY"),
        ("The nightly deployment failed", '"nightly deployment"'),
        ("The nightly deployment failed", "ploymen"),
        ("call fetch_all_rows(limit=5)", "fetch_all_rows"),
        ("call fetchAllRows()", "etchAllRow"),
        ("see src/hermes/app.py line 7", "src/hermes/app.py"),
        ("Le café est fermé", "cafe ferme"),
        ("the error was E0425: C++ code", "E0425"),
        ("我们需要迁移数据库到新的服务器", "数据库"),
        ("我们需要迁移数据库到新的服务器", "数据"),
        ("我们需要迁移数据库到新的服务器", "库"),
        ("我们需要迁移数据库到新的服务器", "迁移 服务器"),
        ("我们需要迁移数据库到新的服务器", "迁移数据库到新"),
        ("deploy 数据库 to production", "production 数据"),
        ("use sqlite数据库 here", "sqlite数据库"),
        ("東京タワーへ行きました", "タワー"),
        ("東京タワーへ行きました", "行き"),
        ("서울에서 만나요", "서울"),
        ("ฉันรักประเทศไทย", "ประเทศ"),
        ("party 🎉 time", "🎉"),
        ("100% of x -> y", "->"),
    ],
)
def test_what_was_said_is_found(sessions, text, query):
    session = told(sessions, text)
    told(sessions, "Something else altogether", "完全不同的内容")
    assert found(sessions, query) == [session.id]


@pytest.mark.parametrize("query", ["数库", "据数", "zebra", '"failed nightly"'])
def test_what_was_not_said_is_not_found(sessions, query):
    told(sessions, "The nightly deployment failed 数据库")
    assert found(sessions, query) == []


@given(st.text(st.characters(), max_size=40) | st.text("\"*():^-+ANDORTNE{}\0'", max_size=20))
@settings(suppress_health_check=ANY_FIXTURE)
@pytest.mark.proves("session-any-query")
def test_any_text_is_a_question(sessions, query):
    sessions.start().add(Message("user", "hello"))
    sessions.search(query, limit=1)


@given(st.text(st.sampled_from("ab数据庫あいé 🎉_-. "), min_size=1, max_size=12), st.data())
@settings(suppress_health_check=ANY_FIXTURE)
def test_every_part_of_a_text_in_a_script_without_spaces_finds_it(sessions, text, data):
    run = "".join(char for char in text if char in "数据庫あい")
    if not run:
        return
    session = told(sessions, run)
    start = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(start + 1, len(run)))
    ids = found(sessions, run[start:end], limit=1000, window=0, bookends=0)
    assert session.id in ids
    sessions.delete(session.id)


def test_hits_come_with_snippet_window_and_bookends(sessions):
    session = told(sessions, *(f"message {number}" for number in range(10)))
    session.add(Message("user", "x " * 200 + "the Needle is here" + " y" * 200))
    for number in range(10, 20):
        session.add(Message("assistant", f"message {number}"))
    (hit,) = sessions.search("needle", window=2, bookends=1).hits
    assert ">>>Needle<<<" in hit.snippet
    assert len(hit.snippet) < 300
    assert (hit.role, hit.hits) == ("user", 1)
    assert [entry.message.text[:10] for entry in hit.entries if entry.id != hit.id] == [
        "message 8", "message 9", "message 10", "message 11",
    ]  # fmt: skip
    assert [entry.message.text for entry in (*hit.first, *hit.last)] == ["message 0", "message 19"]


def test_who_said_it_can_be_chosen(sessions):
    mine, yours = told(sessions, "apple"), told(sessions, "pear", "apple")
    assert set(found(sessions, "apple")) == {mine.id, yours.id}
    assert found(sessions, "apple", roles=("user",)) == [mine.id]
    assert found(sessions, "apple", roles=("assistant",)) == [yours.id]
    assert found(sessions, "ppl", roles=("assistant",)) == [yours.id]
    assert found(sessions, "apple", roles=("tool",)) == []


def test_order_can_be_chosen(sessions):
    ids = [told(sessions, f"apple {number}").id for number in range(5)]
    assert found(sessions, "apple", sort="oldest", limit=2) == ids[:2]
    assert found(sessions, "apple", sort="newest", limit=2) == ids[:2:-1]


def test_the_better_hit_comes_first(sessions):
    exact = told(sessions, "the lamp switch is broken")
    told(sessions, "broken lamp", "switch")
    told(sessions, "lamp")
    assert found(sessions, "lamp switch")[0] == exact.id
    assert len(found(sessions, "lamp switch")) == 3


def test_children_and_the_present_session_are_left_out(sessions):
    parent = told(sessions, "apple")
    child = told(sessions, "apple", parent=parent.id)
    assert found(sessions, "apple") == [parent.id]
    assert set(found(sessions, "apple", children=True)) == {parent.id, child.id}
    assert found(sessions, "ppl") == [parent.id]
    assert found(sessions, "apple", besides=parent.id) == []


def test_copies_in_forks_are_one_hit(sessions):
    session = told(sessions, "apple")
    fork = sessions.fork(session.id)
    assert found(sessions, "apple") == [session.id]
    fork.add(Message("user", "banana"))
    assert found(sessions, "banana") == [fork.id]
    sessions.delete(session.id)
    assert found(sessions, "apple") == [fork.id]


def test_what_calls_ask_for_is_found_and_their_form_is_not(sessions):
    session = sessions.start()
    call = ToolCall("id-1", "read_file", {"path": "notes/plan.txt", "深": ["库存"]})
    session.add(Message("assistant", calls=(call,)))
    assert found(sessions, "plan.txt") == [session.id]
    assert found(sessions, "read_file") == [session.id]
    assert found(sessions, "库存") == [session.id]
    assert found(sessions, "arguments") == []


def test_a_common_word_is_told_to_have_more(sessions):
    session = sessions.start()
    session.add_all([Message("user", "apple")] * 400)
    rare = told(sessions, "pear")
    common = sessions.search("apple")
    assert ([hit.session.id for hit in common.hits], common.is_complete) == ([session.id], False)
    assert sessions.search("pear").is_complete
    assert found(sessions, "pear") == [rare.id]


def test_a_system_prompt_is_not_searched(sessions):
    session = sessions.start(system="the zebra rules")
    session.add(Message("system", "the zebra rules"))
    assert found(sessions, "zebra") == []
    assert found(sessions, "ebr") == []


def test_a_hit_can_be_looked_around(sessions):
    session = told(sessions, *map(str, range(10)))
    ids = [entry.id for entry in session.entries()]
    stretch = sessions.around(session.id, ids[4], window=2)
    assert [entry.message.text for entry in stretch.entries] == ["2", "3", "4", "5", "6"]
    assert (stretch.before, stretch.after, stretch.session.id) == (2, 3, session.id)
    with pytest.raises(HermesError, match="has no message"):
        sessions.around(session.id, ids[-1] + 1)


def test_a_session_is_read_from_both_ends(sessions):
    session = told(sessions, *map(str, range(10)))
    head, tail = sessions.ends(session.id, first=3, last=2)
    assert [entry.message.text for entry in head.entries] == ["0", "1", "2"]
    assert [entry.message.text for entry in tail.entries] == ["8", "9"]
    assert (head.after, tail.before) == (7, 8)
    (whole,) = sessions.ends(session.id, first=5, last=5)
    assert (len(whole.entries), whole.before, whole.after) == (10, 0, 0)
    (empty,) = sessions.ends(sessions.start().id)
    assert empty.entries == ()


def test_a_question_of_many_words_is_cut():
    assert len(terms(" ".join(map(str, range(1000))))) == 24
