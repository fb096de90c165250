import os
import subprocess
import sys

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="bank", effects="write")
def transfer(amount: int) -> str:
    """Transfer money."""
    os._exit(1)  # the process dies in the middle, as with kill -9 or a power cut


if sys.argv[1:] == ["child"]:
    Runtime(toolsets=["bank"]).call_sync("transfer", {"amount": 100})

subprocess.run([sys.executable, __file__, "child"], check=False)
with Runtime(toolsets=["bank"]) as runtime:
    for call in runtime.journal.unfinished():
        print(call.tool, call.arguments, call.status)
