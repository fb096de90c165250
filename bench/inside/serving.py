"""Our MCP server on stdio beside the SDK's, each with a tool that does nothing, for one client."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from bench.processes import HERMES

NAME = "nothing"
SERVERS = {
    "sdk": """
from mcp.server import MCPServer

server = MCPServer("bench")


@server.tool()
def nothing() -> str:
    "Do nothing."
    return "done"


server.run()
""",
    "hermes": """
from hermes.tools import tool


@tool(toolset="bench", effects="none")
def nothing() -> str:
    "Do nothing."
    return "done"


from hermes.app import serving

serving.serve_stdio(serving.make(toolsets=["bench"]))
""",
}


def ready(rounds: int) -> dict[str, list[float]]:
    """Time how long it takes from the start of a server until its tools are known."""
    return asyncio.run(_ready(rounds))


async def _ready(rounds: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        servers = {**_servers(folder), "shipped": [HERMES, "mcp", "serve"]}
        times: dict[str, list[float]] = {name: [] for name in servers}
        for number in range(rounds + 1):
            for name, command in servers.items():
                started = time.perf_counter()
                async with Client(_started(command)) as client:
                    await client.list_tools()
                    taken = time.perf_counter() - started
                if number:  # the first round warms the caches
                    times[name].append(taken)
    return times


def round_trip(rounds: int, calls: int) -> dict[str, list[float]]:
    """Time one call of the tool, to both servers in turn."""
    return asyncio.run(_round_trip(rounds, calls))


async def _round_trip(rounds: int, calls: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        servers = _servers(folder)
        async with (
            Client(_started(servers["sdk"])) as sdk,
            Client(_started(servers["hermes"])) as hermes,
        ):
            clients = {"sdk": sdk, "hermes": hermes}
            times: dict[str, list[float]] = {name: [] for name in clients}
            for number in range(rounds + 1):
                for name, client in clients.items():
                    taken = await _called(client, calls)
                    if number:
                        times[name].append(taken)
    return times


async def _called(client: Client, calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        await client.call_tool(NAME, {})
    return (time.perf_counter() - started) / calls


def _servers(folder: str) -> dict[str, list[str]]:
    commands = {}
    for name, source in SERVERS.items():
        file = Path(folder) / f"{name}_server.py"
        file.write_text(source, encoding="utf-8")
        commands[name] = [sys.executable, "-P", str(file)]
    return commands


def _started(command: list[str]) -> StdioServerParameters:
    return StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
