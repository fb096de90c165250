"""``hermes tool``: list, show, call, search, register, doctor."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from hermes.app import Runtime
from hermes.base.errors import HermesError, UnknownTool
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.cli import output
from hermes.cli.command import (
    ARGUMENTS,
    ENVIRONMENT,
    JSON,
    PROFILE,
    Command,
    Group,
    argument,
    count,
)
from hermes.cli.describe import first_line, listed, parameters_of, shown, toolset_names
from hermes.schema.formats import FORMATS

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.runtime.entry import ToolEntry
    from hermes.runtime.search import Hit

_EVERY = "'hermes tool list' shows every tool."
_WORTH = 0.15
"""The share of the best hit's score below which a hit is no answer."""

NAME = argument(
    "name", help="The tool's name or one of its aliases.", metavar="NAME", complete="tool"
)


def list_tools(options: Namespace) -> int:
    """Print every tool with whether it can run here, and why not."""
    with Runtime() as runtime:
        wanted = toolset_names(runtime, options.toolset)
        found = [
            status
            for status in runtime.status()
            if (wanted is None or status.entry.name in wanted)
            and (status.available or not options.available)
        ]
    found.sort(key=lambda status: (status.entry.toolset, status.entry.name))
    tools = [listed(status) for status in found]
    if options.json:
        output.print_json(tools)
    elif output.is_terminal():
        output.print_table(("tool", "", "toolset", "about"), map(_table_row, tools), group_by=2)
    else:
        output.print_table((), map(_plain_row, tools))
    return 0


def _table_row(tool: dict[str, Any]) -> tuple[str, ...]:
    mark = "yes" if tool["available"] else "no"
    about = first_line(tool["description"]) if tool["available"] else tool["reason"]
    return (tool["name"], mark, tool["toolset"], about)


def _plain_row(tool: dict[str, Any]) -> tuple[str, ...]:
    state = "available" if tool["available"] else "unavailable"
    about = first_line(tool["description"])
    return (tool["name"], tool["toolset"], state, tool["reason"] or "", about)


def show_tool(options: Namespace) -> int:
    """Print what a tool does, takes and needs."""
    with Runtime() as runtime:
        entry = _find(runtime, options.name)
        if options.format:
            output.print_json(
                load("hermes.schema.formats").render(
                    options.format, entry.name, entry.description, entry.parameters
                )
            )
            return 0
        status = next(s for s in runtime.status() if s.entry.name == entry.name)
    tool = shown(status)
    if options.json:
        output.print_json(tool)
        return 0
    output.print_facts(_facts(tool))
    rows = parameters_of(tool["parameters"])
    if rows:
        output.print_lines([""] if output.is_terminal() else [])
        output.print_table(("parameter", "type", "needed", "about"), rows)
    return 0


def _find(runtime: Runtime, name: str) -> ToolEntry:
    """Return a tool; what a model is told of an unknown one, a person is told otherwise."""
    try:
        return runtime.registry.find(name)[0]
    except UnknownTool as error:
        near = did_you_mean(name, runtime.registry.names())
        hint = f"{near} {_EVERY}" if near else _EVERY
        raise HermesError(error.message, hint=hint) from error


def _facts(tool: dict[str, Any]) -> list[tuple[str, str]]:
    reason = tool["reason"]
    effects = tool["effects"]
    return [
        ("name", tool["name"]),
        ("toolset", tool["toolset"]),
        ("available", "yes" if tool["available"] else f"no: {reason}"),
        ("aliases", ", ".join(tool["aliases"]) or "-"),
        ("permissions", ", ".join(tool["permissions"]) or "-"),
        ("effects", "undeclared" if effects is None else ", ".join(effects) or "-"),
        ("source", tool["source"]),
        ("about", tool["description"]),
    ]


def search_tools(options: Namespace) -> int:
    """Print the tools that fit a description best."""
    query = " ".join(options.query)
    with Runtime() as runtime:
        hits = _worthy(runtime.search(query, options.limit))
    if not hits and not options.json:
        raise HermesError(f"nothing found for {query!r}", hint=_EVERY)
    if options.json:
        output.print_json(
            [
                {
                    "name": hit.name,
                    "score": round(hit.score, 3),
                    "toolset": hit.entry.toolset,
                    "description": hit.entry.description,
                }
                for hit in hits
            ]
        )
    else:
        rows = [(h.name, h.entry.toolset, first_line(h.entry.description)) for h in hits]
        output.print_table(("tool", "toolset", "about"), rows)
    return 0 if hits else 1


def _worthy(hits: list[Hit]) -> list[Hit]:
    """Return the hits up to the first that falls far behind the one before it, or the best.

    Behind such a gap come neighbours of the best hit, which a model may want and nobody asked for.
    """
    for before, hit in itertools.pairwise(hits):
        if hit.score <= before.score / 2 or hit.score < _WORTH * hits[0].score:
            return hits[: hits.index(hit)]
    return hits


def register_tools(options: Namespace) -> int:
    """Check a YAML tool file, copy it to the home folder and load it."""
    with Runtime() as runtime:
        names = runtime.register_yaml(options.config, replace=options.replace)
    if options.json:
        output.print_json({"registered": names})
    else:
        output.print_lines(f"registered {name}" for name in names)
    return 0


def call_tool(options: Namespace) -> int:
    """Call a tool through the one pipeline and print its answer."""
    code: int = load("hermes.cli.call").call(options)
    return code


def check_tools(options: Namespace) -> int:
    """Print broken tool files, unavailable tools and schemas that some provider will not take."""
    code: int = load("hermes.cli.checks").check_tools(as_json=options.json)
    return code


ENTRY = Group(
    "tool",
    "List, show, call, search and register tools.",
    (
        Command(
            "list",
            "List the tools, and why one cannot run here.",
            list_tools,
            (
                argument(
                    "--toolset",
                    help="Only the tools of this toolset.",
                    metavar="T",
                    complete="toolset",
                ),
                argument("--available", help="Only tools that can run now.", action="store_true"),
                JSON,
            ),
            ("hermes tool list", "hermes tool list --toolset system --json"),
        ),
        Command(
            "show",
            "Show what a tool does, takes and needs.",
            show_tool,
            (
                NAME,
                argument(
                    "--format",
                    help=f"Print the definition a provider is sent: {', '.join(FORMATS)}.",
                    choices=list(FORMATS),
                    metavar="FORMAT",
                ),
                JSON,
            ),
            ("hermes tool show system_info", "hermes tool show sleep --format anthropic"),
        ),
        Command(
            "call",
            "Call a tool and print its answer as JSON.",
            call_tool,
            (
                NAME,
                ARGUMENTS,
                argument("--json", help="All arguments as one JSON object.", metavar="OBJECT"),
                argument("--stdin", help="Read that object from stdin.", action="store_true"),
                argument("--task", help="The task the call belongs to.", metavar="ID"),
                argument("--timeout", help="Longest run, in seconds.", type=float, metavar="S"),
                ENVIRONMENT,
                PROFILE,
            ),
            (
                "hermes tool call system_info sections=os sections=memory",
                "hermes tool call sleep --json '{\"seconds\": 1}'",
                "echo '{\"seconds\": 1}' | hermes tool call sleep --stdin",
            ),
        ),
        Command(
            "search",
            "Find tools by what they do.",
            search_tools,
            (
                argument("query", help="What the tool should do.", metavar="WORDS", nargs="+"),
                argument("--limit", help="How many at most.", type=count, default=5, metavar="N"),
                JSON,
            ),
            ("hermes tool search wait a while",),
        ),
        Command(
            "register",
            "Check a YAML tool file and add its tools.",
            register_tools,
            (
                argument("--config", help="The YAML file.", metavar="FILE", required=True),
                argument("--replace", help="Replace a file of that name.", action="store_true"),
                JSON,
            ),
            ("hermes tool register --config weather.yaml",),
        ),
        Command(
            "doctor",
            "Say which tools are broken or unavailable, and what to do.",
            check_tools,
            (JSON,),
            ("hermes tool doctor",),
        ),
    ),
)
