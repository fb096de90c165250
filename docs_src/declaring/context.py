from hermes import Runtime
from hermes.tools import ToolContext, tool


class Ledger:
    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}

    def forget(self, task_id: str) -> None:
        self.lines.pop(task_id, None)

    def close(self) -> None:
        print("ledger closed")


@tool(toolset="ledger", timeout_seconds=5)
def book(line: str, *, ctx: ToolContext) -> dict:
    """Write a line into the ledger of this task."""
    lines = ctx.use(Ledger).lines.setdefault(ctx.task_id, [])
    lines.append(line)
    return {"lines": lines, "in_time": ctx.remaining_seconds <= 5, "folder": ctx.cwd.name}


with Runtime(toolsets=["ledger"], cwd="/usr") as runtime:
    runtime.services.provide(Ledger, Ledger)
    print(runtime.call_sync("book", {"line": "tea"}, task_id="monday"))
    print(runtime.call_sync("book", {"line": "milk"}, task_id="monday"))
    print(runtime.call_sync("book", {"line": "ink"}, task_id="tuesday"))
