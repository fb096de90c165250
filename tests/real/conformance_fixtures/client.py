"""A client for the conformance suite: client.py SOCKET ADDRESS.

The suite starts one for each scenario, all at once. Each hands its scenario to the one process
that has hermes loaded (see client_host.py), and ends as the scenario ended.
"""

import json
import os
import socket
import sys

scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    told = json.dumps([sys.argv[2], scenario, context]).encode()
    socket.send_fds(line, [len(told).to_bytes(8) + told], [1, 2])
    sys.exit(line.recv(1) != b"0")
