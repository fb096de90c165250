"""A tool that asks the person at the client, served to a client of the official SDK."""

import asyncio
import os
import sys

import mcp_types
from mcp import Client, StdioServerParameters

from hermes.app import serving
from hermes.mcp.serving.talking import McpClient
from hermes.tools import ToolContext, tool

COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


@tool(toolset="painting", effects="read")
async def choose_colour(thing: str, *, ctx: ToolContext) -> str:
    """Have the person choose a colour for a thing."""
    client = ctx.use(McpClient)
    client.progress(ctx, 1, 2, "asking")
    answer = await client.elicit(ctx, f"Which colour shall the {thing} have?", COLOUR)
    if answer["action"] != "accept":
        return f"The {thing} stays as it is."
    return f"The {thing} will be {answer['content']['colour']}."


async def answer(context, question):
    print("asked:", question.message)
    return mcp_types.ElicitResult(action="accept", content={"colour": "red"})


async def main():
    variables = dict(os.environ)
    this = StdioServerParameters(command=sys.executable, args=[__file__, "serve"], env=variables)
    async with Client(this, elicitation_callback=answer) as client:
        result = await client.call_tool("choose_colour", {"thing": "fence"})
        print("answered:", result.content[0].text)


if sys.argv[1:] == ["serve"]:
    serving.serve_stdio(serving.make(toolsets=["painting"]))
else:
    asyncio.run(main())
