import asyncio

import mcp_types

from hermes.config.servers import server_of
from hermes.llm.scripted import Scripted
from hermes.mcp.asking import Asking
from hermes.mcp.people import People


async def person(request):
    print(f"{request.tool} wants: {request.arguments['messages'][0]['text']}")
    return "once"


async def main():
    settings = server_of(
        "calc", {"command": "calc", "sampling": {"enabled": True, "per_minute": 1}}
    )
    people = People(approver=person, model_of=lambda name: Scripted(["Four."]))
    asking = Asking("calc", settings, people)
    words = mcp_types.TextContent(type="text", text="What is 2 + 2?")
    message = mcp_types.SamplingMessage(role="user", content=words)
    params = mcp_types.CreateMessageRequestParams(messages=[message], max_tokens=100)
    print((await asking.sample(None, params)).content.text)
    print((await asking.sample(None, params)).message)


asyncio.run(main())
