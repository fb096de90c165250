"""The door of `hermes mcp serve --http`: where it is, and the token that opens it."""

from __future__ import annotations

import secrets
import sys
from argparse import Namespace
from pathlib import Path

from hermes.base.files import private_folder, write_atomic
from hermes.cli.command import Usage
from hermes.config.load import load as load_settings
from hermes.mcp.serving.door import Door, is_loopback

_LEAST_CHARACTERS = 16


def opened(options: Namespace) -> Door:
    """Return the door that the options describe; a token that is made is printed once.

    Raises:
        Usage: they do not go together, or leave open what must not be.
    """
    host, port = _address(options.http)
    settings = load_settings().mcp_serve
    if options.no_token:
        if options.token_file:
            raise Usage("--no-token and --token-file exclude each other")
        if not is_loopback(host):
            raise Usage(
                f"--no-token is for this machine alone, and {host} can be reached from others",
                hint="Serve at 127.0.0.1, or leave --no-token out.",
            )
    token = None if options.no_token else _token(options.token_file or settings.token_file)
    hosts = (*settings.hosts, *options.allow_host)
    return Door(host, port, token, hosts, (*settings.origins, *options.allow_origin))


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = ("127.0.0.1", text) if text.isdecimal() else (text, "8000")
    if not port.isdecimal() or int(port) > 65_535:
        raise Usage(f"--http takes HOST:PORT, not {text!r}", hint="Such as 127.0.0.1:8000.")
    return host.strip("[]") or "127.0.0.1", int(port)


def _token(file: str | None) -> str:
    if file is None:
        token = secrets.token_urlsafe(32)
        _say(f"token: {token}")
        _say("It is good until this server ends; --token-file FILE keeps one.")
        return token
    path = Path(file).expanduser()
    if not path.exists():
        private_folder(path.parent)
        write_atomic(path, secrets.token_urlsafe(32) + "\n")
        _say(f"a token was made and is in {path}")
    token = path.read_text(encoding="utf-8").strip()
    if len(token) < _LEAST_CHARACTERS or not token.isprintable() or " " in token:
        raise Usage(
            f"{path} holds no good token",
            hint=f"A token is one word of at least {_LEAST_CHARACTERS} characters.",
        )
    return token


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
