import asyncio
from pathlib import Path

from hermes import Runtime
from hermes.runtime.approvals import Answer
from hermes.tools import tool


@tool(toolset="shop", permissions=["shop:order"])
def order(item: str, count: int = 1) -> str:
    """Order something."""
    return f"ordered {count} x {item}"


async def ask(request) -> Answer | str:
    print(f"? {request.tool} {request.arguments}")
    if request.arguments["item"] == "yacht":
        return Answer("deny", "Stay below 100 euros.")
    return "always"


async def main() -> None:
    shop = {"profile": {"approval_required": ["shop:*"]}, "toolsets": ["shop"], "cwd": "/"}
    async with Runtime(**shop, approver=ask) as runtime:
        print(await runtime.call("order", {"item": "tea"}))
        print(await runtime.call("order", {"item": "yacht"}))
        file = Path(runtime.settings.file)
    print(file.read_text(), end="")
    async with Runtime(**shop) as runtime:  # nobody to ask, and no need to
        print(await runtime.call("order", {"item": "tea"}))
        print(await runtime.call("order", {"item": "tea", "count": 9}))


asyncio.run(main())
