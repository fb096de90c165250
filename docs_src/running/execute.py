import asyncio
import json

from hermes import Runtime

PYTHON = """
import statistics
sizes = [int(line) for line in open(0)]
open("report.txt", "w").write("done")
statistics.median(sizes)
"""


async def main() -> None:
    async with Runtime() as rt:

        async def run(code, language="python", **more):
            arguments = {"code": code, "language": language, **more}
            answer = json.loads(await rt.call("code_execute", arguments))
            answer.pop("seconds", None)
            print(answer)

        await run(PYTHON, stdin="3\n1\n2\n")
        await run("echo begun; sleep 60", "bash", timeout=0.5)
        await run("rm -rf /etc", "bash")


asyncio.run(main())
