"""Add an MCP server to config.yaml, take one away, or switch one; every other line stays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from hermes.base.errors import ConfigError
from hermes.base.files import locked, private_folder, write_atomic
from hermes.config import edit
from hermes.config.yaml_file import parse, text_of

KEY = "mcp_servers"


def servers_in(file: Path) -> dict[str, Any]:
    """Return the servers of a config file as it writes them."""
    return _servers(parse(text_of(file), file)[0])


def _servers(tree: Mapping[str, Any]) -> dict[str, Any]:
    found = tree.get(KEY)
    return dict(found) if isinstance(found, dict) else {}


def add_server(file: Path, name: str, body: Mapping[str, Any]) -> None:
    """Write a server at the end of those there are; one of its name is replaced.

    Raises:
        ConfigError: the server is not as it should be, or the file cannot be edited without losing
            something.
    """
    with locked(private_folder(file.parent)):
        old = text_of(file)
        tree, _ = parse(old, file)
        if name in _servers(tree):
            old, tree = _without(old, tree, name, file)
        servers = {**_servers(tree), name: dict(body)}
        _write(file, _added(old, name, body, file), {**tree, KEY: servers})


def remove_server(file: Path, name: str) -> None:
    """Take a server out.

    Raises:
        ConfigError: it is not there, or the file cannot be edited without losing something.
    """
    with locked(private_folder(file.parent)):
        old = text_of(file)
        tree, _ = parse(old, file)
        if name not in _servers(tree):
            raise ConfigError(f"there is no server {name!r}", file=file, key=KEY)
        _write(file, *_without(old, tree, name, file))


def switch_server(file: Path, name: str, *, enabled: bool) -> None:
    """Say whether a server is used.

    Raises:
        ConfigError: it is not there, or the file cannot be edited without losing something.
    """
    with locked(private_folder(file.parent)):
        old = text_of(file)
        tree, _ = parse(old, file)
        servers = _servers(tree)
        if not isinstance(servers.get(name), dict):
            raise ConfigError(f"there is no server {name!r}", file=file, key=KEY)
        changed = {**servers, name: {**servers[name], "enabled": enabled}}
        new = edit.edited_at(old, [KEY, name, "enabled"], edit.rendered(enabled), file)
        _write(file, new, {**tree, KEY: changed})


def _added(text: str, name: str, body: Mapping[str, Any], file: Path) -> str:
    pair = _pair(text)
    if pair is None:
        start = f"{KEY}:{edit.line_break(text)}"
        return edit.after_line(text, len(text), start + _block(text, name, body, 2))
    key, node = pair
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        indent = node.value[0][0].start_mark.column
        return edit.after_line(text, edit.end_of(text, node), _block(text, name, body, indent))
    if isinstance(node, yaml.MappingNode) and node.value:
        return edit.edited_at(text, [KEY, name], edit.rendered(_plain(body)), file)
    colon = text.index(":", key.end_mark.index) + 1
    rest = text[max(edit.end_of(text, node), colon) :] if _is_written(node) else text[colon:]
    bare = f"{text[:colon]}{rest}"
    return edit.after_line(bare, colon, _block(text, name, body, key.start_mark.column + 2))


def _without(text: str, tree: dict[str, Any], name: str, file: Path) -> tuple[str, dict[str, Any]]:
    """Return the text without a server, and what it then says."""
    servers = {other: body for other, body in _servers(tree).items() if other != name}
    pair = _pair(text)
    assert pair is not None
    key, node = pair
    assert isinstance(node, yaml.MappingNode)
    if node.flow_style:
        new = edit.edited(text, KEY, edit.rendered(_plain(servers)), file)
        return new, {**tree, KEY: servers}
    mine = next(each for each in node.value if str(each[0].value) == name)
    lines = text.splitlines(keepends=True)
    last = text.count("\n", 0, edit.end_of(text, mine[1]))
    first = mine[0].start_mark.line if servers else key.start_mark.line
    del lines[first : last + 1]
    left = {**tree, KEY: servers} if servers else {k: v for k, v in tree.items() if k != KEY}
    return "".join(lines), left


def _pair(text: str) -> tuple[yaml.Node, yaml.Node] | None:
    root = edit.root(text)
    found = (pair for pair in (root.value if root else ()) if pair[0].value == KEY)
    return next(found, None)


def _is_written(node: yaml.Node) -> bool:
    return bool(node.start_mark.index < node.end_mark.index)


def _block(text: str, name: str, body: Mapping[str, Any], indent: int) -> str:
    """Return a server as lines of YAML, as a person would write it."""
    lines = [f"{' ' * indent}{edit.rendered(name)}:"]
    for key, value in _plain(body).items():
        start = f"{' ' * (indent + 2)}{key}:"
        if isinstance(value, dict) and value:
            lines.append(start)
            lines += [
                f"{' ' * (indent + 4)}{edit.rendered(str(inner))}: {edit.rendered(each)}"
                for inner, each in value.items()
            ]
        else:
            lines.append(f"{start} {edit.rendered(value)}")
    return "".join(f"{line}{edit.line_break(text)}" for line in lines)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _write(file: Path, text: str, wanted: dict[str, Any]) -> None:
    edit.check(text, wanted, file, KEY)
    write_atomic(file.resolve(), text)
