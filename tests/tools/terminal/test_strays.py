"""What a command has let go of ends with it when its time is up, and nothing else does."""

import asyncio
import json

from hermes import Runtime

DAEMON = """python3 -c '
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open("stray", "w").write("up")
        time.sleep(4321.5)
    os._exit(0)
time.sleep(60)
'"""


def test_a_daemon_goes_with_its_command_and_an_older_one_stays(hermes_home, tmp_path):
    async def story():
        async with Runtime(cwd=tmp_path) as rt:

            async def call(command, **more):
                return json.loads(await rt.call("terminal", {"command": command, **more}))

            await call("(setsid sleep 1234.5 &); sleep 0.1")
            stopped = await call(DAEMON, timeout=2)
            return stopped, await call("pgrep -fa '^(sleep 123[4]|python3 .*432[1])'")

    stopped, left = asyncio.run(story())
    assert stopped["timed_out"] and (tmp_path / "stray").exists()
    assert left["stdout"].count("sleep 1234.5") == 1 and "4321.5" not in left["stdout"]
