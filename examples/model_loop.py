"""A model asks, hermes runs the tools, the model goes on: the loop of every agent.

The model here is a script, so that the program runs anywhere; put a call to your provider into
`ask`, and nothing else changes.

Run it: .venv/bin/python examples/model_loop.py
"""

import asyncio
import json

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="shop", effects="read")
def find_book(title: str) -> dict:
    """Find a book by its title."""
    return {"id": 7, "title": title.title(), "stock": 3}


@tool(toolset="shop", effects="write")
def order_book(id: int, copies: int = 1) -> dict:
    """Order a book by its id."""
    return {"ordered": id, "copies": copies}


def call(id: str, name: str, arguments: str) -> dict:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


SCRIPT = [
    {"tool_calls": [call("1", "find_book", '{"title": "moby dick"}')]},
    {"tool_calls": [call("2", "order_bok", '{"id": 7}'), call("3", "order_book", '{"copies": 2}')]},
    {"tool_calls": [call("4", "order_book", '{"id": "7", "copies": "2"}')]},
    {"content": "Two copies are on their way."},
]


async def ask(messages: list[dict], tools: list[dict]) -> dict:
    """Stand in for `client.chat.completions.create(messages=messages, tools=tools)`."""
    turn = sum(message["role"] == "assistant" for message in messages)
    return {"role": "assistant", **SCRIPT[turn]}


async def main() -> None:
    messages = [{"role": "user", "content": "Order two copies of Moby Dick."}]
    async with Runtime(toolsets=["shop"]) as runtime:
        while True:
            reply = await ask(messages, runtime.definitions())
            messages.append(reply)
            if "tool_calls" not in reply:
                break
            messages += await runtime.call_many(reply, task_id="order")
    for message in messages:
        for asked in message.get("tool_calls", ()):
            print(f"model  {asked['function']['name']} {asked['function']['arguments']}")
        if message["role"] == "tool":
            print(f"tool   {json.loads(message['content'])}")
    print(f"model  {messages[-1]['content']}")


asyncio.run(main())
