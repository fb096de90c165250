"""Requests that people type reach the right tool with the right arguments."""

import pytest
from tests.agent.builtin.shop import FILES
from tests.agent.builtin.store import FILES as STORE

SETS = [f"{name}.jsonl" for name in ("requests", "blind", "third", "fourth", "fifth", "sixth")]
SHOP_SETS = [
    f"{name}.jsonl" for name in ("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")
]
STORE_SETS = [f"{name}.jsonl" for name in ("thirteenth", "fourteenth", "fifteenth", "sixteenth")]


@pytest.mark.timeout(120)
@pytest.mark.proves("builtin-requests")
@pytest.mark.parametrize("name", SETS)
def test_nine_of_ten_requests_reach_the_right_tool(judged, name):
    wrong, total = judged(name)
    assert len(wrong) <= total / 10, wrong


@pytest.mark.timeout(120)
@pytest.mark.proves("builtin-requests")
@pytest.mark.parametrize("name", SHOP_SETS)
def test_nine_of_ten_requests_of_a_stranger_reach_the_right_tool(judged, name):
    wrong, total = judged(name, FILES)
    assert len(wrong) <= total / 10, wrong


@pytest.mark.timeout(120)
@pytest.mark.proves("builtin-requests")
@pytest.mark.parametrize("name", STORE_SETS)
def test_nine_of_ten_requests_about_a_larger_project_reach_the_right_tool(judged, name):
    wrong, total = judged(name, STORE)
    assert len(wrong) <= total / 10, wrong
