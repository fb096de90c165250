"""Read the servers of other clients' files: what can be taken, and what had to be left.

Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Gemini CLI and LM Studio write ``mcpServers``;
VS Code ``servers`` or ``mcp.servers``; Zed ``context_servers``; Codex ``[mcp_servers.…]``; opencode
``mcp``; Goose ``extensions``; Continue a list.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hermes.base.errors import ConfigError
from hermes.config.servers import is_name, server_of

_INPUT = re.compile(r"\$\{input:([^}]+)\}")
_PLACE = re.compile(r"\$\{(?!env:)[A-Za-z]+(?:[:/][^}]*)?\}")
_VARIABLE = re.compile(r"\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}")
_COMMENTS = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.S)
_LAST_COMMAS = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.S)
_TAKEN = {
    "command", "cmd", "path", "args", "env", "envs", "environment", "cwd", "url", "uri",
    "serverUrl", "httpUrl", "headers", "http_headers", "type", "transport", "disabled", "enabled",
    "timeout", "includeTools", "excludeTools", "enabled_tools", "disabled_tools", "name", "auth",
    "env_keys", "env_vars", "startup_timeout_sec", "tool_timeout_sec",
    "bearer_token_env_var", "env_http_headers",
}  # fmt: skip
_SILENT = {"description", "source", "display_name", "gallery", "version", "icon", "id", "bundled"}


class Imported(NamedTuple):
    """What was read of a file."""

    servers: Mapping[str, Mapping[str, Any]]
    """The settings of each server, as config.yaml has them."""
    notes: tuple[str, ...] = ()
    """What a person should know or do."""
    left: tuple[tuple[str, str], ...] = ()
    """The servers that could not be taken, each with the reason."""


def read_servers(file: Path) -> Imported:
    """Return the servers of another client's file.

    Raises:
        ConfigError: the file cannot be read, or has no servers.
    """
    tree = _parsed(file)
    servers: dict[str, Mapping[str, Any]] = {}
    notes: list[str] = []
    left: list[tuple[str, str]] = []
    for name, body in _listed(tree, file):
        try:
            named = _named(name, servers)
            made = _Reader(name, named, notes).settings(body)
            server_of(named, made)
            servers[named] = made
        except ValueError as error:  # a Mistyped too
            left.append((name, str(error)))
        except (TypeError, AttributeError):
            left.append((name, "a part of it is of another kind than it should be"))
    return Imported(servers, tuple(dict.fromkeys(notes)), tuple(left))


def _parsed(file: Path) -> Any:
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot be read: {reason}", file=file) from error
    try:
        if file.suffix.lower() == ".toml":
            return tomllib.loads(text)
        if file.suffix.lower() in (".yaml", ".yml"):
            return yaml.safe_load(text)
        return _json(text)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        words = str(error).partition("\n")[0]
        raise ConfigError(f"is not what its name says: {words}", file=file) from error


def _json(text: str) -> Any:
    """Read JSON, with the comments and last commas that editors allow in their settings."""
    try:
        return json.loads(text)
    except ValueError:
        bare = _COMMENTS.sub(lambda hit: hit[1] or " ", text)
        return json.loads(_LAST_COMMAS.sub(lambda hit: hit[1] or "", bare))


def _listed(tree: Any, file: Path) -> Iterator[tuple[str, Any]]:
    """Yield every server of a file, whichever client's it is."""
    found = _below(tree)
    if not found:
        raise ConfigError(
            "has no servers in it",
            file=file,
            hint="Expected mcpServers, servers, context_servers, mcp_servers, mcp or extensions.",
        )
    for servers in found:
        if isinstance(servers, Mapping):
            yield from ((str(name), body) for name, body in servers.items())
        else:
            for number, body in enumerate(servers, 1):
                name = body.get("name") if isinstance(body, Mapping) else None
                yield str(name or f"server-{number}"), body


def _below(tree: Any) -> list[Any]:
    if not isinstance(tree, Mapping):
        return []
    keys = ("mcpServers", "context_servers", "mcp_servers", "servers", "extensions")
    found = [tree[key] for key in keys if isinstance(tree.get(key), (Mapping, list))]
    inner = tree.get("mcp")
    if isinstance(inner, Mapping):
        below = _below(inner)
        found += below or [inner]
    if isinstance(tree.get("mcp.servers"), Mapping):
        found.append(tree["mcp.servers"])
    projects = tree.get("projects")
    if isinstance(projects, Mapping):
        found += [one for project in projects.values() for one in _below(project)]
    return [one for one in found if one]


def _named(name: str, taken: Mapping[str, Any]) -> str:
    """Return a name for a server as ours are: what it is not made of becomes a dash."""
    made = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-_.")[:48]
    if not is_name(made):
        raise ValueError("its name cannot be that of a server here")
    if made.lower() in {other.lower() for other in taken}:
        raise ValueError("the file has another server of that name")
    return made


class _Reader:
    """Read one server's body, in whichever client's words."""

    def __init__(self, name: str, named: str, notes: list[str]) -> None:
        self._name = named
        self._notes = notes
        if named != name:
            notes.append(f"{name!r} is called {named!r} here")

    def settings(self, body: Any) -> dict[str, Any]:
        """Return the settings of the server.

        Raises:
            ValueError: it cannot be taken; says why.
        """
        if not isinstance(body, Mapping):
            raise ValueError("it is not a mapping")
        if isinstance(body.get("command"), Mapping):  # Zed's older form
            body = {**body, **body["command"], "command": body["command"].get("path")}
        kind = str(body.get("type") or body.get("transport") or "").lower()
        if kind in ("builtin", "platform", "frontend", "inline_python"):
            raise ValueError(f"it is a part of the other client ({kind})")
        made = self._local(body) if self._is_local(body) else self._remote(body, kind)
        made.update(self._further(body))
        self._tell_of_rest(body)
        return {key: self._filled(key, value) for key, value in made.items()}

    @staticmethod
    def _is_local(body: Mapping[str, Any]) -> bool:
        return any(body.get(key) for key in ("command", "cmd"))

    def _local(self, body: Mapping[str, Any]) -> dict[str, Any]:
        command, args = body.get("command") or body.get("cmd"), body.get("args") or []
        if isinstance(command, list):
            command, args = (command[0] if command else ""), [*command[1:], *args]
        made: dict[str, Any] = {"command": command}
        if args:
            made["args"] = list(args)
        env = dict(body.get("env") or body.get("envs") or body.get("environment") or {})
        for name in body.get("env_keys") or body.get("env_vars") or ():
            env.setdefault(name, f"${{{name}}}")
        if env:
            made["env"] = {str(name): _text(value) for name, value in env.items()}
        if body.get("envFile"):
            self._notes.append(f"{self._name}: its file of variables (envFile) is not read")
        if body.get("cwd"):
            made["cwd"] = body["cwd"]
        return made

    def _remote(self, body: Mapping[str, Any], kind: str) -> dict[str, Any]:
        found = (body.get(key) for key in ("url", "uri", "serverUrl", "httpUrl"))
        url = next((one for one in found if one), None)
        if url is None:
            raise ValueError("it has neither a command nor an address")
        made: dict[str, Any] = {"url": url}
        if kind == "sse" and not body.get("httpUrl"):
            made["transport"] = "sse"
        if kind in ("ws", "websocket"):
            raise ValueError("it is spoken to by WebSocket, which no server here is")
        headers = dict(body.get("headers") or body.get("http_headers") or {})
        for name, variable in dict(body.get("env_http_headers") or {}).items():
            headers[name] = f"${{{variable}}}"
        if variable := body.get("bearer_token_env_var"):
            headers["Authorization"] = f"Bearer ${{{variable}}}"
        if headers:
            made["headers"] = {str(name): _text(value) for name, value in headers.items()}
        if body.get("oauth") or str(body.get("auth") or "").lower() == "oauth":
            made["auth"] = "oauth"
        return made

    def _further(self, body: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if body.get("disabled") is True or body.get("enabled") is False:
            made["enabled"] = False
        tools = {
            "include": body.get("includeTools") or body.get("enabled_tools"),
            "exclude": body.get("excludeTools") or body.get("disabled_tools"),
        }
        if chosen := {key: list(value) for key, value in tools.items() if value}:
            made["tools"] = chosen
        seconds = body.get("tool_timeout_sec") or body.get("timeout")
        if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds > 0:
            # Cline, Goose and Codex count seconds, Gemini CLI milliseconds
            made["timeout"] = seconds / 1000 if seconds >= 1000 else seconds
        if isinstance(body.get("startup_timeout_sec"), (int, float)):
            made["connect_timeout"] = body["startup_timeout_sec"]
        return made

    def _tell_of_rest(self, body: Mapping[str, Any]) -> None:
        left = [str(key) for key in body if key not in _TAKEN | _SILENT | {"oauth", "envFile"}]
        if "autoApprove" in left or "alwaysAllow" in left or body.get("trust"):
            self._notes.append(f"{self._name}: what was approved there is not approved here")
        others = [key for key in left if key not in ("autoApprove", "alwaysAllow", "trust")]
        if others:
            self._notes.append(f"{self._name}: left out {', '.join(sorted(others))}")

    def _filled(self, key: str, value: Any) -> Any:
        """Return a value with the other client's variables turned into ours."""
        if isinstance(value, Mapping):
            return {name: self._filled(key, one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._filled(key, one) for one in value]
        if not isinstance(value, str):
            return value
        text = _INPUT.sub(self._asked, value).replace("${userHome}", "${HOME}")
        rest = _VARIABLE.sub("", text)
        if found := _PLACE.search(rest):
            raise ValueError(f"its {key} has {found[0]}, which only the other client knows")
        for place in ("workspaceFolder", "workspaceRoot"):
            if f"${{{place}}}" in text:
                raise ValueError(f"its {key} has ${{{place}}}, which only the other client knows")
        return text

    def _asked(self, hit: re.Match[str]) -> str:
        """Turn what the other client asks the person for into a variable."""
        variable = re.sub(r"[^A-Za-z0-9]+", "_", hit[1]).strip("_").upper() or "VALUE"
        self._notes.append(f"{self._name}: set the variable {variable}, which was asked for there")
        return f"${{{variable}}}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ValueError("a variable or header of it is no text")
