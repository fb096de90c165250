"""Apptainer for tests: which program, what this machine lacks for it, and an image."""

import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
IMAGE = runpy.run_path(str(HERE / "image.py"))
PARTS = HERE.parent.parent / ".parts"
PROGRAM = shutil.which("apptainer") or str(PARTS / "apptainer/usr/bin/apptainer")


def missing():
    """Return what this machine lacks."""
    if not os.access(PROGRAM, os.X_OK):
        return "apptainer is missing (scripts/apptainer)"
    if shutil.which("mksquashfs") is None:
        return "mksquashfs is missing (scripts/parts)"
    return IMAGE["missing"]()


def make_image(folder):
    """Make an image of this machine's own programs in a folder; returns the file."""
    tree = IMAGE["make_tree"](Path(folder) / "tree")
    made = f"{folder}/full.sif"
    words = [PROGRAM, "-q", "build", made, str(tree)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=50)
    if done.returncode != 0:
        pytest.skip(f"apptainer makes no images here: {done.stderr[-200:]}")
    shutil.rmtree(tree)
    return made
