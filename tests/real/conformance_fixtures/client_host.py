"""Play scenarios for clients of the conformance suite: client_host.py SOCKET; says when ready.

Loading hermes and the protocol's library takes longer than any scenario, so it is done once; each
scenario has a process of its own, and few run at once, so that other tests have room beside them.
"""

import json
import os
import socket
import sys
import traceback

from client_story import run

import hermes.app.calling
import hermes.mcp.asking
import hermes.mcp.connecting

assert hermes.app.calling and hermes.mcp.asking and hermes.mcp.connecting  # loaded before a fork
AT_ONCE = 2


def play(line):
    """Run the scenario that comes on a line, with the output of whoever brought it."""
    data, descriptors, *_ = socket.recv_fds(line, 1 << 16, 2)
    length = int.from_bytes(data[:8])
    while len(data) < length + 8:
        data += line.recv(1 << 16)
    os.dup2(descriptors[0], 1)
    os.dup2(descriptors[1], 2)
    try:
        run(*json.loads(data[8:]))
    except BaseException:
        traceback.print_exc()
        return
    line.sendall(b"0")


def main(path):
    running = 0
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen(200)
        print("ready", flush=True)
        while True:
            line, _ = door.accept()
            if os.fork() == 0:
                play(line)
                sys.stderr.flush()
                os._exit(0)
            line.close()
            running += 1
            if running >= AT_ONCE:
                os.wait()
                running -= 1


if __name__ == "__main__":
    main(sys.argv[1])
