import json
import sys
import tempfile
from pathlib import Path

from hermes import Runtime

SERVER = '''
from mcp.server import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("clock")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def time_in(town: str) -> str:
    """Tell what time it is in a town."""
    return f"It is noon in {town}."


server.run()
'''

with tempfile.TemporaryDirectory() as home:
    file = Path(home) / "clock.py"
    file.write_text(SERVER, encoding="utf-8")
    clock = {"command": sys.executable, "args": [str(file)]}
    with Runtime(config={"home": home, "mcp_servers": {"clock": clock}}) as runtime:
        answer = runtime.call_sync("mcp-clock:time_in", {"town": "Bern"})
        print(json.dumps(json.loads(answer), indent=2))
        entry = runtime.registry.get("mcp-clock:time_in")
        print(entry.toolset, *entry.permissions, *entry.effects)
