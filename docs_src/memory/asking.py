import asyncio
import json
import tempfile

from hermes import Runtime
from hermes.llm.scripted import Scripted, call
from hermes.services.clarify import Clarifier


async def person(question):
    return question.choices[1]


async def main():
    model = Scripted([call("clarify", question="Which?", choices=["SQLite", "DuckDB"]), "Fine."])
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder) as runtime:
            agent = runtime.agent(model)
            runtime.services.get(Clarifier).answer_with(agent.task_id, person)
            await agent.ask("Set up a database")
            answers = [message.text for message in agent.messages if message.role == "tool"]
            print(json.loads(answers[0])["answer"])
            await agent.close()


asyncio.run(main())
