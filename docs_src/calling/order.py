import asyncio

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="desk", effects="read")
async def look(drawer: str) -> str:
    """Look into a drawer."""
    print("look begins", drawer)
    await asyncio.sleep(0.01)
    print("look ends  ", drawer)
    return drawer


@tool(toolset="desk", effects="write", paths=["path"])
async def write(path: str) -> str:
    """Write a file."""
    print("write begins", path)
    await asyncio.sleep(0.01)
    print("write ends  ", path)
    return path


async def main() -> None:
    async with Runtime(toolsets=["desk"]) as runtime:
        print("-- reads run together")
        await runtime.call_many([_call("look", drawer="top"), _call("look", drawer="middle")])
        print("-- writes to one path run in order")
        await runtime.call_many([_call("write", path="a"), _call("write", path="./a")])


def _call(name: str, **arguments: str) -> dict:
    return {"name": name, "arguments": arguments}


asyncio.run(main())
