import json
from pathlib import Path

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="logs", effects="read", max_result_size_chars=600)
def read_log() -> str:
    """Read the log."""
    return "\n".join(f"line {number}" for number in range(1, 1001))


with Runtime(toolsets=["logs"]) as runtime:
    answer = json.loads(runtime.call_sync("read_log"))
    print(answer["result"])
    note = answer["truncated"]
    print({key: note[key] for key in ("next_offset", "hint")})
    print(len(Path(note["path"]).read_text("utf-8").splitlines()), "lines in the file")
