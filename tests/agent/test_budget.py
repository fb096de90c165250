import pytest

from hermes.agent.budget import Budget, plus
from hermes.agent.events import Done
from hermes.agent.options import AgentOptions
from hermes.llm.contract import ModelError, Reply, Usage
from hermes.llm.scripted import Scripted, call


def always(request):
    """Count on, until no tool may be called any more."""
    if request.tool_choice == "none":
        return Reply("so far so good", usage=Usage(10, 5))
    return Reply(calls=(call("count"),), stop="calls", usage=Usage(10, 5))


def test_rounds_and_tokens_are_counted_down():
    budget = Budget(3, 100)
    assert (budget.rounds_left, budget.tokens_left, budget.exhausted()) == (3, 100, "")
    budget.take_round()
    budget.take_round()
    assert budget.is_last()
    budget.spend(Usage(90, 20))
    assert budget.exhausted() == "all 100 tokens are used"
    budget.take_round()
    assert budget.exhausted() == "all 3 rounds are used"


def test_no_limit_is_never_used_up():
    budget = Budget()
    for _ in range(1_000):
        budget.take_round()
    assert (budget.rounds_left, budget.exhausted(), budget.is_last()) == (None, "", False)


def test_an_unknown_price_makes_the_sum_unknown():
    assert plus(Usage(1, 2, 3, 4, 0.5), Usage(1, 1, 1, 1, 0.25)) == Usage(2, 3, 4, 5, 0.75)
    assert plus(Usage(dollars=1.0), Usage()).dollars is None


@pytest.mark.proves("agent-budget")
def test_the_last_round_is_for_an_answer_without_tools(agent, play, check):
    one, _ = agent([], options=AgentOptions(rounds=4))
    one.model = model = Scripted(always)
    assert play(one)[-1] == Done("so far so good", "budget", "no rounds are left", rounds=4)
    assert [request.tool_choice for request in model.requests] == ["auto"] * 3 + ["none"]
    assert "last round" in model.requests[-1].messages[-1].text
    assert check(one.messages)


def test_calls_that_come_with_the_last_words_are_left_out(agent, play, check):
    one, _ = agent([], options=AgentOptions(rounds=1))
    one.model = Scripted([Reply("and now", calls=(call("count"),), stop="calls")])
    assert play(one)[-1].text == "and now"
    assert check(one.messages)


def test_last_words_that_cannot_be_had_still_end_the_turn(agent, play):
    one, _ = agent([ModelError("down", trouble="busy")], options=AgentOptions(rounds=1))
    assert play(one)[-1] == Done("", "budget", "no rounds are left", rounds=1)


@pytest.mark.proves("agent-budget")
def test_tokens_that_are_used_up_end_the_turn(agent, play, check):
    one, _ = agent([], options=AgentOptions(tokens=40))
    one.model = Scripted(always)
    done = play(one)[-1]
    assert (done.ending, done.rounds) == ("budget", 3)
    assert "all 40 tokens are used" in done.error
    assert check(one.messages)


def test_every_turn_has_its_own_budget(agent, play):
    one, _ = agent([], options=AgentOptions(rounds=2))
    one.model = Scripted(always)
    assert [event.rounds for event in play(one, "a", "b") if isinstance(event, Done)] == [2, 2]


@pytest.mark.proves("agent-budget")
def test_a_budget_that_is_handed_on_counts_for_all_who_share_it(agent, play):
    shared = Budget(rounds=5)
    first, _ = agent([], budget=shared)
    second, _ = agent([], budget=shared)
    first.model = second.model = Scripted([call("count"), call("count"), "one", call("count"), "x"])
    assert play(first)[-1].ending == "answered"
    assert play(second)[-1] == Done("x", "budget", "no rounds are left", rounds=2)
    assert shared.exhausted() == "all 5 rounds are used"
    assert play(first)[-1].ending == "budget"
