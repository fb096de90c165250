"""Connect to an MCP server, sign in to it, and look at what changed about its tools."""

from __future__ import annotations

import asyncio
import http.client
import sys
import webbrowser
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from hermes.app.server_trials import (
    Trial,
    builtin_names,
    pins_folder,
    sign_in,
    tokens_folder,
    try_now,
)
from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import escaped, plural
from hermes.cli import output
from hermes.cli.command import Usage
from hermes.cli.mcp_servers import find
from hermes.config.edit_server import servers_in
from hermes.config.load import load as load_settings
from hermes.config.settings import Settings
from hermes.mcp.definitions import ToolDefinition
from hermes.mcp.pins import Held, Pins
from hermes.mcp.tokens import TokenFile

if TYPE_CHECKING:
    from argparse import Namespace

_REFUSED = 400


def test(options: Namespace) -> int:
    """Connect to a server and print what it offers."""
    settings = load_settings()
    name = find(settings, options.name)
    approver = load("hermes.cli.approver").on_terminal()
    trial = try_now(name, servers_in(settings.file)[name], approver)
    if options.json:
        output.print_json(_told(trial))
    else:
        _print(trial)
    return 0


def _told(trial: Trial) -> dict[str, Any]:
    offered, known = trial.known.definitions, trial.known
    admitted = {tool.name for tool in known.admitted}
    return {
        "name": trial.name,
        "server": dict(offered.server_info),
        "protocol": offered.protocol,
        "seconds": round(trial.seconds, 3),
        "tools": [
            {
                "name": tool.name,
                "title": tool.shown_title,
                "claims": _effect(tool),
                "offered": tool.name in admitted,
            }
            for tool in offered.tools
        ],
        "resources": len(offered.resources) + len(offered.templates),
        "prompts": [str(prompt.get("name", "")) for prompt in offered.prompts],
        "held": [{"name": name, "reason": reason} for name, reason in known.held],
        "findings": [{"tool": tool, **finding._asdict()} for tool, finding in trial.findings],
        "warnings": list(trial.warnings),
    }


def _effect(tool: ToolDefinition) -> str:
    """Return what the server claims of a tool."""
    if not {"readOnlyHint", "destructiveHint"} & set(tool.annotations):
        return "says nothing"
    if tool.is_read_only:
        return "it reads"
    return "it destroys" if tool.is_destructive else "it changes"


def _print(trial: Trial) -> None:
    offered, known = trial.known.definitions, trial.known
    info = offered.server_info
    title = " ".join(str(info[key]) for key in ("name", "version") if info.get(key))
    output.print_facts(
        [
            ("server", escaped(title) or trial.name),
            ("protocol", offered.protocol),
            ("connected in", f"{trial.seconds:.2f} s"),
            ("tools", f"{len(known.admitted)} offered, {len(known.held)} held"),
            ("resources", str(len(offered.resources) + len(offered.templates))),
            ("prompts", str(len(offered.prompts))),
        ]
    )
    rows = [(escaped(tool.name), _effect(tool), _first_line(tool)) for tool in known.admitted]
    if rows:
        output.write("")
        output.print_table(("tool", "claims", "about"), rows, droppable=1)
    for name, reason in known.held:
        output.print_note(f"held: {escaped(name)}: {reason}")
    for tool, finding in trial.findings:
        output.print_note(f"{finding.severity}: {escaped(tool)}: {escaped(finding.sentence())}")
    for warning in trial.warnings:
        output.print_note(escaped(warning))


def _first_line(tool: ToolDefinition) -> str:
    lines = (tool.description or tool.shown_title).strip().splitlines()
    return escaped(lines[0]) if lines else ""


def approve(options: Namespace) -> int:
    """Show what waits for a yes, and take it."""
    settings = load_settings()
    name = find(settings, options.name)
    pins = Pins(pins_folder(settings), builtin_names())
    waiting = [held for held in pins.pending(name) if _is_meant(held, options.tools)]
    missing = sorted(set(options.tools) - {held.name for held in waiting})
    if missing:
        raise Usage(f"{name}: nothing waits about the tool {missing[0]!r}")
    if not options.json:
        _show(name, waiting)
    agreed = bool(waiting) and (options.yes or _agrees(len(waiting)))
    done = pins.approve_pending(name, [held.name for held in waiting]) if agreed else ()
    if options.json:
        made = [{**held._asdict(), "approved": held.name in done} for held in waiting]
        output.print_json(made)
    elif done and output.is_terminal():
        output.write(f"{plural(len(done), 'tool')} approved")
    elif waiting and not done and not sys.stdin.isatty():
        output.print_note(f"nothing is approved; 'hermes mcp approve {name} --yes' does")
    return 0 if len(done) == len(waiting) else 1


def _is_meant(held: Held, names: list[str]) -> bool:
    return not names or held.name in names


def _show(name: str, waiting: list[Held]) -> None:
    if not waiting and output.is_terminal():
        output.write(f"{name}: nothing waits for a yes")
    for held in waiting:
        output.write(f"{escaped(held.name)}: {escaped(held.reason)}")
        output.print_lines(f"  {line}" for line in held.diff.splitlines())


def _agrees(number: int) -> bool:
    """Ask the person at the terminal; where nobody sits, nobody agrees."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(
        f"Approve {plural(number, 'tool')} as shown? y or n: ", end="", file=sys.stderr, flush=True
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def login(options: Namespace) -> int:
    """Sign in to a server in the browser."""
    settings = load_settings()
    name = _with_oauth(settings, options.name)
    if options.again:
        _tokens(settings, name).forget()

    async def show(url: str) -> None:
        output.print_note(f"sign in at this address:\n{url}")
        if options.paste:
            await asyncio.to_thread(_pasted, url)
        elif not options.no_browser:
            await asyncio.to_thread(webbrowser.open, url)

    done = sign_in(name, settings, show)
    if done.status >= _REFUSED:
        raise HermesError(f"{name}: signed in, but it answers HTTP {done.status}")
    words = "signed in" if done.asked else "signed in already"
    if options.json:
        output.print_json({"name": name, "signed_in": True, "asked": done.asked})
    elif output.is_terminal():
        output.write(f"{name}: {words}")
    return 0


def _pasted(url: str) -> None:
    """Take over what a browser on another machine was sent back with, from its address bar."""
    back = parse_qs(urlsplit(url).query)["redirect_uri"][0]
    output.print_note(f"then paste the address that begins with {back} here:")
    given = sys.stdin.readline().strip()
    if not given.startswith(f"{back}?"):
        raise Usage("that is not the address that the browser was sent back to")
    here = urlsplit(given)
    connection = http.client.HTTPConnection(here.hostname or "", here.port, timeout=10)
    try:
        connection.request("GET", f"{here.path}?{here.query}")
        connection.getresponse().read()
    finally:
        connection.close()


def logout(options: Namespace) -> int:
    """Forget the tokens of a server."""
    settings = load_settings()
    name = find(settings, options.name)
    had = _tokens(settings, name).forget()
    if options.json:
        output.print_json({"name": name, "had_tokens": had})
    elif output.is_terminal():
        output.write(f"{name}: {'signed out' if had else 'was not signed in'}")
    return 0


def _with_oauth(settings: Settings, given: str) -> str:
    name = find(settings, given)
    if settings.mcp_servers[name].auth != "oauth":
        raise Usage(
            f"{name} is not a server that one signs in to",
            hint=f"Set auth: oauth for mcp_servers.{name} in config.yaml.",
        )
    return name


def _tokens(settings: Settings, name: str) -> TokenFile:
    return TokenFile(tokens_folder(settings), name, settings.mcp_servers[name].url or "")
