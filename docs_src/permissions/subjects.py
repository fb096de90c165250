"""A tool that says which of its arguments is a command; dangerous ones are asked about."""

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="box", permissions=["terminal:execute"], subjects={"line": "command"})
def run_line(line: str) -> str:
    """Pretend to run a command."""
    return f"ran {line}"


with Runtime(toolsets=["box"]) as runtime:
    print(runtime.call_sync("run_line", {"line": "git status"}))
    print(runtime.call_sync("run_line", {"line": "git push --force origin topic"}))
with Runtime(profile="trusted", toolsets=["box"]) as runtime:
    print(runtime.call_sync("run_line", {"line": "git push --force origin topic"}))
    print(runtime.call_sync("run_line", {"line": "rm -rf /"}))
narrow = {"restrictions": {"terminal:execute": {"allowed_commands": ["git status", "git log *"]}}}
with Runtime(profile="trusted", toolsets=["box"], restrict=narrow) as runtime:
    print(runtime.call_sync("run_line", {"line": "git log -3 && make"}))
