"""Run a script that lives on, as a hermes that will be killed."""

import asyncio
import sys

from hermes import Runtime

CODE = """
import subprocess, time
subprocess.Popen("while :; do date +%s%N > grandchild; sleep 0.02; done", shell=True,
                 start_new_session=True)
while True:
    open("alive", "w").write(str(time.time()))
    time.sleep(0.02)
"""


async def main(folder):
    async with Runtime(cwd=folder, config={"code": {"backend": "python"}}) as rt:
        await rt.call("execute_code", {"code": "import sys"})
        await rt.call("execute_code", {"code": CODE})


asyncio.run(main(sys.argv[1]))
