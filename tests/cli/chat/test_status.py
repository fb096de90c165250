"""The status bar tells the model, the budget and the work, in whatever room there is."""

import pytest

from hermes.agent.events import Spent
from hermes.cli.chat.status import Budget, amount, cost, lines, todo_line, todo_lines
from hermes.llm.contract import Usage
from hermes.services.todo import Todo

TODOS = (
    Todo("1", "read", "completed"),
    Todo("2", "write the\ntest", "in_progress"),
    Todo("3", "ship"),
    Todo("4", "dance", "cancelled"),
)
BUDGET = Budget(Usage(12_000, 345, dollars=0.5), 30_000, 128_000)


def test_the_bar_tells_everything_where_there_is_room():
    assert lines("openai:gpt-5", BUDGET, TODOS, 100, "developer") == [
        ("todo", "  todo 1/3 ▸ write the test"),
        ("bar", "  openai:gpt-5 · context 23% of 128k · 12k tokens · $0.50 · developer"),
    ]


def test_the_least_important_parts_give_way():
    assert lines("openai:gpt-5", BUDGET, (), 45, "developer") == [
        ("bar", "  openai:gpt-5 · context 23% of 128k")
    ]
    assert lines("openai:gpt-5", BUDGET, (), 5) == [("bar", "  openai:gpt-5")]


def test_what_an_agent_cost_stays_when_another_goes_on():
    budget = Budget().after(Spent(Usage(), Usage(5, 6, dollars=1.0), 70, 100)).handed_on()
    after = budget.after(Spent(Usage(), Usage(1, 2), 30, 100))
    assert (after.total, after.context) == (Usage(6, 8, dollars=1.0), 30)


def test_a_full_context_is_seen():
    full = BUDGET._replace(context=110_000)
    assert lines("m", full, (), 80)[0][0] == "full"


def test_a_budget_follows_what_is_spent():
    event = Spent(Usage(1, 1), Usage(5, 6), 70, 0)
    after = Budget().after(event)
    assert after == Budget(Usage(5, 6), 70, 0)
    assert (after.percent, lines("m", after, (), 80)) == (
        None,
        [("bar", "  m · context 70 · 11 tokens")],
    )


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (9_949, "9.9k"),
        (10_000, "10k"),
        (2_500_000, "2.5M"),
    ],
)
def test_tokens_take_few_characters(tokens, told):
    assert amount(tokens) == told


@pytest.mark.parametrize(
    ("dollars", "told"), [(None, ""), (0.0, "$0.00"), (0.0042, "$0.0042"), (3.456, "$3.46")]
)
def test_small_costs_are_not_rounded_away(dollars, told):
    assert cost(Usage(dollars=dollars)) == told


def test_work_that_is_done_needs_no_line():
    done = [todo._replace(status="completed") for todo in TODOS]
    assert todo_line(done, 80) == "" == todo_line((), 80)
    assert todo_lines(TODOS) == ["☑ read", "▸ write the test", "☐ ship", "☒ dance"]
