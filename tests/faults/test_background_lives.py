"""Thousands of commands in the background leave nothing behind: no zombie, descriptor or log."""

import asyncio
import json
import os
import select
from pathlib import Path

import pytest

from hermes import Runtime

LIVES = 400
AT_ONCE = 100
CODES = (0, 1, 7, 255)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def children():
    """Return the states of all that this process started and still has."""
    found = []
    for path in Path("/proc/self/task").glob("*/children"):
        for process in path.read_text(encoding="utf-8").split():
            stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
            found.append((stat.partition("(")[2].partition(")")[0], stat.rpartition(") ")[2][0]))
    return found


def zombies():
    """Return how many have ended and are not waited for, after a moment for those that just do."""
    for _ in range(50):
        count = sum(state == "Z" for _, state in children())
        if not count:
            break
        select.select([], [], [], 0.1)
    return count


async def life(rt, number):
    """Start a command, wait for its end, and return the exit code that it had and was told."""
    code = CODES[number % len(CODES)]
    made = {"command": f"echo {number}; exit {code}", "background": True}
    started = json.loads(await rt.call("terminal", made, "task"))
    asked = {"action": "wait", "session_id": started["session_id"], "timeout": 60}
    ended = json.loads(await rt.call("process", asked, "task"))
    return code, ended["exit_code"]


@pytest.mark.proves("background-leaves-nothing")
def test_commands_in_the_background_leave_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    asyncio.run(lives(tmp_path))
    assert children() == []
    assert list((tmp_path / "home" / "processes").iterdir()) == []


async def lives(tmp_path):
    async with Runtime(cwd=tmp_path / "work", profile="trusted") as rt:
        await asyncio.gather(*(life(rt, number) for number in range(AT_ONCE)))
        before, family = descriptors(), len(children())
        for start in range(0, LIVES, AT_ONCE):
            ended = await asyncio.gather(*(life(rt, start + n) for n in range(AT_ONCE)))
            assert [told for _, told in ended] == [code for code, _ in ended]
        assert descriptors() <= before + 5
        assert len(children()) <= family
        assert zombies() == 0
        assert len(list((tmp_path / "home" / "processes").glob("*.log"))) <= 64
        assert list((tmp_path / "home" / "processes").glob("*.json")) == []
