"""What dangerous commands do when they run for real in the sandbox with nobody to ask."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from bench.figure import Effort, Family, Figure, Measured
from bench.processes import LONGEST_SECONDS, PYTHON, ROOT, Broken

DRIVER = ROOT / "tests" / "faults" / "containment_driver.py"
BACKENDS = ("bubblewrap", "landlock")
COMMANDS_A_PROCESS, SEED = 8, 5


def containment(effort: Effort) -> dict[str, Measured]:
    """Run a sample of dangerous commands in each sandbox and count what came of the home."""
    commands = _sample(effort.processes * COMMANDS_A_PROCESS)
    found = {backend: _report(backend, commands) for backend in BACKENDS}
    ran = sum(done["ran"] for each in found.values() for done in each)
    return {
        "containment_commands": Measured(ran, ran, f"in {' and '.join(found)}"),
        "containment_homes": _count(found, "changed", "planted", "protected", "left", "killed"),
        "containment_secrets": _count(found, "printed"),
        "containment_workspaces": _share(_count(found, "workspace"), ran),
    }


def _sample(count: int) -> list[str]:
    sys.path.append(str(DRIVER.parent))
    from containment_sample import sample

    return sample(count - count // 5, count // 5, seed=SEED)


def _report(backend: str, commands: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [PYTHON, str(DRIVER), backend],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    if done.returncode:
        raise Broken(f"{backend}: {done.stderr.strip()}")
    return json.loads(done.stdout)["each"]


def _count(found: dict[str, list[dict[str, Any]]], *kinds: str) -> Measured:
    """Count the commands that did any of this, in all sandboxes together."""
    each = {
        backend: sum(any(done[kind] for kind in kinds) for done in report)
        for backend, report in found.items()
    }
    detail = ", ".join(f"{backend} {count}" for backend, count in each.items())
    return Measured(sum(each.values()), min(each.values()), detail)


def _share(count: Measured, ran: int) -> Measured:
    share = 100 * count.value / ran
    return Measured(share, share, count.detail)


FAMILIES = (
    Family(
        "containment",
        (
            Figure("containment_commands", "dangerous commands run in a sandbox", "commands"),
            Figure("containment_homes", "homes that they changed", "homes", bar=0),
            Figure("containment_secrets", "commands that showed a secret", "commands", bar=0),
            Figure("containment_workspaces", "of them cost the workspace something", "%"),
        ),
        containment,
    ),
)
