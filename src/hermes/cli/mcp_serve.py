"""``hermes mcp serve``: our tools for MCP clients, over standard input and output or HTTP."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hermes.app import serving
from hermes.base.optional import load
from hermes.cli.command import PROFILE, Command, Usage, argument

if TYPE_CHECKING:
    from argparse import Namespace


def serve(options: Namespace) -> int:
    """Serve until the client leaves, or, over HTTP, until interrupted."""
    http = _only_with_http(options)
    choices: dict[str, Any] = {"profile": options.profile}
    if options.toolsets:
        choices["toolsets"] = [name.strip() for name in options.toolsets.split(",") if name.strip()]
    if options.cwd:
        choices["cwd"] = _folder(options.cwd)
    door = load("hermes.cli.mcp_door").opened(options) if http else None
    served = serving.make(**choices)
    if door is None:
        if sys.stdin.isatty():
            print("waiting for an MCP client on standard input; Ctrl-C ends", file=sys.stderr)
        serving.serve_stdio(served)
    else:
        serving.serve_http(served, door)
    return 0


def _only_with_http(options: Namespace) -> bool:
    given = {
        "--token-file": options.token_file,
        "--no-token": options.no_token,
        "--allow-host": options.allow_host,
        "--allow-origin": options.allow_origin,
    }
    wrong = [name for name, value in given.items() if value]
    if wrong and not options.http:
        raise Usage(f"{wrong[0]} is for HTTP only", hint="Add --http 127.0.0.1:8000.")
    return bool(options.http)


def _folder(path: str) -> str:
    folder = load("pathlib").Path(path).expanduser()
    if not folder.is_dir():
        raise Usage(f"--cwd: {path} is no folder")
    return str(folder.resolve())


COMMAND = Command(
    "serve",
    "Serve our tools to an MCP client.",
    serve,
    (
        argument(
            "--toolsets",
            help="The toolsets on offer, separated by commas.",
            metavar="NAMES",
            complete="toolset",
        ),
        PROFILE,
        argument(
            "--cwd", help="The folder that tools work in; this one if left out.", metavar="DIR"
        ),
        argument(
            "--http", help="Serve over HTTP at this address instead of stdio.", metavar="HOST:PORT"
        ),
        argument(
            "--token-file",
            help="The file with the token that clients must show; made if missing.",
            metavar="FILE",
        ),
        argument("--no-token", help="Ask for no token; on loopback only.", action="store_true"),
        argument(
            "--allow-host",
            help="Another name that clients may reach this server by; can be repeated.",
            metavar="NAME",
            action="append",
            default=[],
        ),
        argument(
            "--allow-origin",
            help="A web page's origin that may use this server; can be repeated.",
            metavar="ORIGIN",
            action="append",
            default=[],
        ),
    ),
    (
        "hermes mcp serve --toolsets file,terminal",
        "hermes mcp serve --http 127.0.0.1:8000 --token-file ~/.hermes/mcp.token",
    ),
)
