"""What judging commands costs, and how well it judges those of the corpora."""

from __future__ import annotations

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import level
from bench.processes import ask_fresh


def measure(effort: Effort) -> dict[str, Measured]:
    """Judge the commands of the tests, and one of a thousand parts."""
    answer = ask_fresh("policy:measure", rounds=min(effort.rounds, 5))
    asked, counts = answer["asked"], answer["counts"]
    shares = {name: 100 * asked[name] / counts[name] for name in counts}
    words = {name: f"{asked[name]} of {counts[name]}" for name in counts}
    first = f"the first one, with all tables to read, {answer['first'] * 1e3:.0f} ms"
    return {
        "verdict": level(answer["each"], scale=1e3, detail=first),
        "verdict_1000": level(answer["thousand"], scale=1e3, detail="`ls src && git status && …`"),
        "verdict_1000_distinct": level(
            answer["distinct"], scale=1e3, detail="`rm -f tmp/1.txt; …`"
        ),
        **{
            f"commands_{name}": Measured(shares[name], shares[name], words[name]) for name in counts
        },
    }


FAMILIES = (
    Family(
        "policy",
        (
            Figure("verdict", "verdict on one command of the corpora, warm", "ms", bar=0.3),
            Figure("verdict_1000", "verdict on a command of 1,000 parts", "ms", bar=30),
            Figure("verdict_1000_distinct", "the same with 1,000 different files", "ms"),
            Figure(
                "commands_dangerous", "dangerous commands asked about", "%", bar=98, at_least=True
            ),
            Figure("commands_benign", "benign commands asked about", "%", bar=2),
            Figure("commands_everyday", "everyday ones of these", "%", bar=0.5),
            Figure("commands_floor", "catastrophes denied under any profile", "%", 100, True),
        ),
        measure,
    ),
)
