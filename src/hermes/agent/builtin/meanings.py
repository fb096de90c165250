"""Tell how near texts are in meaning, by static embeddings that come with their package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import wordllama  # type: ignore[import-untyped]  # it ships no types


class Meanings:
    """Embeddings of words; loaded once, without the network."""

    def __init__(self) -> None:
        folder = Path(wordllama.__file__).parent
        self._words = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    def nearness(self, text: str, others: Sequence[str]) -> list[float]:
        """Return how near each of the other texts is: 1 for the same."""
        ranked = dict(self._words.rank(text, list(others), sort=False))
        return [float(ranked.get(other, 0.0)) for other in others]
