"""What the browser tools cost beside bare Playwright."""

from __future__ import annotations

from statistics import median

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level, ratio, seconds
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Load and show pages in both, and open the browser of another task."""
    found = ask_fresh("browsing:measure", rounds=effort.rounds)
    share = found["compact"] / found["whole"]
    cold = found["cold"]
    return {
        "browser_page": ratio(found["ours"], found["bare"]),
        "browser_large": level(
            found["shown"],
            scale=1e3,
            detail=f"bare Playwright's tree alone: {seconds(median(found['shown_bare']))}",
        ),
        "browser_tokens": Measured(share, share, f"{found['compact']:,} of {found['whole']:,}"),
        "browser_episode": ratio(found["played"], found["played_bare"]),
        "browser_second": level([each / cold for each in found["second"]]),
        "browser_second_page": level(found["second_page"], scale=1e3),
    }


FAMILIES = (
    Family(
        "browser",
        (
            Figure(
                "browser_page", "browser_navigate, warm ÷ bare Playwright's goto and tree", bar=1.5
            ),
            Figure("browser_large", "browser_snapshot of 5,000 nodes", "ms", bar=150),
            Figure("browser_tokens", "its characters ÷ those of the whole tree", bar=0.4),
            Figure(
                "browser_episode", "a mix of MiniWoB++ tasks ÷ the same steps in Playwright", bar=2
            ),
            Figure("browser_second", "a second task's context ÷ the first browser, cold", bar=0.1),
            Figure("browser_second_page", "its first page, opened and shown", "ms"),
        ),
        measure,
    ),
)
