import asyncio
from pprint import pp
from typing import Annotated

from hermes import Runtime
from hermes.tools import Field, tool


@tool(toolset="text", effects="read")
def count_words(text: str, minimum: Annotated[int, Field(ge=1)] = 1) -> dict:
    """Count the words of a text.

    Args:
        text: The text.
        minimum: Ignore words shorter than this.
    """
    return {"words": sum(len(word) >= minimum for word in text.split())}


@tool(toolset="text", effects="read")
async def shout(text: str) -> str:
    """Return a text in capitals."""
    await asyncio.sleep(0)
    return text.upper()


with Runtime(toolsets=["text"]) as runtime:
    print(runtime.call_sync("count_words", {"text": "to be or not", "minimum": 3}))
    print(runtime.call_sync("shout", {"text": "to be"}))
    pp(runtime.definitions()[0], width=100)

print(count_words("still an ordinary function"))
