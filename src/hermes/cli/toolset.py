"""``hermes toolset``: list and show toolsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes.app import Runtime
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, argument

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.runtime.toolsets import Toolset

OWN = "custom"


def list_toolsets(options: Namespace) -> int:
    """Print every toolset with the number of its tools; those without any come last."""
    with Runtime() as runtime:
        rows = [
            {
                "name": name,
                "description": about(toolset),
                "tools": len(runtime.toolsets.resolve(name)),
            }
            for name, toolset in runtime.toolsets.get_all().items()
        ]
    rows.sort(key=lambda row: row["tools"] == 0)
    if options.json:
        output.print_json(rows)
    else:
        table = [(str(row["name"]), str(row["tools"]), str(row["description"])) for row in rows]
        columns = ("toolset", "tools", "about")
        output.print_table(columns, table, is_faint=lambda row: row[1] == "0")
    return 0


def about(toolset: Toolset) -> str:
    """Return what a toolset is for; the one that a person's own tools go to has no folder."""
    return toolset.description or ("Your own tools." if toolset.name == OWN else "")


def show_toolset(options: Namespace) -> int:
    """Print what a toolset holds, with everything it includes."""
    with Runtime() as runtime:
        described = runtime.toolsets.get_all()
        toolset = described.get(options.name) or runtime.toolsets.get(options.name)
        tools = runtime.toolsets.resolve(options.name)
    if options.json:
        output.print_json(
            {
                "name": options.name,
                "description": about(toolset),
                "includes": list(toolset.includes),
                "tools": tools,
            }
        )
        return 0
    output.print_facts(
        [
            ("name", options.name),
            ("about", about(toolset)),
            ("includes", ", ".join(toolset.includes) or "-"),
            ("tools", ", ".join(tools) or "-"),
        ]
    )
    return 0


ENTRY = Group(
    "toolset",
    "List and show toolsets: named groups of tools.",
    (
        Command(
            "list",
            "List the toolsets.",
            list_toolsets,
            (JSON,),
            ("hermes toolset list",),
        ),
        Command(
            "show",
            "Show the tools of a toolset.",
            show_toolset,
            (
                argument("name", help="The toolset.", metavar="NAME", complete="toolset"),
                JSON,
            ),
            ("hermes toolset show system",),
        ),
    ),
)
