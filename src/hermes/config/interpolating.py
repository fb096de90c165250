"""Put in what the ``${VAR}`` of a server's settings stand for, and keep secrets out of sight."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hermes.base.errors import ConfigError
from hermes.base.redact import Redactor
from hermes.base.secret_names import is_secret_name
from hermes.config.declare import Section
from hermes.config.servers import HIDDEN, ServerSettings

_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<other>[^}]*))?\}")
_WITH_VARIABLES = ("command", "args", "env", "cwd", "url", "headers", "oauth")
_LEAST_SECRET = 6


def resolved(name: str, settings: ServerSettings, environ: Mapping[str, str]) -> ServerSettings:
    """Return a server's settings with the values that its variables have now.

    ``${VAR}`` and ``${env:VAR}`` are the same; ``${VAR:-other}`` has a value where VAR has none.

    Raises:
        ConfigError: a variable is not set; names it, the server and the key.
    """
    values = dict(settings.values)
    for key in _WITH_VARIABLES:
        if key in values:
            where = f"mcp_servers.{name}.{key}"
            values[key] = _filled(_given(values[key]), environ, where)
    return ServerSettings({key: _given(value) for key, value in values.items()})


def secrets_of(settings: ServerSettings, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values that must not be seen: headers, secret variables, and what was put in."""
    found: set[str] = set()
    for name, text in {**settings.env, **settings.headers}.items():
        if name in settings.headers or is_secret_name(name):
            found.add(_filled_or_bare(text, environ))
    found.add(_filled_or_bare(settings.oauth.client_secret or "", environ))
    for text in (*settings.args, settings.url or "", *settings.env.values()):
        for match in _VARIABLE.finditer(text):
            if is_secret_name(match["name"]):
                found.add(environ.get(match["name"], ""))
    words = {word for text in found for word in (text, text.rpartition(" ")[2])}
    return tuple(sorted((each for each in words if len(each) >= _LEAST_SECRET), key=len))[::-1]


def hidden(value: Any) -> Any:
    """Return texts as they may be shown: references stay, what may be a secret does not."""
    if isinstance(value, Mapping):
        return {name: _hidden_text(name, text) for name, text in value.items()}
    if isinstance(value, tuple):
        return [_hidden_word(*pair) for pair in zip(("", *value), value, strict=False)]
    return _shown(value) if isinstance(value, str) else value


def _shown(text: str) -> str:
    return Redactor().text(text)


def _hidden_word(before: str, text: str) -> str:
    """Return a word of a command line; what follows an option such as --api-key is hidden."""
    option = before.lstrip("-") if before.startswith("-") and "=" not in before else ""
    return _hidden_text(option, text) if option else _shown(text)


def _hidden_text(name: str, text: str) -> str:
    if _VARIABLE.sub("", text).strip().lower() in {"", "bearer", "basic", "token"}:
        return text
    if is_secret_name(name) or name.lower() in {"authorization", "cookie"}:
        return HIDDEN
    return _shown(text)


def _filled(value: Any, environ: Mapping[str, str], where: str) -> Any:
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: _value(match, environ, where), value)
    if isinstance(value, Mapping):
        return {key: _filled(text, environ, f"{where}.{key}") for key, text in value.items()}
    is_list = isinstance(value, tuple)
    return tuple(_filled(text, environ, where) for text in value) if is_list else value


def _value(match: re.Match[str], environ: Mapping[str, str], where: str) -> str:
    found = environ.get(match["name"]) or match["other"]
    if found is None:
        raise ConfigError(
            f"the variable {match['name']} is not set",
            key=where,
            hint=f"Set {match['name']}, or write ${{{match['name']}:-a value for when it is not}}.",
        )
    return found


def _filled_or_bare(text: str, environ: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: environ.get(match["name"]) or match["other"] or "", text)


def _given(value: Any) -> Any:
    return value.values if isinstance(value, Section) else value
