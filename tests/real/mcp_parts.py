"""Servers and clients of MCP that others wrote; scripts/mcp installs them into .parts/mcp."""

import json
from pathlib import Path

import pytest

PARTS = Path(__file__).parents[2] / ".parts" / "mcp"
NODE = PARTS / "bin" / "node"


def need(package="@modelcontextprotocol/conformance", installer="npm"):
    """Skip where the parts are not installed."""
    if not (PARTS / "installed").exists() or not NODE.exists():
        pytest.skip(f"needs {package} ({installer} package {package}), by scripts/mcp")


def script(package, name=None):
    """Return the command line of a program of an npm package, run by our own Node."""
    need(package)
    folder = PARTS / "node_modules" / package
    programs = json.loads((folder / "package.json").read_text())["bin"]
    inside = programs if isinstance(programs, str) else programs[name or next(iter(programs))]
    return [str(NODE), str(folder / inside)]


def program(name, group="current", package=None):
    """Return the command line of a program of a Python package."""
    need(package or name, "pip")
    return [str(PARTS / group / "bin" / name)]


def server(command, *args, **settings):
    """Return the settings of a stdio server for ``mcp_servers``."""
    return {"command": command[0], "args": [*command[1:], *map(str, args)], **settings}
