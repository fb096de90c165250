from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.agent.validity import distinct, mend, sendable
from hermes.base.messages import Message, ToolCall
from hermes.base.pairing import MAYBE_DONE

IDS = st.sampled_from(["", "a", "b", "c", " "])
NAMES = st.sampled_from(["echo", "", "no such/tool", "x" * 90])
CALLS = st.lists(st.tuples(IDS, NAMES, st.just({})).map(lambda parts: ToolCall(*parts)), max_size=3)
MESSAGES = st.one_of(
    st.sampled_from(["hi", ""]).map(lambda text: Message("user", text)),
    st.tuples(st.sampled_from(["", "text"]), CALLS).map(
        lambda parts: Message("assistant", parts[0], calls=tuple(parts[1]))
    ),
    IDS.map(lambda id_: Message("tool", "{}", call_id=id_, name="echo")),
    st.just(Message("system", "be good")),
)
LISTS = st.lists(MESSAGES, max_size=12)


@pytest.mark.proves("agent-valid")
@given(LISTS)
def test_a_mended_conversation_is_valid_whatever_it_was(messages):
    waiting = []
    for message in mend(messages):
        if message.role == "tool":
            assert waiting.pop(0) == message.call_id
            continue
        assert waiting == []
        assert message.text or message.calls or message.role != "assistant"
        waiting = [call.id for call in message.calls]
        assert len(set(waiting)) == len(waiting)
        assert all(waiting)
    assert waiting == []


@given(LISTS)
def test_mending_twice_changes_nothing_more(messages):
    once = mend(messages)
    assert mend(once) == once


@given(LISTS)
def test_mending_loses_nothing_that_was_said_or_asked(messages):
    mended = mend(messages)
    for role in ("user", "system"):
        assert [m for m in mended if m.role == role] == [m for m in messages if m.role == role]
    assert sum(len(m.calls) for m in mended) == sum(len(m.calls) for m in messages)


@given(LISTS)
def test_what_is_sent_has_no_two_messages_of_a_person_in_a_row(messages):
    roles = [message.role for message in sendable(mend(messages))]
    assert ("user", "user") not in set(pairwise(roles))


def test_answers_go_behind_their_call_in_its_order():
    calls = (ToolCall("a", "x", {}), ToolCall("b", "y", {}))
    first, second = (Message("tool", id_, call_id=id_, name="?") for id_ in "ab")
    hi = Message("user", "hi")
    mended = mend([Message("assistant", calls=calls), second, hi, first, first])
    assert [m.text or m.role for m in mended] == ["assistant", "a", "b", "hi"]
    assert [m.name for m in mended[1:3]] == ["x", "y"]


def test_a_call_without_an_answer_is_told_that_it_may_have_been_done():
    mended = mend([Message("assistant", calls=(ToolCall("a", "x", {}),)), Message("user", "?")])
    assert mended[1] == Message("tool", MAYBE_DONE, call_id="a", name="x")


def test_ids_are_made_different_and_names_fit_for_every_provider():
    given_calls = [ToolCall("a", "x", 1), ToolCall("a", "bad name!", 2), ToolCall(None, None, 3)]
    assert distinct(given_calls, {"a"}) == (
        ToolCall("a_2", "x", 1),
        ToolCall("a_3", "bad_name_", 2),
        ToolCall("call", "unnamed", 3),
    )
