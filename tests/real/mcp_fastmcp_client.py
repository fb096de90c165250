"""Use a server with fastmcp's client and print what was seen: takes one JSON argument.

Run by the Python that has fastmcp, which is not the one of the tests.
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError


def transport(given):
    if "url" in given:
        headers = {"Authorization": f"Bearer {given['token']}"}
        return StreamableHttpTransport(given["url"], headers=headers)
    command, *args = given["command"]
    return StdioTransport(command, args, env=given["env"], keep_alive=False)


async def main(given):
    seen = {"questions": []}

    async def answer(message, response_type, params, context):
        del params, context
        seen["questions"].append(message)
        return response_type(decision="once")

    there, mode = transport(given), given["mode"]
    async with Client(there, elicitation_handler=answer, mode=mode, timeout=30) as client:
        seen["tools"] = [tool.name for tool in await client.list_tools()]
        written = await client.call_tool("write_file", {"path": "a.txt", "content": "hi\n"})
        seen["written"] = written.structured_content
        read = await client.call_tool("read_file", {"path": "a.txt"})
        seen["read"] = read.content[0].text
        done = await client.call_tool("terminal", {"command": "chmod 777 a.txt && echo done"})
        seen["done"] = done.content[0].text
        try:
            await client.call_tool("read_file", {"path": "none.txt"})
        except ToolError as error:
            seen["error"] = str(error)
        many = [client.call_tool("read_file", {"path": "a.txt"}) for _ in range(5)]
        seen["many"] = len(await asyncio.gather(*many))
        seen["resources"] = [str(one.uri) for one in await client.list_resources()]
        page = await client.read_resource("hermes://skills/greeting")
        seen["page"] = page[0].text
        seen["prompts"] = [one.name for one in await client.list_prompts()]
        prompt = await client.get_prompt(seen["prompts"][-1])
        seen["prompt"] = str(prompt.messages[0].content)
    print(json.dumps(seen))


asyncio.run(main(json.loads(sys.argv[1])))
