import asyncio

from hermes import Runtime
from hermes.llm.scripted import Scripted, call


async def main():
    async with Runtime(cwd="/") as runtime:
        agent = runtime.agent(Scripted([call("todo", todos=[{"content": "buy tea"}]), "Noted."]))
        print(await agent.ask("Remind me to buy tea."))
        await agent.close()

        again = runtime.agent(Scripted(["You wanted to buy tea."]), session=agent.session_id)
        print([message.role for message in again.messages])
        print(await again.ask("What did I want?"))
        await again.close()


asyncio.run(main())
