"""What may be wrong with the MCP servers, as far as it shows without starting one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping

from hermes.app.server_trials import tokens_folder
from hermes.base.errors import ConfigError
from hermes.base.text import plural
from hermes.cli.checks import BROKEN, FINE, NOTE, Finding
from hermes.cli.mcp_servers import known_of
from hermes.config.interpolating import resolved
from hermes.config.servers import ServerSettings
from hermes.config.settings import Settings
from hermes.mcp.tokens import TokenFile


def of_servers(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is wrong with each server that is used; nothing where there is none."""
    used = {name: one for name, one in settings.mcp_servers.items() if one.enabled}
    for name, server in used.items():
        yield from _of_server(settings, name, server, environ)
    if used:
        yield Finding(FINE, "mcp servers", f"{plural(len(used), 'server')} in use")


def _of_server(
    settings: Settings, name: str, server: ServerSettings, environ: Mapping[str, str]
) -> Iterator[Finding]:
    subject = f"mcp {name}"
    try:
        filled = resolved(name, server, environ)
    except ConfigError as error:
        yield Finding(BROKEN, subject, error.message, error.hint or "")
        return
    if filled.command and shutil.which(filled.command, path=environ.get("PATH")) is None:
        fix = f"Install it, or correct mcp_servers.{name}.command."
        yield Finding(BROKEN, subject, f"the program {filled.command!r} is not installed", fix)
    tokens = TokenFile(tokens_folder(settings), name, filled.url or "")
    if server.auth and "tokens" not in tokens.read():
        yield Finding(NOTE, subject, "nobody is signed in", f"hermes mcp login {name}")
    known = known_of(settings, name, server)
    if known is None:
        yield Finding(NOTE, subject, "it was never connected to", f"hermes mcp test {name}")
    elif known.held:
        held = plural(len(known.held), "tool")
        yield Finding(NOTE, subject, f"{held} held back", f"hermes mcp approve {name}")
