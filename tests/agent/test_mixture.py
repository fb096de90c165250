import asyncio

import pytest

from hermes.agent.budget import Budget
from hermes.agent.mixture import Asker, Ensemble, Limits
from hermes.base.errors import ConfigError, ToolError
from hermes.llm.contract import ModelError, Reply, Usage
from hermes.llm.scripted import Scripted

QUESTION = "Is 91 a prime?"


class Caller:
    task_id = "t"

    def __init__(self):
        self.told = []

    def progress(self, text):
        self.told.append(text)


class Models:
    """Models by name; some of them fail."""

    def __init__(self, **answers):
        self.own = Scripted(lambda _: "own answer", name="own:model")
        self.answers = answers
        self.made = {}
        self.closed = []

    def open(self, name):
        if name == "odd":
            raise ValueError("an odd name")
        if name not in self.answers:
            raise ConfigError(f"there is no model {name!r}")
        closed = self.closed

        class Opened(Scripted):
            async def close(self):
                closed.append(name)

        self.made[name] = Opened(lambda _: self.answers[name], name=name)
        return self.made[name]


def ask(models, names=(), aggregator=None, *, limits=None, budget=None, caller=None):
    asker = Asker(models.own, (budget or Budget()).spend)
    ensemble = Ensemble(
        models.open, lambda task: asker if task == "t" else None, limits or Limits()
    )
    return asyncio.run(ensemble.ask(caller or Caller(), QUESTION, names, aggregator))


@pytest.mark.proves("mixture")
def test_one_model_makes_an_answer_of_all():
    models = Models(a=Reply("yes", usage=Usage(5, 1)), b="no: 7 * 13", judge="no")
    budget, caller = Budget(), Caller()
    result = ask(models, ["a", "b"], "judge", budget=budget, caller=caller)
    assert (result.text, result.aggregator, result.note) == ("no", "judge", "")
    assert [(one.model, one.text) for one in result.opinions] == [("a", "yes"), ("b", "no: 7 * 13")]
    (request,) = models.made["judge"].requests
    assert request.messages[1].text == (
        f"# The question\n{QUESTION}\n\n# Answer 1\nyes\n\n# Answer 2\nno: 7 * 13"
    )
    assert models.made["a"].requests[0].definitions == ()
    assert sorted(models.closed) == ["a", "b", "judge"]
    assert budget.tokens_used == 6
    assert caller.told == ["2 of 2 answered"]


@pytest.mark.proves("mixture")
def test_some_may_fail():
    models = Models(a=ModelError("no key", trouble="key"), b="no", c="  ", d=RuntimeError("bug"))
    result = ask(models, ["a", "b", "c", "d", "nobody", "odd"])
    assert (result.text, result.aggregator) == ("own answer", "own:model")
    errors = {one.model: one.error for one in result.opinions}
    assert errors["a"] == "no key" and errors["b"] == ""
    assert errors["c"] == "an empty answer" and "bug" in errors["d"]
    assert "no model 'nobody'" in errors["nobody"]
    assert errors["odd"] == "an odd name"


@pytest.mark.proves("mixture")
def test_an_aggregator_that_fails_costs_no_answer():
    models = Models(a="yes", b="no", judge=ModelError("down", trouble="busy"))
    result = ask(models, ["a", "b"], "judge")
    assert (result.text, result.aggregator) == ("yes", "a")
    assert result.note == (
        "judge was to make one answer of all, but failed (down); this is the first"
    )


def test_when_all_fail_the_reasons_are_told():
    models = Models(a=ModelError("no key", trouble="key"))
    with pytest.raises(ToolError, match="none of the models answered: a: no key; b: there is no"):
        ask(models, ["a", "b"])


def test_without_names_the_settings_count():
    models = Models(a="1", b="2", judge="3")
    result = ask(models, limits=Limits(("a", "b"), "judge"))
    assert result.text == "3" and [one.model for one in result.opinions] == ["a", "b"]


def test_with_nothing_set_the_agents_own_model_is_asked_three_times():
    models = Models()
    result = ask(models)
    assert [one.model for one in result.opinions] == ["own:model"] * 3
    assert [one.temperature for one in models.own.requests] == [0.8, 0.8, 0.8, None]


def test_a_model_that_does_not_answer_is_not_waited_for():
    async def never(request):
        await asyncio.Event().wait()

    models = Models(a=never, b="no")
    result = ask(models, ["a", "b"], limits=Limits(seconds=0.05))
    assert [one.error for one in result.opinions] == ["no answer within 0.05 seconds", ""]
    assert "a" in models.closed


def test_a_model_named_twice_is_asked_once_and_too_many_are_refused():
    models = Models(a="1", own="x")
    assert len(ask(models, ["a", "a"]).opinions) == 1
    with pytest.raises(ToolError, match="9 models were named, and 8 are allowed"):
        ask(models, [str(number) for number in range(9)])


def test_a_task_without_an_agent_gets_no_answer():
    caller = Caller()
    caller.task_id = "other"
    with pytest.raises(ToolError, match="does not come from an agent"):
        ask(Models(), caller=caller)
