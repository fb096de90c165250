"""A fresh copy of what a clone holds, for tests that start the launcher as a stranger would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FRAME = ["hermes", "scripts", "requirements", "pyproject.toml", "README.md", "LICENSE", "src"]


@pytest.fixture(scope="session")
def root():
    """Return the folder of the project."""
    return ROOT


@pytest.fixture
def clone(tmp_path):
    """Copy what a clone holds into a folder with a space in its name, without .venv."""
    target = tmp_path / "a clone"
    target.mkdir()
    for name in FRAME:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target / name)
    return target


@pytest.fixture
def bare_path(tmp_path):
    """Return a folder to use as PATH: a shell's few needs and this Python, and no uv."""
    folder = tmp_path / "bin"
    folder.mkdir()
    programs = {name: shutil.which(name) for name in ("sh", "dirname", "readlink", "cat")}
    for name, program in (programs | {"python3": os.path.realpath(sys.executable)}).items():
        (folder / name).symlink_to(program)
    return folder


@pytest.fixture(scope="session")
def run():
    """Return a function that runs a program to its end, without a terminal."""

    def run(*command, cwd=None, **env):
        return subprocess.run(
            command,
            cwd=cwd,
            env=os.environ | {name: str(value) for name, value in env.items()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )

    return run
