import asyncio

from hermes import Runtime
from hermes.tools import tool

SMART = {"approvals": {"mode": "smart"}}
PROFILE = {"approval_required": ["file:write", "danger:*"]}


@tool(toolset="notes", permissions=["file:write"])
def note(path: str, text: str) -> str:
    """Write a note."""
    return f"would write {path}"


async def consult(request) -> str:
    """Stand in for a model that is asked whether a call is low risk."""
    return "yes" if len(request.arguments["text"]) < 100 else "not sure"


async def main() -> None:
    options = {"profile": PROFILE, "toolsets": ["notes"], "cwd": "/srv/app", "config": SMART}
    async with Runtime(**options, consult=consult) as runtime:
        print(await runtime.call("note", {"path": "a.txt", "text": "hello"}))
        print(await runtime.call("note", {"path": "/srv/b.txt", "text": "hello"}))
        print([entry.verdict for entry in runtime.journal.entries()])


asyncio.run(main())
