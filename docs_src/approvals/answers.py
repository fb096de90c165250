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


SHOP = {"profile": {"approval_required": ["shop:*"]}, "toolsets": ["shop"], "cwd": "/"}

with Runtime(**SHOP, approver=ask) as runtime:
    print(runtime.call_sync("order", {"item": "tea"}))
    print(runtime.call_sync("order", {"item": "yacht"}))
    print(runtime.settings.file.read_text(), end="")

with Runtime(**SHOP) as runtime:  # nobody to ask, and no need to
    print(runtime.call_sync("order", {"item": "tea"}))
    print(runtime.call_sync("order", {"item": "tea", "count": 9}))
