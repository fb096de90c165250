from hermes import Runtime
from hermes.tools import tool


@tool(toolset="lamp", effects="write")
def lamp(on: bool, password: str) -> str:
    """Switch the lamp."""
    return "bright" if on else "dark"


with Runtime(toolsets=["lamp"]) as runtime:
    runtime.call_sync("lamp", {"on": "yes", "password": "hunter22"}, task_id="evening")
    call = runtime.journal.entries(tool="lamp", task_id="evening", limit=1)[0]
    print(call.tool, call.arguments, call.changes, call.verdict, call.status)
    print(runtime.journal.verify())
