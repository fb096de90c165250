"""The labelled commands, as values."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = ("dangerous", "benign", "floor", "near_floor")


def labelled(name):
    """Return the entries of one file."""
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def commands():
    """Return every command of every file."""
    return [entry["command"] for name in NAMES for entry in labelled(name)]
