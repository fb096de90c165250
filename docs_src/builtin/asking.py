import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hermes import Runtime


async def main(folder: str) -> None:
    async with Runtime(cwd=folder) as runtime:
        agent = runtime.agent("hermes:builtin")
        print(await agent.ask("list the python files here"))
        print(await agent.ask("and the markdown ones?"))
        print(await agent.ask("how many TODOs are there?"))
        await agent.close()


with TemporaryDirectory() as made:
    Path(made, "main.py").write_text("# TODO: more\n")
    Path(made, "README.md").write_text("# Demo\n")
    asyncio.run(main(made))
