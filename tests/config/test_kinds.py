"""Kinds of values: what they take, and what they say of the rest."""

import pytest

from hermes.config.kinds import Lines, Mistyped, OneOf
from hermes.config.load import load


def test_a_word_is_one_of_the_choices():
    mode = OneOf("ask", "off")
    assert mode.check("ask") == mode.parse("ask") == "ask"
    for value in ("Ask", "", None, True, 0, ["ask"]):
        with pytest.raises(Mistyped, match="expected one of ask, off, got"):
            mode.check(value)


def test_a_bare_off_in_yaml_means_the_word(hermes_home):
    (hermes_home / "config.yaml").write_text("approvals: {mode: off}\n")
    assert load().approvals.mode == "off"
    with pytest.raises(Mistyped):
        OneOf("ask", "on").check(False)


def test_lines_may_hold_commas():
    assert Lines().parse("a, b\n\n c ") == ("a, b", "c")
    assert Lines().check(["a, b"]) == ("a, b",)
