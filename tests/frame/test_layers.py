"""The layers, where import-linter cannot see: modules that are loaded by name."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def contract(name):
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    return next(found for found in contracts if found["id"] == name)


def layers():
    """Return every top-level module's height, counted from the bottom."""
    rows = [re.findall(r"\w+", row) for row in reversed(contract("layers")["layers"])]
    return {name: height for height, row in enumerate(rows) for name in row}


def loaded_by_name(path):
    """Return the hermes modules that a file names in a string handed to a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first = node.args[0]
        if isinstance(first, ast.JoinedStr) and first.values:
            first = first.values[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            function = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if function in {"load", "import_module"} and first.value.startswith("hermes."):
                yield first.value.split(".")[1]


@pytest.mark.proves("frame-layers")
def test_a_module_loaded_by_name_lies_in_the_same_folder_or_beneath():
    heights = layers()
    wrong = [
        f"{path.relative_to(ROOT)} loads hermes.{name}"
        for path in sorted((ROOT / "src" / "hermes").glob("*/**/*.py"))
        for name in loaded_by_name(path)
        for own in [path.relative_to(ROOT / "src" / "hermes").parts[0]]
        if name != own and heights[name] >= heights[own]
    ]
    assert wrong == []


def test_every_toolset_is_in_the_contract_that_keeps_toolsets_apart():
    folders = (ROOT / "src" / "hermes" / "tools").glob("*/__init__.py")
    found = sorted(f"hermes.tools.{path.parent.name}" for path in folders)
    assert sorted(contract("toolsets")["modules"]) == found
