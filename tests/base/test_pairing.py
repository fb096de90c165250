from hypothesis import given
from hypothesis import strategies as st

from hermes.base.messages import Message, ToolCall
from hermes.base.pairing import maybe_done, sound

USER = Message("user", "go")


def asks(*ids):
    return Message("assistant", calls=tuple(ToolCall(id, "t", {}) for id in ids))


def answers(id, text="ok"):
    return Message("tool", text, call_id=id)


def test_a_sound_conversation_stays_as_it_is():
    said = (USER, asks("a", "b"), answers("a"), answers("b"), Message("assistant", "done"))
    assert sound(said) == said


def test_a_call_without_an_answer_may_have_been_done():
    mended = sound((USER, asks("a", "b"), answers("a")))
    assert mended[:3] == (USER, asks("a", "b"), answers("a"))
    assert mended[3] == maybe_done(ToolCall("b", "t", {}))
    assert "may have been done" in mended[3].text


def test_a_late_answer_moves_to_its_call():
    assert sound((asks("a"), USER, answers("a"))) == (asks("a"), answers("a"), USER)


def test_an_answer_to_nothing_and_a_second_answer_are_left_out():
    said = (answers("x"), asks("a"), answers("a"), answers("a", "again"), answers("y"))
    assert sound(said) == (asks("a"), answers("a"))


def test_an_id_that_comes_again_gets_its_own_answers():
    said = (asks("a"), USER, asks("a"), answers("a"))
    assert sound(said) == (asks("a"), maybe_done(ToolCall("a", "t", {})), USER, *said[2:])
    twice = (asks("a", "a"), answers("a", "1"), answers("a", "2"))
    assert sound(twice) == twice


ids = st.sampled_from("abc")
steps = st.one_of(
    st.just(USER),
    st.lists(ids, max_size=3).map(lambda found: asks(*found)),
    ids.map(answers),
)


@given(st.lists(steps, max_size=12))
def test_every_call_is_followed_by_its_answer_whatever_was_recorded(said):
    mended = list(sound(said))
    assert sound(mended) == tuple(mended)
    assert [each for each in mended if each.role != "tool"] == [
        each for each in said if each.role != "tool"
    ]
    while mended:
        message = mended.pop(0)
        assert message.role != "tool"
        for call in message.calls:
            assert mended.pop(0).call_id == call.id
