"""Dangerous commands, run for real and undone: all that the workspace held is there again."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from containment_sample import sample

DRIVER = Path(__file__).with_name("checkpoints_driver.py")
SKIPPED = 77


@pytest.mark.proves("checkpoint-undo")
@pytest.mark.timeout(300)
def test_all_that_dangerous_commands_destroyed_in_the_workspace_comes_back(record_property):
    commands = sample(130, 10, seed=11)
    done = subprocess.run(
        [sys.executable, DRIVER],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=280,
    )
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    each = json.loads(done.stdout)
    assert len(each) == len(commands)
    assert [one["command"] for one in each if one["lost"]] == []
    assert [one["command"] for one in each if one["left"]] == []
    destroying = [one for one in each if one["changed"]]
    assert len(destroying) > 5, "the commands did not really run"
    assert [one["command"] for one in destroying if not one["is_kept"]] == []
    record_property("commands that changed the workspace", len(destroying))
