import asyncio

import pytest

from hermes.base.errors import InvalidArguments
from hermes.services.clarify import Clarified, Clarifier, Question


def ask(clarifier, question="Which one?", choices=()):
    return asyncio.run(clarifier.ask("t", question, choices))


def answering(said, seen=None):
    async def person(question):
        if seen is not None:
            seen.append(question)
        if isinstance(said, BaseException):
            raise said
        return said

    clarifier = Clarifier()
    clarifier.answer_with("t", person)
    return clarifier


def test_the_person_of_the_task_is_asked():
    seen = []
    answer = ask(answering(" the blue one ", seen), " Which? ", ["red", " blue  one", "red", ""])
    assert answer == Clarified("the blue one", "person")
    assert seen == [Question("t", "Which?", ("red", "blue one"))]


def test_the_number_of_a_choice_stands_for_it():
    assert ask(answering("2"), choices=["red", "blue"]).text == "blue"
    assert ask(answering("3"), choices=["red", "blue"]).text == "3"
    assert ask(answering("2"), choices=["3", "2"]).text == "2"
    assert ask(answering("2")).text == "2"


def test_with_nobody_there_the_agent_decides():
    answer = ask(Clarifier())
    assert answer.by == "policy" and "decide yourself" in answer.text
    clarifier = answering("x")
    clarifier.answer_with("t", None)
    assert not clarifier.has_person("t")
    assert ask(clarifier).by == "policy"


@pytest.mark.parametrize("said", [None, "", "  ", EOFError(), OSError("gone")])
def test_no_answer_leaves_it_to_the_agent(said):
    answer = ask(answering(said))
    assert answer.by == "policy" and "decide yourself" in answer.text


def test_an_answer_that_does_not_come_is_not_waited_for_any_longer():
    async def silent(question):
        await asyncio.Event().wait()

    clarifier = Clarifier(seconds=0.01)
    clarifier.answer_with("t", silent)
    assert ask(clarifier) == Clarified(
        "Nobody answered in time: decide yourself, and say in your answer what you assumed.",
        "policy",
    )


def test_only_the_task_itself_is_answered():
    clarifier = answering("x")
    assert asyncio.run(clarifier.ask("other", "Which?")).by == "policy"
    clarifier.forget("t")
    assert ask(clarifier).by == "policy"


@pytest.mark.parametrize(
    ("question", "choices", "says"),
    [
        ("  ", (), "there is no question"),
        ("x" * 5_000, (), "5,000 characters"),
        ("Which?", "abcde", "5 choices were given, and 4 are allowed"),
    ],
)
def test_what_cannot_be_asked_is_refused(question, choices, says):
    with pytest.raises(InvalidArguments, match=says):
        ask(answering("x"), question, choices)
