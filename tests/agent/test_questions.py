"""A model that misbehaves never crashes the loop."""

import pytest

from hermes.agent.events import Done, Noted, Said, Taken
from hermes.agent.options import AgentOptions
from hermes.base.messages import Message
from hermes.llm.contract import ModelError, Reply, TextPiece, Usage
from hermes.llm.scripted import Step, call


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.proves("agent-faults")
@pytest.mark.parametrize("trouble", ["refused", "key", "limit", "busy", "unreachable"])
def test_a_model_that_cannot_be_asked_ends_the_turn_with_its_reason(agent, play, trouble, check):
    error = ModelError("429: slow down", trouble=trouble, hint="Wait a minute.")
    one, model = agent([error, "fine again"])
    assert play(one)[-1] == Done("", "failed", "429: slow down. Wait a minute.", rounds=1)
    assert play(one)[-1].text == "fine again"
    assert check(model.requests[-1].messages)


@pytest.mark.proves("agent-faults")
@pytest.mark.parametrize("fault", ["cut", "ended"])
def test_an_answer_that_ends_early_is_asked_for_once_more(agent, play, fault):
    one, model = agent([Step("a long answer", fault=fault), "the answer"])
    events = play(one)
    assert len(of(Taken, events)) == 1
    assert events[-1] == Done("the answer", "answered", rounds=2)
    assert [m.role for m in model.requests[1].messages] == ["system", "user"]


@pytest.mark.proves("agent-faults")
def test_an_answer_that_ends_early_twice_fails_with_what_came(agent, play, check):
    one, _ = agent([Step("one two three four", fault="ended")] * 2)
    done = play(one)[-1]
    assert (done.ending, done.text) == ("failed", "one two")
    assert "stopped in the middle of its answer" in done.error
    assert check(one.messages)


class Garbage:
    """A model that yields or raises what no model should."""

    name, window = "test:garbage", -5

    def __init__(self, pieces):
        self.pieces = pieces

    async def ask(self, request):
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    async def close(self):
        pass


@pytest.mark.proves("agent-faults")
@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [None, 7, "text", b"\x00", {"choices": []}],
        [TextPiece(None), TextPiece("a")],
        [ValueError("<html>502 Bad Gateway</html>")],
        [TextPiece("half"), RuntimeError("socket closed")],
        [KeyError("choices")],
        [StopAsyncIteration()],
        [Reply("", calls=("nonsense", None, 3))],
        [Reply("")],
        [Reply(None, calls=None)],
    ],
)
def test_garbage_from_a_model_is_a_failed_turn_with_a_reason(agent, play, check, pieces):
    one, _ = agent([])
    one.model = Garbage(pieces)
    done = play(one)[-1]
    assert done.ending == "failed"
    assert "test:garbage" in done.error
    assert check(one.messages)


@pytest.mark.parametrize(
    "reply",
    [Reply("fine", usage=None), Reply("fine", stop="nonsense"), Reply("fine", calls=None)],
)
def test_an_answer_with_odd_parts_is_still_an_answer(agent, play, reply):
    one, _ = agent([])
    one.model = Garbage([reply])
    assert play(one)[-1] == Done("fine", "answered", rounds=1)


def test_a_model_whose_ask_cannot_even_begin_is_a_failed_turn(agent, play):
    class Broken(Garbage):
        def ask(self, request):
            raise TypeError("no such argument")

    one, _ = agent([])
    one.model = Broken([])
    assert "no such argument" in play(one)[-1].error


def test_what_was_not_streamed_is_said_at_the_end(agent, play):
    one, _ = agent([])
    one.model = Garbage([TextPiece("hel"), Reply("hello")])
    assert [event.text for event in of(Said, play(one))] == ["hel", "lo"]


def test_an_empty_answer_is_asked_for_again(agent, play):
    one, model = agent([Reply(""), "now then"])
    events = play(one)
    assert "empty answer" in of(Noted, events)[0].text
    assert events[-1].text == "now then"
    assert "was empty" in model.requests[1].messages[-1].text


def test_a_retry_of_the_model_voids_what_was_said(agent, play):
    one, _ = agent([Step("hello out there", fault="retried")])
    events = play(one)
    at = events.index(of(Taken, events)[0])
    said = "".join(event.text for event in events[at:] if isinstance(event, Said))
    assert said == "hello out there"
    assert events[-1].text == "hello out there"


def test_broken_arguments_are_repaired_or_answered(agent, play, check):
    one, model = agent([Step(call("echo", text="long enough"), fault="malformed"), "ok"])
    events = play(one)
    assert events[-1].ending == "answered"
    assert check(model.requests[-1].messages)


def test_a_conversation_that_is_too_long_is_compacted_and_asked_again(agent, play):
    earlier = [
        message
        for n in range(40)
        for message in (
            Message("user", f"question {n} " * 30),
            Message("assistant", "answer " * 99),
        )
    ]
    too_long = ModelError("400: context length exceeded", trouble="too long")
    one, model = agent([too_long, "## Goals\n" + "a summary " * 9, "made it"], earlier=earlier)
    events = play(one, "the last question")
    assert events[-1].text == "made it"
    assert "replaced by a summary" in of(Noted, events)[0].text
    assert len(model.requests[2].messages) < len(model.requests[0].messages)


def test_a_conversation_that_stays_too_long_ends_the_turn(agent, play):
    one, model = agent([ModelError("too long", trouble="too long", hint="Start anew.")] * 20)
    done = play(one)[-1]
    assert done.ending == "failed"
    assert "too long. Start anew." in done.error
    assert len(model.requests) < 12


def test_the_options_reach_the_model(agent, play):
    options = AgentOptions(temperature=0.5, max_tokens=77)
    one, model = agent(["hi"], options=options)
    play(one)
    assert (model.requests[0].temperature, model.requests[0].max_tokens) == (0.5, 77)
    assert model.requests[0].definitions
    assert one.usage == Usage(dollars=None)
