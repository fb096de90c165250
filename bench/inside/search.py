"""Finding tools by what they do, over the queries of the tests."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

from bench.harness import interleave
from hermes.runtime.search import ToolIndex

QUERIES = Path(__file__).parents[2] / "tests" / "runtime" / "search_queries.json"
TOOLS = QUERIES.with_name("search_tools.json")


def measure(rounds: int) -> dict:
    """Return how many queries find their tool among five, seconds per query, and for the index."""
    entries = [_entry(**tool) for part in _read(TOOLS).values() for tool in part]
    queries = [pair for part in _read(QUERIES).values() for pair in part.items()]
    started = perf_counter()
    index = ToolIndex(entries)
    building = perf_counter() - started
    found = sum(name in [hit.name for hit in index.search(query, 5)] for query, name in queries)

    def work() -> None:
        for query, _ in queries:
            index.search(query, 5)

    times = [taken / len(queries) for taken in interleave(rounds, [work])[0]]
    return {
        "found": found,
        "queries": len(queries),
        "tools": len(entries),
        "times": times,
        "building": building,
    }


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def _entry(name, description="", toolset="t", tags=(), parameters=None):
    properties = {key: {"description": words} for key, words in (parameters or {}).items()}
    return SimpleNamespace(
        name=name,
        description=description,
        toolset=toolset,
        tags=tags,
        parameters={"type": "object", "properties": properties},
    )
