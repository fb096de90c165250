"""The command: `python -m bench [NAME…] [--quick] [--json] [--check]`."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench import catalogue, report
from bench.figure import FULL, QUICK, Effort, Family
from bench.report import Row

RESULTS = Path(__file__).with_name("RESULTS.md")
COMMAND = "./hermes-bench"
OVER, CRASHED, MISUSED = 1, 2, 64


def main(words: list[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    options = _parser().parse_args(words)
    try:
        families = catalogue.named(options.names)
    except LookupError as error:
        print(f"bench: {error.args[0]}", file=sys.stderr)
        return MISUSED
    if not options.json:
        print(report.head(), flush=True)
    rows = []
    for row in measure(families, QUICK if options.quick else FULL):
        rows.append(row)
        if not options.json:
            print(report.line(row), flush=True)
    if options.json:
        print(json.dumps([report.record(row) for row in rows], indent=2, ensure_ascii=False))
    if not options.names and not options.quick:
        RESULTS.write_text(report.page(rows, COMMAND), encoding="utf-8")
    return status(rows, check=options.check)


def measure(families: Iterable[Family], effort: Effort) -> Iterator[Row]:
    """Measure families one after the other; one that breaks does not stop the others."""
    for family in families:
        try:
            measured = family.measure(effort)
        except Exception as error:
            traceback.print_exc()
            for figure in family.figures:
                yield Row(figure, None, str(error) or type(error).__name__)
        else:
            for figure in family.figures:
                yield Row(figure, measured[figure.name])


def status(rows: Iterable[Row], *, check: bool) -> int:
    """Return the exit status: a crash always counts, a bar that is missed only when asked."""
    states = {row.state for row in rows}
    if "failed" in states:
        return CRASHED
    return OVER if check and "over" in states else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hermes-bench",
        description="Measure hermes against baselines in the same run. A run of all figures "
        "without --quick writes bench/RESULTS.md.",
        epilog="Names: " + ", ".join(family.name for family in catalogue.FAMILIES),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these figures")
    parser.add_argument("--quick", action="store_true", help="few rounds; rough numbers")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    return parser


if __name__ == "__main__":
    sys.exit(main())
