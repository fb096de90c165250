import asyncio

from hermes import Runtime


async def main() -> None:
    async with Runtime(config={"terminal.environment": "local"}) as rt:
        rt.use_environment("docker", "risky")  # the task of that name, from its first command on
        print(await rt.call("terminal", {"command": "echo at home"}))
        print(await rt.call("terminal", {"command": "echo in a box"}, "risky"))


asyncio.run(main())
