"""What the web tools cost beside the bare libraries."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import ratio
from bench.processes import ask_fresh


def requests(effort: Effort) -> dict[str, Measured]:
    """Compare a request through the whole pipeline with the bare client."""
    times = ask_fresh("web:requests", rounds=effort.rounds, calls=effort.calls)
    return {"web_request": ratio(times["ours"], times["bare"])}


def crawl(effort: Effort) -> dict[str, Measured]:
    """Compare a crawl with asking for its pages one after the other."""
    times = ask_fresh("web:crawl", rounds=max(effort.rounds // 5, 1))
    return {"web_crawl": ratio(times["sequential"], times["ours"])}


def extract(effort: Effort) -> dict[str, Measured]:
    """Compare reading articles with trafilatura alone."""
    times = ask_fresh("web:extract", rounds=effort.rounds)
    return {"web_extract": ratio(times["ours"], times["alone"])}


FAMILIES = (
    Family(
        "web_request",
        (Figure("web_request", "http_request on this machine ÷ the bare client", bar=1.3),),
        requests,
    ),
    Family(
        "web_crawl",
        (
            Figure(
                "web_crawl",
                "100 pages one after the other ÷ web_crawl, the site thinks 50 ms each",
                bar=5,
                at_least=True,
            ),
        ),
        crawl,
    ),
    Family(
        "web_extract",
        (Figure("web_extract", "reading an article ÷ trafilatura alone", bar=1.5),),
        extract,
    ),
)
