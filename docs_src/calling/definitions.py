from pprint import pp

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="math", effects="read")
def half(number: float) -> float:
    """Return half of a number."""
    return number / 2


with Runtime(toolsets=["math"]) as runtime:
    for name in ("openai", "openai-responses", "anthropic", "gemini", "mcp"):
        print(f"# {name}")
        pp(runtime.definitions(format=name), width=110)
