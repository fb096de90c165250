import asyncio

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="git", permissions=["git:push"])
def push(branch: str) -> str:
    """Push a branch."""
    return f"pushed {branch}"


PROFILE = {"allow": ["git:read"], "approval_required": ["git:push"], "deny": ["file:delete"]}


async def ask(request) -> str:
    print(f"{request.tool} {request.arguments}: {request.reason}")
    return "session" if request.arguments["branch"] != "main" else "deny"


async def main() -> None:
    async with Runtime(profile=PROFILE, toolsets=["git"], approver=ask) as runtime:
        print(await runtime.call("push", {"branch": "draft"}))
        print(await runtime.call("push", {"branch": "draft"}))  # remembered, not asked again
        print(await runtime.call("push", {"branch": "main"}))
    async with Runtime(profile=PROFILE, toolsets=["git"]) as runtime:
        print(await runtime.call("push", {"branch": "draft"}))


asyncio.run(main())
