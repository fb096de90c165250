"""How much of a model's context the definitions take; `python -m bench.tokens` lists each tool."""

from __future__ import annotations

from typing import Any

from bench.figure import Effort, Family, Figure, Measured
from bench.processes import ask_fresh

CHARACTERS_PER_TOKEN = 4
FORMATS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")


def measure(effort: Effort) -> dict[str, Measured]:
    """Estimate the tokens of all definitions in each format."""
    sizes = ask_fresh("definitions:sizes")
    return {f"tokens_{format_}": _measured(sizes[format_]) for format_ in FORMATS}


def _measured(sizes: dict[str, int]) -> Measured:
    characters = sum(sizes.values()) + len(sizes) + 1
    tokens = characters / CHARACTERS_PER_TOKEN
    each = f"{len(sizes)} tools, {characters:,} characters, {tokens / len(sizes):.0f} tokens each"
    return Measured(tokens, tokens, each)


def table(sizes: dict[str, dict[str, int]]) -> str:
    """Return the tokens of every tool, one line each, longest first."""
    lines = [_line("tool", FORMATS)]
    longest_first = sorted(sizes["openai"], key=lambda name: -sizes["openai"][name])
    lines += [
        _line(name, [sizes[each][name] // CHARACTERS_PER_TOKEN for each in FORMATS])
        for name in longest_first
    ]
    return "\n".join(lines)


def _line(name: str, values: Any) -> str:
    return f"{name:24}" + "".join(f"{value:>18}" for value in values)


FAMILIES = (
    Family(
        "tokens",
        tuple(
            Figure(f"tokens_{format_}", f"all definitions, {format_} format", "tokens")
            for format_ in FORMATS
        ),
        measure,
    ),
)

if __name__ == "__main__":
    print(table(ask_fresh("definitions:sizes")))
