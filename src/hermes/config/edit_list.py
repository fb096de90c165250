"""Add to a list in config.yaml, or take away from it, and leave every other line as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hermes.base.errors import ConfigError
from hermes.base.files import locked, private_folder, write_atomic
from hermes.config import edit
from hermes.config.yaml_file import parse, text_of


class _Now(NamedTuple):
    """A config file and the list in it, as they are before a change."""

    text: str
    tree: dict[str, Any]
    have: list[str]
    node: yaml.SequenceNode | None


def items(file: Path, key: str) -> list[tuple[str, int]]:
    """Return the texts of a top-level list in a config file, each with its line."""
    node = _list(text_of(file), key)
    if node is None:
        return []
    return [(str(item.value), item.start_mark.line + 1) for item in node.value]


def add_item(file: Path, key: str, item: str) -> None:
    """Add a text to the end of a top-level list, unless it is there.

    Raises:
        ConfigError: the file has problems, or its layout cannot be edited without losing something.
    """
    with locked(private_folder(file.parent)):
        _add(file, key, item)


def _add(file: Path, key: str, item: str) -> None:
    old, tree, have, node = _now(file, key)
    if item in have:
        return
    if node is not None and node.value and not node.flow_style:
        line = f"{' ' * node.start_mark.column}- {edit.rendered(item)}{edit.line_break(old)}"
        new = edit.after_line(old, edit.end_of(old, node), line)
    elif have:
        edit.set_value(file, key, [*have, item])
        return
    else:
        new = _begun(old, tree, key, item, file)
    _write(file, key, new, {**tree, key: [*have, item]})


def remove_item(file: Path, key: str, item: str) -> None:
    """Take a text out of a top-level list.

    Raises:
        ConfigError: it is not there, or the file cannot be edited without losing something.
    """
    with locked(private_folder(file.parent)):
        _remove(file, key, item)


def _remove(file: Path, key: str, item: str) -> None:
    old, tree, have, node = _now(file, key)
    if item not in have:
        raise ConfigError(f"there is no {item!r}", file=file, key=key)
    left = [other for other in have if other != item]
    if node is None or node.flow_style or not left:
        edit.set_value(file, key, left)
        return
    lines = old.splitlines(keepends=True)
    for each in reversed(node.value):
        if each.value == item:
            end = old.count("\n", 0, edit.end_of(old, each))
            del lines[each.start_mark.line : end + 1]
    _write(file, key, "".join(lines), {**tree, key: left})


def _now(file: Path, key: str) -> _Now:
    text = text_of(file)
    tree, _ = parse(text, file)
    found = tree.get(key)
    have = [str(each) for each in found] if isinstance(found, list) else []
    return _Now(text, tree, have, _list(text, key))


def _list(text: str, key: str) -> yaml.SequenceNode | None:
    root = edit.root(text)
    for name, value in root.value if root else ():
        if name.value == key and isinstance(value, yaml.SequenceNode):
            return value
    return None


def _begun(text: str, tree: dict[str, Any], key: str, item: str, file: Path) -> str:
    """Begin a list of one item a line, or put it where an empty one stands."""
    if key in tree:
        return edit.edited(text, key, f"[{edit.rendered(item)}]", file)
    start = "" if not text or text.endswith("\n") else edit.line_break(text)
    end = edit.line_break(text)
    return f"{text}{start}{key}:{end}  - {edit.rendered(item)}{end}"


def _write(file: Path, key: str, text: str, wanted: dict[str, Any]) -> None:
    edit.check(text, wanted, file, key)
    write_atomic(file.resolve(), text)
