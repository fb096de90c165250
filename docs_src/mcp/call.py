import json
import sys
import tempfile
from pathlib import Path

from hermes import Runtime

SERVER = Path(__file__).with_name("server.py")

with tempfile.TemporaryDirectory() as home:
    clock = {"command": sys.executable, "args": [str(SERVER)]}
    with Runtime(config={"home": home, "mcp_servers": {"clock": clock}}) as runtime:
        answer = runtime.call_sync("mcp-clock:time_in", {"town": "Bern"})
        print(json.dumps(json.loads(answer), indent=2))
        entry = runtime.registry.get("mcp-clock:time_in")
        print(entry.toolset, *entry.permissions, *entry.effects)
