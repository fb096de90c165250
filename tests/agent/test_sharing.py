from hermes.agent.budget import Budget
from hermes.agent.sharing import Share
from hermes.llm.contract import Usage


def test_what_a_child_uses_counts_for_both():
    whole = Budget(rounds=10, tokens=100)
    share = Share(whole, 5)
    share.take_round()
    share.spend(Usage(30, 10))
    assert (whole.rounds_used, whole.tokens_used) == (1, 40)
    assert (share.rounds_left, share.tokens_left) == (4, 60)
    assert share.exhausted() == ""


def test_a_share_ends_with_its_own_rounds():
    share = Share(Budget(), 1)
    assert share.is_last()
    share.take_round()
    assert share.exhausted() == "all 1 rounds are used"
    assert share.tokens_left is None


def test_children_leave_their_parent_two_rounds():
    whole = Budget(rounds=3)
    share = Share(whole, 5)
    assert share.rounds_left == 1
    whole.take_round()
    assert share.exhausted() == "the rounds that it shares with its parent are used"
    assert whole.rounds_left == 2


def test_tokens_are_those_of_the_whole():
    whole = Budget(tokens=10)
    share = Share(whole, 5)
    whole.spend(Usage(10, 0))
    assert share.exhausted() == "all 10 tokens are used"
