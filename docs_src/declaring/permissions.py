from typing import Literal

from hermes import Runtime
from hermes.tools import by, tool

SHELF: dict[str, str] = {}


@tool(
    toolset="shelf",
    permissions=by("action", look="shelf:read", put="shelf:write"),
    effects=by("action", look="read", put="write"),
)
def shelf(action: Literal["look", "put"], name: str, thing: str = "") -> dict:
    """Look at a shelf or put something on it."""
    if action == "put":
        SHELF[name] = thing
    return {"name": name, "thing": SHELF.get(name)}


with Runtime(profile={"allow": ["shelf:read"]}, toolsets=["shelf"]) as runtime:
    print(runtime.call_sync("shelf", {"action": "look", "name": "top"}))
    print(runtime.call_sync("shelf", {"action": "put", "name": "top", "thing": "jam"}))
