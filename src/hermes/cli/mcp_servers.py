"""Which MCP servers there are: add, list, switch, remove, and take over those of other clients."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.app.server_trials import builtin_names, pins_folder, tokens_folder
from hermes.base.errors import ConfigError
from hermes.base.redact import Redactor
from hermes.base.secret_names import is_secret_name
from hermes.base.text import did_you_mean, plural
from hermes.cli import output
from hermes.cli.command import Usage
from hermes.config.edit_server import add_server, remove_server, servers_in, switch_server
from hermes.config.kinds import Mistyped
from hermes.config.load import load as load_settings
from hermes.config.servers import HIDDEN, ServerSettings, server_of, servers_of
from hermes.config.settings import Settings
from hermes.mcp.cache import Cache, Known, identity_of, stamp_of
from hermes.mcp.importing import read_servers
from hermes.mcp.launchers import launched
from hermes.mcp.pins import Pins
from hermes.mcp.tokens import TokenFile

if TYPE_CHECKING:
    from argparse import Namespace


def add(options: Namespace) -> int:
    """Write a server into config.yaml."""
    settings = load_settings()
    name, body = options.name, _body(options)
    if name in settings.mcp_servers and not options.replace:
        raise Usage(f"there is a server {name!r} already", hint="Replace it with --replace.")
    server = _checked(name, body)
    add_server(settings.file, name, body)
    _forget(settings, name)
    if options.json:
        output.print_json({"name": name, "server": told(server), "file": str(settings.file)})
    elif output.is_terminal():
        output.write(f"{name}: {shown(server)}  ({settings.file})")
        output.print_note(f"'hermes mcp test {name}' connects to it and shows its tools")
    for note in _advice(server):
        output.print_note(note)
    return 0


def _body(options: Namespace) -> dict[str, Any]:
    """Return the settings that the options stand for."""
    if bool(options.command) == bool(options.url):
        raise Usage(
            "a server has either a command or an address",
            hint=f"hermes mcp add {options.name} -- COMMAND …, or --url URL",
        )
    if options.url:
        given = {
            "url": options.url,
            "transport": options.transport,
            "headers": _pairs(options.header, "--header"),
            "auth": options.auth,
        }
        _refuse(options, ("env", "cwd"), "an address")
    else:
        command, *args = options.command
        env = _pairs(options.env, "--env")
        given = {"command": command, "args": args, "env": env, "cwd": options.cwd}
        _refuse(options, ("header", "auth", "transport"), "a command")
    return {key: value for key, value in given.items() if value}


def _refuse(options: Namespace, names: Sequence[str], what: str) -> None:
    wrong = [name for name in names if getattr(options, name)]
    if wrong:
        raise Usage(f"--{wrong[0]} is not for a server with {what}")


def _pairs(words: Sequence[str], flag: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        at = min((place for mark in "=:" if (place := word.find(mark)) > 0), default=-1)
        if at < 1 or (flag == "--env" and word[at] == ":"):
            start = re.split(r"[=:\s]", word)[0][:40]  # the rest may be a secret
            raise Usage(f"{flag} takes NAME=VALUE, not {start!r}…")
        found[word[:at].strip()] = word[at + 1 :].strip()
    return found


def _checked(name: str, body: Mapping[str, Any]) -> ServerSettings:
    try:
        return servers_of({name: body})[name]
    except Mistyped as error:
        raise Usage(str(error)) from error


def _advice(server: ServerSettings) -> list[str]:
    notes = []
    for name, text in {**server.env, **server.headers}.items():
        is_secret = is_secret_name(name) or name.lower() in ("authorization", "cookie")
        if is_secret and "${" not in text:
            notes.append(f"the value of {name} is now in config.yaml; '${{VAR}}' would keep it out")
    if server.command is not None:
        loose = [one for one in launched(server.command, server.args).packages if not one.version]
        notes += [f"{one.name} has no version: each start runs the newest" for one in loose]
    return notes


def list_servers(options: Namespace) -> int:
    """Print the servers, from what is on disk."""
    settings = load_settings()
    rows = [_row(settings, name, server) for name, server in settings.mcp_servers.items()]
    if options.json:
        output.print_json(rows)
    elif rows:
        columns = ("server", "state", "tools", "what")
        cells = [(row["name"], _state(row), _count(row), row["what"]) for row in rows]
        output.print_table(columns, cells, droppable=1)
    elif output.is_terminal():
        output.write("There are no servers. Add one: hermes mcp add NAME -- COMMAND …")
    return 0


def _row(settings: Settings, name: str, server: ServerSettings) -> dict[str, Any]:
    known = known_of(settings, name, server)
    is_signed_in = None
    if server.auth:
        is_signed_in = "tokens" in TokenFile(tokens_folder(settings), name, server.url or "").read()
    return {
        "name": name,
        "enabled": server.enabled,
        "transport": "stdio" if server.is_local else server.transport,
        "what": shown(server),
        "seen": known is not None,
        "tools": None if known is None else len(known.admitted),
        "held": None if known is None else [held for held, _ in known.held],
        "protocol": None if known is None else known.definitions.protocol,
        "auth": server.auth or None,
        "signed_in": is_signed_in,
    }


def known_of(settings: Settings, name: str, server: ServerSettings) -> Known | None:
    """Return what is known of a server without asking it."""
    pinned = stamp_of(str(pins_folder(settings) / f"{name.lower()}.json"))
    cache = Cache(f"{settings.folder}/cache/mcp")
    known, is_judged = cache.read(name, identity_of(server), pinned)
    if known is None or is_judged:
        return known
    judged = Pins(pins_folder(settings), builtin_names()).judge(name, known.definitions)
    held = tuple((each.name, each.reason) for each in judged.held)
    return known._replace(admitted=judged.admitted, held=held)


def _state(row: Mapping[str, Any]) -> str:
    if not row["enabled"]:
        return "disabled"
    if row["signed_in"] is False:
        return "sign in first"
    if row["held"]:
        return f"{len(row['held'])} held"
    return "ready" if row["seen"] else "not seen yet"


def _count(row: Mapping[str, Any]) -> str:
    return "-" if row["tools"] is None else str(row["tools"])


def shown(server: ServerSettings) -> str:
    """Return what a server is, on one line and without secrets."""
    made = server.as_dict()
    if server.command is None:
        return str(made["url"])
    words = " ".join(word if word == HIDDEN else shlex.quote(word) for word in made["args"])
    return Redactor().text(f"{shlex.quote(server.command)} {words}".strip())


def told(server: ServerSettings) -> dict[str, Any]:
    """Return what was set of a server; of variables and headers only what they refer to."""
    made, default = server.as_dict(), ServerSettings().as_dict()
    for key in ("env", "headers"):
        made[key] = {name: text if "${" in text else HIDDEN for name, text in made[key].items()}
    return {key: value for key, value in made.items() if value != default[key]}


def remove(options: Namespace) -> int:
    """Take a server out of config.yaml, and drop its cache, pins and tokens."""
    settings = load_settings()
    name = find(settings, options.name)
    remove_server(settings.file, name)
    _forget(settings, name)
    TokenFile(tokens_folder(settings), name, "").forget()
    return _done(options, {"name": name, "removed": True}, f"{name} is gone")


def enable(options: Namespace) -> int:
    """Use a server again."""
    return _switch(options, enabled=True)


def disable(options: Namespace) -> int:
    """Leave a server unused."""
    return _switch(options, enabled=False)


def _switch(options: Namespace, *, enabled: bool) -> int:
    settings = load_settings()
    name = find(settings, options.name)
    switch_server(settings.file, name, enabled=enabled)
    word = "enabled" if enabled else "disabled"
    return _done(options, {"name": name, "enabled": enabled}, f"{name} is {word}")


def import_file(options: Namespace) -> int:
    """Take over the servers of another client's file, and say what was taken and what was left."""
    settings = load_settings()
    found = read_servers(Path(options.file).expanduser())
    left = [*found.left]
    taken: dict[str, ServerSettings] = {}
    unknown = [name for name in options.names if name not in found.servers]
    if unknown:
        hint = did_you_mean(unknown[0], found.servers) or f"It has {', '.join(found.servers)}."
        raise Usage(f"{options.file} has no server {unknown[0]!r} to take", hint=hint)
    for name, body in found.servers.items():
        if options.names and name not in options.names:
            continue
        try:
            taken[name] = _taken(settings, name, body, replace=options.replace)
        except ConfigError as error:
            left.append((name, error.message))
    _tell_import(options, taken, left, found.notes)
    return 0 if taken or not left else 1


def _taken(
    settings: Settings, name: str, body: Mapping[str, Any], *, replace: bool
) -> ServerSettings:
    same = [one for one in servers_in(settings.file) if one.lower() == name.lower()]
    if same and not (replace and same == [name]):
        raise ConfigError("there is one of that name already; --replace takes this one instead")
    add_server(settings.file, name, body)
    _forget(settings, name)
    return server_of(name, body)


def _tell_import(
    options: Namespace,
    taken: Mapping[str, ServerSettings],
    left: Sequence[tuple[str, str]],
    notes: Sequence[str],
) -> None:
    advice = [f"{name}: {note}" for name, server in taken.items() for note in _advice(server)]
    if options.json:
        made = {
            "taken": {name: told(server) for name, server in taken.items()},
            "left": [{"name": name, "reason": reason} for name, reason in left],
            "notes": [*notes, *advice],
        }
        output.print_json(made)
        return
    rows = [(name, "taken", shown(server)) for name, server in taken.items()]
    rows += [(name, "left", reason) for name, reason in left]
    output.print_table(("server", "", "what"), rows)
    for note in (*notes, *advice):
        output.print_note(note)
    if taken and output.is_terminal():
        output.print_note(f"{plural(len(taken), 'server')} added; 'hermes mcp test NAME' tries one")


def find(settings: Settings, name: str) -> str:
    """Return the name of a server that there is.

    Raises:
        Usage: there is none of that name; names the nearest.
    """
    names = settings.mcp_servers
    if name in names:
        return name
    same = [one for one in names if one.lower() == name.lower()]
    if same:
        return same[0]
    fallback = f"There are {', '.join(names)}." if names else "See 'hermes mcp add --help'."
    raise Usage(f"there is no server {name!r}", hint=did_you_mean(name, names) or fallback)


def _forget(settings: Settings, name: str) -> None:
    """Drop what is kept of a server that is another one now: a new one is seen anew."""
    Pins(pins_folder(settings)).forget(name)
    Cache(f"{settings.folder}/cache/mcp").forget(name)


def _done(options: Namespace, made: Mapping[str, Any], words: str) -> int:
    if options.json:
        output.print_json(made)
    elif output.is_terminal():
        output.write(words)
    return 0
