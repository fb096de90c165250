from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from pprint import pp
from typing import Annotated, Literal

from hermes.tools import Field, get_tool_definitions, handle_function_call, tool


class Priority(Enum):
    LOW = "low"
    HIGH = "high"


@dataclass
class Person:
    name: str
    email: str | None = None


@tool(toolset="tickets")
def create_ticket(
    title: Annotated[str, Field(min_length=3)],
    kind: Literal["bug", "wish"],
    priority: Priority = Priority.LOW,
    reporters: Annotated[list[Person], Field(max_length=5)] = (),
    due: date | None = None,
    attachment: Path | None = None,
) -> str:
    """Create a ticket."""
    names = [person.name for person in reporters]
    return f"{title!r} for {names}, priority {priority.name}, due {due!r}"


pp(get_tool_definitions(["tickets"])[0]["function"]["parameters"], width=100)
print(
    handle_function_call(
        "create_ticket",
        {
            "title": "It hangs",
            "kind": "bug",
            "priority": "HIGH",
            "reporters": [{"name": "Ada"}],
            "due": "2030-01-31",
        },
    )
)
