import json

import pytest

from hermes import Runtime
from hermes.services.mixture import Mixture, MixtureResult, Opinion


class Answering(Mixture):
    def __init__(self, result):
        self.result = result
        self.asked = []

    async def ask(self, caller, prompt, models=(), aggregator=None):
        self.asked.append((caller.task_id, prompt, tuple(models), aggregator))
        return self.result


@pytest.fixture
def answered(tmp_path):
    def call(result, **args):
        service = Answering(result)
        with Runtime(cwd=tmp_path, toolsets=["moa"]) as rt:
            rt.services.provide(Mixture, lambda: service)
            return json.loads(rt.call_sync("mixture_of_agents", args, "t")), service.asked

    return call


def test_the_answer_says_who_made_it_and_who_failed(answered):
    opinions = (Opinion("a", "yes"), Opinion("b", error="no key"))
    answer, asked = answered(
        MixtureResult("yes", "c", opinions, "a note"), prompt="?", models=["a", "b"], aggregator="c"
    )
    assert answer == {
        "answer": "yes",
        "made_by": "c",
        "made_of": ["a"],
        "failed": {"b": "no key"},
        "note": "a note",
    }
    assert asked == [("t", "?", ("a", "b"), "c")]


def test_an_empty_question_is_refused(answered):
    answer, asked = answered(MixtureResult("", "", ()), prompt=" ")
    assert answer["code"] == "invalid_arguments" and asked == []
