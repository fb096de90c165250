"""Judge the tests that were skipped; `skips.py FILE` fails on those that need not have been.

A test says why it skips: `needs xclip (apt package xclip)`. Where the package can be had, the
machine that skipped was set up badly, and CI must not call that success.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

NEEDS = re.compile(r"\((apt|npm|pip) package ([^\s)]+)\)")


def read(path: Path) -> list[tuple[str, str]]:
    """Return the test and the reason of every skip in a file that the tests wrote."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(skip["test"], skip["reason"]) for skip in map(json.loads, lines)]


def grouped(skips: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the skipped tests by reason."""
    tests: dict[str, list[str]] = defaultdict(list)
    for test, reason in skips:
        tests[reason].append(test)
    return dict(sorted(tests.items()))


def needed(reason: str) -> list[tuple[str, str]]:
    """Return the packages that a reason names, each with its installer."""
    return NEEDS.findall(reason)


def can_be_had(installer: str, package: str) -> bool:
    """Ask an installer whether it knows a package."""
    command = {
        "apt": ["apt-cache", "policy", package],
        "npm": ["npm", "view", package, "version"],
        "pip": ["python3", "-m", "pip", "index", "versions", package],
    }[installer]
    if shutil.which(command[0]) is None:
        return False
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if installer == "apt":
        return re.search(r"Candidate: (?!\(none\))\S", answer.stdout) is not None
    return answer.returncode == 0


def main(path: Path) -> int:
    """Name the skips that need not have been and return the exit status."""
    avoidable = [
        f"{reason}: {test}"
        for test, reason in read(path)
        if any(can_be_had(*package) for package in needed(reason))
    ]
    for line in avoidable:
        print(f"skipped, and the part can be installed: {line}", file=sys.stderr)
    if avoidable:
        print("Add the part to scripts/parts.", file=sys.stderr)
    return 1 if avoidable else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
