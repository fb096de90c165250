"""Requests that people type reach the right tool with the right arguments."""

import pytest

SETS = [f"{name}.jsonl" for name in ("requests", "blind", "third", "fourth", "fifth", "sixth")]


@pytest.mark.timeout(120)
@pytest.mark.proves("builtin-requests")
@pytest.mark.parametrize(
    "name",
    ["requests.jsonl", "blind.jsonl", "third.jsonl", "fourth.jsonl", "fifth.jsonl", "sixth.jsonl"],
)
def test_nine_of_ten_requests_reach_the_right_tool(judged, name):
    wrong, total = judged(name)
    assert len(wrong) <= total / 10, wrong
