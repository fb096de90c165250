"""Run a script in an environment until somebody kills this process: settings as JSON, folder."""

import asyncio
import json
import sys

from hermes import Runtime

CODE = """
import subprocess, time
from hermes_tools import terminal
subprocess.Popen(["setsid", "flock", "background", "sleep", "600"])
terminal("flock foreground sleep 600", timeout=600)
"""


async def main(config, folder):
    async with Runtime(config=config, cwd=folder) as rt:
        answer = json.loads(await rt.call("execute_code", {"code": CODE}))
        print(answer, file=sys.stderr, flush=True)


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2]))
