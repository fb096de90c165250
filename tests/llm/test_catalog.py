import pytest

from hermes.llm.catalog import Facts, look_up
from hermes.llm.contract import Usage


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic/claude-opus-4.8", "claude-opus-4-8"),
        ("openai/gpt-5.4-mini-2026-03-17", "gpt-5.4-mini"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5.2-chat-latest", "gpt-5.2"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini-3.1-pro-preview", "gemini-3.1-pro"),
        ("GPT-4o-2024-11-20", "gpt-4o"),
        ("anthropic/claude-sonnet-5.5:beta", "claude-sonnet-5-5"),
    ],
)
def test_dates_paths_and_dots_do_not_hide_a_model(name, same):
    assert look_up(name) == look_up(same) != Facts()


@pytest.mark.parametrize(
    "name", ["gpt-5.9", "gpt-5-super", "claude-opus-9", "claude-opus-5-6", "llama3", "", "o3-max"]
)
def test_what_is_only_like_a_known_model_is_unknown(name):
    assert look_up(name) == Facts(0, 0, None)


def test_cached_and_written_tokens_have_their_own_price():
    price = look_up("claude-opus-5").price
    million = 1_000_000
    assert price.dollars(Usage(input=million)) == 5
    assert price.dollars(Usage(input=million, cached=million)) == 0.5
    assert price.dollars(Usage(input=million), written=million) == 6.25
    assert price.dollars(Usage(output=million)) == 25


def test_a_long_question_costs_more_where_the_provider_says_so():
    price = look_up("gpt-6.1-sol").price
    assert price.dollars(Usage(input=200_000, output=1_000)) == pytest.approx(0.41)
    assert price.dollars(Usage(input=300_000, output=1_000)) == pytest.approx(1.215)


def test_every_row_is_plausible():
    from hermes.llm.catalog import _table

    for name, facts in _table().items():
        assert 0 < facts.output < facts.window, name
        assert 0 < facts.price.cached < facts.price.input < facts.price.output, name
