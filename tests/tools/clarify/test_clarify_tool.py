import asyncio
import json

from hermes import Runtime
from hermes.services.clarify import Clarifier


def test_a_question_is_answered_by_the_person_of_the_task(tmp_path):
    clarifier = Clarifier()

    async def person(question):
        return f"{question.choices[0]}!"

    clarifier.answer_with("t", person)

    async def story():
        async with Runtime(cwd=tmp_path, toolsets=["clarify"]) as rt:
            rt.services.provide(Clarifier, lambda: clarifier)
            args = {"question": "Which?", "choices": ["red", "blue"]}
            return [json.loads(await rt.call("clarify", args, task)) for task in ("t", "other")]

    answered, unanswered = asyncio.run(story())
    assert answered == {"question": "Which?", "answer": "red!", "answered_by": "person"}
    assert unanswered["answered_by"] == "policy"


def test_more_than_four_choices_are_refused(tmp_path):
    with Runtime(cwd=tmp_path, toolsets=["clarify"]) as rt:
        answer = json.loads(rt.call_sync("clarify", {"question": "?", "choices": list("abcde")}))
    assert answer["code"] == "invalid_arguments"
