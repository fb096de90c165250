"""Many calls at once, judged by a profile and watched by hooks.

Run it: .venv/bin/python examples/batch.py
"""

import asyncio
from collections import Counter

from hermes import Runtime
from hermes.runtime.hooks import Block
from hermes.tools import by, tool

FILES = {"notes.txt": "milk", "secret.txt": "xyzzy"}


@tool(
    toolset="office",
    permissions=by("action", read="file:read", write="file:write", delete="file:delete"),
    effects=by("action", read="read", write="write", delete="write"),
    paths=["name"],
)
async def document(action: str, name: str, text: str = "") -> dict:
    """Read, write or delete a document."""
    await asyncio.sleep(0)
    if action == "write":
        FILES[name] = text
    return {"name": name, "text": FILES.get(name)}


PROFILE = {"allow": ["file:read"], "approval_required": ["file:write"], "deny": ["file:delete"]}
outcomes: Counter[str] = Counter()


async def approve(request) -> str:
    print(f"asked about {request.tool} {request.arguments}")
    return "once"


def keep_secrets(args):
    if args["name"].startswith("secret"):
        return Block(f"{args['name']} is nobody's business")
    return None


def count(is_error):
    outcomes["failed" if is_error else "done"] += 1


def calls():
    for action, name, text in (
        ("read", "notes.txt", ""),
        ("write", "notes.txt", "milk and tea"),
        ("read", "notes.txt", ""),
        ("read", "secret.txt", ""),
        ("delete", "notes.txt", ""),
    ):
        yield {"name": "document", "arguments": {"action": action, "name": name, "text": text}}


async def main() -> None:
    async with Runtime(profile=PROFILE, toolsets=["office"], approver=approve) as runtime:
        runtime.hooks.add("pre_tool_call", keep_secrets)
        runtime.hooks.add("post_tool_call", count)
        for answer in await runtime.call_many(list(calls()), task_id="batch"):
            print(answer["tool_call_id"], answer["content"])
        print(dict(outcomes), "of those that ran")


asyncio.run(main())
