from typing import Literal

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="shop", effects="read")
def order(
    file_path: str,
    count: int = 1,
    gift: bool = False,
    tags: list[str] | None = None,
    speed: Literal["normal", "express"] = "normal",
) -> dict:
    """Order what a list asks for."""
    return {"file_path": file_path, "count": count, "gift": gift, "tags": tags, "speed": speed}


SLOPPY = [
    {"file_path": "a", "count": "42"},
    {"file_path": "a", "count": "4.0"},
    {"file_path": "a", "gift": "yes"},
    {"file_path": 7},
    {"file_path": "a", "tags": "['x', 'y']"},
    {"file_path": "a", "tags": "x"},
    {"file_path": "a", "tags": "null"},
    {"file_path": "a", "speed": " Express "},
    {"filePath": "a"},
    {"path": "a"},
    {"file_path": "a", "colour": "red"},
    '{file_path: "a", count: 2,}',
    '```json\n{"file_path": "a"}\n```',
    '"{\\"file_path\\": \\"a\\"}"',
    '{"file_path": "a", "count": 4',
]

with Runtime(toolsets=["shop"]) as runtime:
    for arguments in SLOPPY:
        runtime.call_sync("order", arguments)
    calls = runtime.journal.entries(limit=len(SLOPPY))
    for arguments, call in zip(SLOPPY, reversed(calls), strict=True):
        print(f"{arguments!r}\n    {', '.join(call.changes)}\n    {call.arguments}")
