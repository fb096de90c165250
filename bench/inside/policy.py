"""Judging commands, over the corpora of the tests."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

from bench.harness import interleave
from hermes.policy.paths import Places
from hermes.policy.shell.grammar.parse import parse
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

CORPUS = Path(__file__).parents[2] / "tests" / "policy" / "corpus"
PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))


def measure(rounds: int) -> dict:
    """Return seconds per verdict, and how many commands of each kind were asked about."""
    sets = {name: _read(name) for name in ("dangerous", "benign", "floor")}
    started = perf_counter()
    understand("git status", PLACE)
    first = perf_counter() - started
    asked = {name: sum(map(_is_asked, entries)) for name, entries in sets.items()}
    asked["floor"] = sum(map(_is_floor, sets["floor"]))
    everyday = [entry for entry in sets["benign"] if entry["category"] == "everyday"]
    counts = {name: len(entries) for name, entries in sets.items()} | {"everyday": len(everyday)}
    asked["everyday"] = sum(map(_is_asked, everyday))
    return {"first": first, "asked": asked, "counts": counts, **_times(rounds, sets)}


def _times(rounds: int, sets: dict) -> dict:
    commands = [entry["command"] for name in ("dangerous", "benign") for entry in sets[name]]
    thousand = " && ".join(("ls src", "git status", "echo done", "cat README.md") * 250)
    distinct = "; ".join(f"rm -f tmp/{number}.txt" for number in range(1_000))

    def each() -> None:
        for command in commands:
            understand(command, PLACE)

    def one(command: str):
        def work() -> None:
            parse.cache_clear()
            understand(command, PLACE)

        return work

    times = interleave(rounds, [each, one(thousand), one(distinct)])
    per_command = [taken / len(commands) for taken in times[0]]
    return {"each": per_command, "thousand": times[1], "distinct": times[2]}


def _is_asked(entry: dict) -> bool:
    return bool(understand(entry["command"], PLACE).findings)


def _is_floor(entry: dict) -> bool:
    found = understand(entry["command"], PLACE).findings
    return any(finding.severity == "floor" for finding in found)


def _read(name: str) -> list[dict]:
    text = (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
