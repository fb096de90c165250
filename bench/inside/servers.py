"""Calls of an MCP server's tool through our pipeline, beside those of the SDK's client."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from mcp import Client, StdioServerParameters

from bench.harness import interleave_async
from hermes import Runtime

SERVERS = {
    "sdk": """
import asyncio
from mcp.server import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("bench")
reads = ToolAnnotations(read_only_hint=True)


@server.tool(annotations=reads)
def nothing(a: int = 1, b: str = "x", c: bool = True) -> str:
    "Do nothing."
    return "done"


@server.tool(annotations=reads)
async def nap(seconds: float) -> str:
    "Wait."
    await asyncio.sleep(seconds)
    return "rested"


server.run()
""",
    "small": """
import json, sys

TOOL = {"name": "nothing", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "small", "version": "1"},
}
ANSWERS = {
    "initialize": HELLO,
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        told = {"jsonrpc": "2.0", "id": asked["id"]}
        found = ANSWERS.get(asked["method"])
        told |= {"result": found} if found else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps(told), flush=True)
""",
}
ARGUMENTS = {"a": 1, "b": "x", "c": True}


def round_trip(rounds: int, calls: int, small: int = 0) -> dict[str, list[float]]:
    """Time calls of a tool that does nothing, by the SDK and through our whole pipeline."""
    return asyncio.run(_round_trip(rounds, calls, "small" if small else "sdk"))


async def _round_trip(rounds: int, calls: int, kind: str) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        file = _written(folder, kind)
        with _runtime(folder, {"bench": file}) as runtime:
            async with Client(StdioServerParameters(command=sys.executable, args=[file])) as client:
                await client.list_tools()

                async def raw() -> object:
                    return await client.call_tool("nothing", ARGUMENTS)

                async def whole() -> object:
                    return await runtime.call("mcp-bench:nothing", ARGUMENTS)

                assert "done" in str(await raw()), "the SDK's client has no answer"
                assert "done" in str(await whole()), "the pipeline has no answer"
                works = [_many(raw, calls), _many(whole, calls)]
                await interleave_async(1, works)
                sdk, hermes = await interleave_async(rounds, works)
    return {"sdk": sdk, "hermes": hermes}


def _many(work: Callable[[], Awaitable[object]], calls: int) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        for _ in range(calls):
            await work()

    return run


def parallel(rounds: int) -> list[float]:
    """Time five calls at once of a tool that waits for half a second."""
    return asyncio.run(_parallel(rounds))


async def _parallel(rounds: int) -> list[float]:
    times = []
    with (
        tempfile.TemporaryDirectory() as folder,
        _runtime(folder, {"bench": _written(folder, "sdk")}) as runtime,
    ):
        await runtime.call("mcp-bench:nothing", ARGUMENTS)
        for _ in range(rounds):
            started = time.perf_counter()
            naps = [runtime.call("mcp-bench:nap", {"seconds": 0.5}) for _ in range(5)]
            answers = await asyncio.gather(*naps)
            times.append(time.perf_counter() - started)
            assert all("rested" in answer for answer in answers), "a call failed"
    return times


def meet(count: int) -> int:
    """Configure servers in this home, and see each once, as a user's first run does."""
    home = Path.home() / "home"
    home.mkdir(parents=True, exist_ok=True)
    file = _written(str(home), "small")
    lines = ["tools:", "  max_workers: 16", "mcp_servers:" if count else ""]
    for number in range(count):
        lines += [f"  s{number}:", f"    command: {sys.executable}", f"    args: [{file}]"]
    (home / "config.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with Runtime() as runtime:
        for number in range(count):
            answer = runtime.call_sync(f"mcp-s{number}:nothing", {})
            assert "done" in answer, answer
    return count


def _written(folder: str, kind: str) -> str:
    file = Path(folder) / f"{kind}_server.py"
    file.write_text(SERVERS[kind], encoding="utf-8")
    return str(file)


def _runtime(folder: str, files: dict[str, str]) -> Runtime:
    servers = {name: {"command": sys.executable, "args": [file]} for name, file in files.items()}
    return Runtime(config={"home": f"{folder}/home", "mcp_servers": servers})
