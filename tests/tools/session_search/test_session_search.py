import json

import pytest

from hermes import Runtime
from hermes.base.messages import Message, ToolCall
from hermes.services.sessions import Sessions


@pytest.fixture
def sessions(tmp_path):
    made = Sessions(tmp_path / "state.db")
    yield made
    made.close()


@pytest.fixture
def rt(tmp_path, sessions):
    with Runtime(cwd=tmp_path, toolsets=["session_search"]) as made:
        made.services.provide(Sessions, lambda: sessions)
        yield made


@pytest.fixture
def session(sessions):
    made = sessions.start(title="Lamps", workspace="/home")
    for number in range(40):
        made.add(Message("user", f"question {number}"))
    made.add(Message("assistant", "The filament is broken", calls=(ToolCall("1", "t", {"a": 1}),)))
    made.add(Message("tool", "x" * 5000, call_id="1", name="t"))
    return made


def call(rt, task="t", **args):
    return json.loads(rt.call_sync("session_search", args, task))


def test_outside_of_an_agent_it_says_so(tmp_path):
    with Runtime(cwd=tmp_path, toolsets=["session_search"]) as made:
        answer = call(made)
    assert answer["error"] == "session_search must be handled by the agent loop"
    assert answer["code"] == "service_missing"


def test_a_query_finds_the_hit_and_what_is_around_it(rt, session):
    (found,) = call(rt, query="filament", window=2)["sessions"]
    assert (found["session_id"], found["title"]) == (session.id, "Lamps")
    assert found["hit"]["snippet"].startswith("The >>>filament<<< is broken")
    assert [each["text"] for each in found["begins"]] == ["question 0", "question 1", "question 2"]
    texts = [each["text"] for each in found["around"]]
    assert texts[:3] == ["question 38", "question 39", "The filament is broken"]
    assert len(texts[3]) < 1000
    assert found["around"][2]["calls"] == ["t {'a': 1}"]


def test_a_hit_is_looked_around(rt, session):
    hit = call(rt, query="filament")["sessions"][0]["hit"]["message_id"]
    near = call(rt, session_id=session.id, around_message_id=hit, window=1)
    assert [each["role"] for each in near["messages"]] == ["user", "assistant", "tool"]
    assert (near["messages_before"], near["messages_after"]) == (39, 0)


def test_a_session_is_read_from_both_ends(rt, session):
    whole = call(rt, session_id=session.id[:5])
    assert (len(whole["messages"]), len(whole["ends"]), whole["left_out"]) == (20, 10, 12)


def test_the_newest_are_listed_without_the_present_one(rt, sessions, session):
    now = sessions.start(task_id="t")
    now.add(Message("user", "about the filament"))
    sessions.start(parent=now.id, title="child")
    assert [each["session_id"] for each in call(rt)["sessions"]] == [session.id]
    hits = call(rt, query="filament")["sessions"]
    assert [each["session_id"] for each in hits] == [session.id]
    assert len(call(rt, task="other", query="filament")["sessions"]) == 2


def test_one_session_can_be_searched(rt, sessions, session):
    sessions.start().add(Message("user", "another filament"))
    (found,) = call(rt, query="filament", session_id=session.id)["sessions"]
    assert found["session_id"] == session.id


def test_roles_can_be_chosen(rt, session):
    assert call(rt, query="filament", role_filter="user, tool")["sessions"] == []
    assert call(rt, query="filament", role_filter="Assistant")["sessions"]
    assert call(rt, query="filament", role_filter="robot")["code"] == "invalid_arguments"
    assert session


def test_nothing_found_says_what_to_do(rt):
    assert "other words" in call(rt, query="zebra")["hint"]
    answer = call(rt, session_id="zebra")
    assert "no session is called 'zebra'" in answer["error"]
    assert "hint" in answer
