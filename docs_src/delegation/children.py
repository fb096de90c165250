import asyncio
import json
import tempfile

from hermes import Runtime
from hermes.agent.events import CallDone, ChildSaid, Done
from hermes.llm.scripted import Scripted, call


def mind(request):
    """Stand in for a model: as a child it reports, as the parent it delegates and sums up."""
    if "another agent has handed you" in request.messages[0].text:
        return f"Looked at {request.messages[1].text}: nothing odd."
    if request.messages[-1].role == "tool":
        return "Both are fine."
    return call("delegate_task", tasks=[{"goal": "src"}, {"goal": "tests"}])


async def main():
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder) as runtime:
            agent = runtime.agent(Scripted(mind))
            async for event in agent.run("Look for odd things"):
                if isinstance(event, ChildSaid) and isinstance(event.event, Done):
                    print(f"{event.goal} is done")
                elif isinstance(event, CallDone):
                    print(*[one["report"] for one in json.loads(event.result)["results"]], sep="\n")
                elif isinstance(event, Done):
                    print(event.text)
            await agent.close()


asyncio.run(main())
