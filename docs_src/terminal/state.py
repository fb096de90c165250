import asyncio
import json

from hermes import Runtime


async def main() -> None:
    async with Runtime() as rt:

        async def run(command, task="one", **more):
            answer = json.loads(await rt.call("terminal", {"command": command, **more}, task))
            print(command, "→", answer)

        await run("cd /usr; export COLOUR=blue; greet() { echo hello $1; }")
        await run("pwd; echo $COLOUR; greet you")
        await run("pwd", workdir="/")
        await run("echo [$COLOUR]", task="two")
        await run("grep -q nothing /etc/passwd")
        await run("exit 3")
        await run("greet again")


asyncio.run(main())
