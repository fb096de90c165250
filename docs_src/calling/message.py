import asyncio
from pprint import pp

from hermes import Runtime

OPENAI = {
    "role": "assistant",
    "tool_calls": [
        {
            "id": "call_a",
            "type": "function",
            "function": {"name": "sleep", "arguments": '{"seconds": 0.02}'},
        },
        {
            "id": "call_b",
            "type": "function",
            "function": {"name": "slep", "arguments": '{"seconds": 0.01}'},
        },
    ],
}
ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Let me wait."},
        {"type": "tool_use", "id": "toolu_1", "name": "sleep", "input": {"seconds": 0.01}},
    ],
}


async def main() -> None:
    async with Runtime(toolsets=["system"]) as runtime:
        pp(await runtime.call_many(OPENAI), width=110)
        pp(await runtime.call_many(ANTHROPIC), width=110)


asyncio.run(main())
