"""The words for effects."""

import pytest

from hermes.policy.effects import EFFECTS, unknown_effect
from hermes.runtime.entry import UNORDERED


def test_every_known_word_is_an_effect():
    assert [word for word in EFFECTS if unknown_effect(word)] == []
    assert EFFECTS.keys() >= UNORDERED


@pytest.mark.parametrize(
    ("word", "near"), [("reed", "'read'"), ("net", "'network'"), ("Write", "'write'")]
)
def test_a_misspelt_word_gets_the_nearest(word, near):
    assert f"Did you mean {near}" in unknown_effect(word)


@pytest.mark.parametrize("word", ["nothing_such", "", 5, None, [], {}])
def test_any_other_value_gets_the_list(word):
    assert "Known effects: none, read, write" in unknown_effect(word)
