"""``hermes mcp``: servers of tools here, and our tools for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes.base.optional import load
from hermes.cli.command import JSON, Command, Group, argument
from hermes.cli.mcp_serve import COMMAND as SERVE

if TYPE_CHECKING:
    from argparse import Namespace

_NAME = argument("name", help="The server.", metavar="NAME", complete="server")


def _run(module: str, name: str) -> Callable[[Namespace], int]:
    """Return a command that is loaded when it runs: serving tools must not wait for the others."""

    def run(options: Namespace) -> int:
        return int(getattr(load(module), name)(options))

    return run


_SERVERS = "hermes.cli.mcp_servers"
_TRIALS = "hermes.cli.mcp_trials"


ENTRY = Group(
    "mcp",
    "Use the tools of MCP servers, and serve ours.",
    (
        Command(
            "add",
            "Add a server: a command to start, or an address.",
            _run(_SERVERS, "add"),
            (
                argument("name", help="What the server is called here.", metavar="NAME"),
                argument(
                    "command",
                    help="The command that starts it, behind '--'.",
                    metavar="COMMAND",
                    nargs="*",
                    default=[],
                ),
                argument("--url", help="The address of a server that runs elsewhere."),
                argument(
                    "--transport",
                    help="How it is spoken to at its address.",
                    choices=["http", "sse"],
                    metavar="NAME",
                ),
                argument(
                    "--header",
                    help="A header of each request; can be repeated.",
                    metavar="NAME=VALUE",
                    action="append",
                    default=[],
                ),
                argument(
                    "--env",
                    help="A variable of its process; can be repeated.",
                    metavar="NAME=VALUE",
                    action="append",
                    default=[],
                ),
                argument("--cwd", help="The folder that it starts in.", metavar="DIR"),
                argument("--auth", help="How one signs in.", choices=["oauth"], metavar="oauth"),
                argument("--replace", help="Replace one of this name.", action="store_true"),
                JSON,
            ),
            (
                "hermes mcp add time -- uvx mcp-server-time",
                "hermes mcp add docs --url https://docs.example/mcp --auth oauth",
                "hermes mcp add git --env 'TOKEN=${TOKEN}' -- npx -y some-server@1.2.3",
            ),
        ),
        Command(
            "list",
            "List the servers and what is known of them; starts none.",
            _run(_SERVERS, "list_servers"),
            (JSON,),
            ("hermes mcp list", "hermes mcp list --json"),
        ),
        Command(
            "test",
            "Connect to a server and show what it offers; exit code 1 if that fails.",
            _run(_TRIALS, "test"),
            (_NAME, JSON),
            ("hermes mcp test time",),
        ),
        Command(
            "approve",
            "Show what changed about a server's tools, and take your yes.",
            _run(_TRIALS, "approve"),
            (
                _NAME,
                argument(
                    "tools",
                    help="Only these tools; all if left out.",
                    metavar="TOOL",
                    nargs="*",
                    default=[],
                ),
                argument("--yes", help="Approve without being asked.", action="store_true"),
                JSON,
            ),
            ("hermes mcp approve time", "hermes mcp approve time convert_time --yes"),
        ),
        Command(
            "remove",
            "Take a server out, with all that is kept of it.",
            _run(_SERVERS, "remove"),
            (_NAME, JSON),
            ("hermes mcp remove time",),
        ),
        Command(
            "enable",
            "Use a server again.",
            _run(_SERVERS, "enable"),
            (_NAME, JSON),
            ("hermes mcp enable time",),
        ),
        Command(
            "disable",
            "Leave a server unused, and keep its settings.",
            _run(_SERVERS, "disable"),
            (_NAME, JSON),
            ("hermes mcp disable time",),
        ),
        Command(
            "login",
            "Sign in to a server by OAuth, in your browser.",
            _run(_TRIALS, "login"),
            (
                _NAME,
                argument("--again", help="Forget the tokens there are.", action="store_true"),
                argument(
                    "--no-browser", help="Print the address and open nothing.", action="store_true"
                ),
                argument(
                    "--paste",
                    help="The browser is on another machine: paste what it is sent back to.",
                    action="store_true",
                ),
                JSON,
            ),
            ("hermes mcp login docs", "hermes mcp login docs --again"),
        ),
        Command(
            "logout",
            "Forget the tokens of a server.",
            _run(_TRIALS, "logout"),
            (_NAME, JSON),
            ("hermes mcp logout docs",),
        ),
        Command(
            "import",
            "Take over the servers of another client's file.",
            _run(_SERVERS, "import_file"),
            (
                argument(
                    "file", help="The file, such as claude_desktop_config.json.", metavar="FILE"
                ),
                argument(
                    "names",
                    help="Only these servers; all if left out.",
                    metavar="NAME",
                    nargs="*",
                    default=[],
                ),
                argument("--replace", help="Replace those of the same name.", action="store_true"),
                JSON,
            ),
            ("hermes mcp import ~/.cursor/mcp.json", "hermes mcp import .mcp.json github"),
        ),
        SERVE,
    ),
)
