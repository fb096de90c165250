"""The locks: everything pinned, nothing tied to an index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins(group):
    text = (ROOT / "requirements" / f"{group}.lock").read_text(encoding="utf-8")
    blocks = [block for block in re.split(r"\n(?=\w)", text) if "==" in block]
    return {
        name: (version, block.count("--hash=sha256:"))
        for block in blocks
        for name, version in [re.match(r"([\w.-]+)==([\w.]+)", block).groups()]
    }


@pytest.mark.proves("frame-locks")
@pytest.mark.parametrize("group", ["base", "dev", "uv", "mcp/current", "mcp/earlier"])
def test_a_lock_pins_every_package_by_hash_and_names_no_host(group):
    text = (ROOT / "requirements" / f"{group}.lock").read_text(encoding="utf-8")
    assert pins(group)
    assert all(hashes > 0 for _, hashes in pins(group).values())
    assert "://" not in text and "--index" not in text


def test_the_dev_lock_holds_the_base_lock():
    base, dev = pins("base"), pins("dev")
    assert {name: dev.get(name) for name in base} == base


def test_the_locks_hold_every_requirement_of_the_project():
    def names(requirements):
        return {re.match(r"[\w.-]+", line)[0].lower() for line in requirements}

    assert names(PROJECT["project"]["dependencies"]) <= pins("base").keys()
    assert names(PROJECT["dependency-groups"]["dev"]) <= pins("dev").keys()
