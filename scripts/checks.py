"""Run the checks of ./test one after the other and sum them up; called by ./test.

Without arguments every check runs, also after one that failed. With arguments only pytest runs, and
gets them as they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from skips import grouped, read

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
SKIPS = ROOT / ".reports" / "skips.jsonl"
PARALLEL = ["-n", "logical", "--dist", "worksteal"]


def checks(pytest_arguments: list[str]) -> dict[str, list[str]]:
    """Return the checks to run, by name."""
    pytest = [str(BIN / "pytest"), *(pytest_arguments or PARALLEL)]
    if pytest_arguments:
        return {"tests": pytest}
    found = {
        "format": [str(BIN / "ruff"), "format", "--check", "--quiet"],
        "lint": [str(BIN / "ruff"), "check", "--quiet"],
        "types": [str(BIN / "mypy")],
        "layers": [str(BIN / "lint-imports"), "--no-logo"],
    }
    if (ROOT / "src" / "hermes" / "cli" / "reference.py").exists():
        found["reference"] = [str(BIN / "python"), "-P", "-m", "hermes.cli.reference", "--check"]
    return found | {"tests": pytest}


def run(name: str, command: list[str]) -> tuple[bool, float]:
    """Run one check in the open and return whether it passed and how long it took."""
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    env = dict(os.environ, HERMES_SKIPS=str(SKIPS))
    passed = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode == 0
    return passed, time.monotonic() - started


def show_skips() -> None:
    """List what was skipped, by reason."""
    skips = grouped(read(SKIPS))
    if skips:
        print(f"\nSkipped {sum(len(tests) for tests in skips.values())}:")
    for reason, tests in skips.items():
        print(f"  {reason}: {tests[0]}" + (f" and {len(tests) - 1} more" if tests[1:] else ""))


def main(pytest_arguments: list[str]) -> int:
    """Run the checks and return the exit status."""
    SKIPS.parent.mkdir(exist_ok=True)
    SKIPS.unlink(missing_ok=True)
    done = {name: run(name, command) for name, command in checks(pytest_arguments).items()}
    print()
    for name, (passed, seconds) in done.items():
        print(f"{'ok    ' if passed else 'FAILED'}  {name:10} {seconds:6.1f} s")
    show_skips()
    failed = [name for name, (passed, _) in done.items() if not passed]
    print(f"\nFailed: {', '.join(failed)}." if failed else "\nAll good.")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
