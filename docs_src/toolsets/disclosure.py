import asyncio
import json

from hermes import Runtime


async def main() -> None:
    async with Runtime(toolsets=["system"], config={"tools.defer": ["system"]}) as runtime:
        print([tool["function"]["name"] for tool in runtime.definitions()])

        found = await runtime.call("tool_search", {"query": "wait for a moment", "limit": 1})
        print(json.loads(found)["tools"][0]["name"])

        call = {"name": "sleep", "arguments": {"seconds": "0.01"}}
        print(await runtime.call("tool_call", call))
        print(runtime.journal.entries(limit=1)[0].tool)


asyncio.run(main())
