"""Change one setting in config.yaml and leave every other line and comment as it was.

The text is edited where YAML says the value stands. What results is read back and compared with
what was wanted before it replaces the file; a layout that cannot be edited that way is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from hermes.base.errors import ConfigError
from hermes.base.files import private_folder, write_atomic
from hermes.base.text import did_you_mean
from hermes.config.declare import walk
from hermes.config.kinds import Mistyped
from hermes.config.load import check_tree, declared, default
from hermes.config.problems import Problem, complaint
from hermes.config.settings import Settings
from hermes.config.yaml_file import parse, text_of

_PLAIN = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_COMMENT = re.compile(r"\s#")
_WORDS_WITH_A_MEANING = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def parse_text(key: str, text: str) -> Any:
    """Return the value that a text on the command line means for a dotted key.

    Raises:
        ConfigError: there is no such key, or the text does not fit its kind.
    """
    setting = declared(key)
    if setting is None:
        known = [name for name, _ in walk(Settings)]
        hint = did_you_mean(key, known) or "'hermes config list' shows every key."
        raise ConfigError("unknown setting", key=key, hint=hint)
    try:
        return setting.kind.parse(text)
    except Mistyped as error:
        raise ConfigError(str(error), key=key, hint=f"Default: {default(setting)}") from error


def set_value(file: Path, key: str, value: Any) -> None:
    """Write one setting into a config file, made with mode 0600 when it is missing.

    Raises:
        ConfigError: the key or value is wrong, the file already has problems, or its layout
            cannot be edited without losing something.
    """
    old = text_of(file)
    tree, _ = parse(old, file)
    wanted = _with(tree, key, _plain(value))
    new = edited(old, key, rendered(_plain(value)), file)
    check(new, wanted, file, key)
    private_folder(file.parent)
    write_atomic(file.resolve(), new)


def rendered(value: Any) -> str:
    """Return a value as YAML on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_text(key)}: {rendered(item)}' for key, item in value.items())}}}"
    return f"[{', '.join(rendered(item) for item in value)}]"


def _text(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS_WITH_A_MEANING:
        return value
    body = "".join(_character(character) for character in value)
    return f'"{body}"'


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _plain(value: Any) -> Any:
    if hasattr(value, "items"):
        return {str(name): _plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _with(tree: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    *sections, last = key.split(".")
    copy = dict(tree)
    place = copy
    for section in sections:
        inner = place.get(section)
        if inner is not None and not isinstance(inner, dict):
            raise ConfigError(f"{section!r} is not a section in the file", key=key)
        place[section] = dict(inner or {})
        place = place[section]
    place[last] = value
    return copy


def check(text: str, wanted: dict[str, Any], file: Path, key: str) -> None:
    """Refuse a changed text that does not say what was wanted."""
    try:
        tree, lines = parse(text, file)
    except ConfigError:
        tree, lines = {}, {}
    if tree != wanted:
        raise _refusal(file, key, "the file's layout cannot be edited safely")
    problems: list[Problem] = []
    found = check_tree(tree, where=str(file), lines=lines, problems=problems)
    if problems:
        raise complaint(problems)
    setting = declared(key)
    if setting and key in found and found[key] != setting.kind.check(_at(wanted, key)):
        raise _refusal(file, key, "the file sets it twice, once under a dotted name")


def _at(tree: dict[str, Any], key: str) -> Any:
    for part in key.split("."):
        tree = tree[part]
    return tree


def _refusal(file: Path, key: str, reason: str) -> ConfigError:
    return ConfigError(reason, file=file, key=key, hint="Change it by hand: hermes config edit")


def edited(text: str, key: str, value: str, file: Path) -> str:
    """Return a file's text with one setting changed or added."""
    return edited_at(text, key.split("."), value, file)


def edited_at(text: str, sections: Sequence[str], value: str, file: Path) -> str:
    """Return a file's text with one value changed or added, each part of whose key is given."""
    node, key, sections = root(text), ".".join(sections), list(sections)
    depth = 0
    while node is not None:
        pair = next((pair for pair in node.value if pair[0].value == sections[depth]), None)
        if pair is None:
            return _added(text, node, sections[depth:], value)
        depth += 1
        if depth == len(sections):
            return _replaced(text, pair, value, file, key)
        if not isinstance(pair[1], yaml.MappingNode):
            return _begun(text, pair, sections[depth:], value)
        node = pair[1]
    return _appended(text, sections, value)


def root(text: str) -> yaml.MappingNode | None:
    """Return the node of the text's mapping, which is known to be one if it is anything."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return root if isinstance(root, yaml.MappingNode) else None


def _replaced(
    text: str, pair: tuple[yaml.Node, yaml.Node], value: str, file: Path, key: str
) -> str:
    """Put a value in the place of the old one, on the line of its key."""
    name, old = pair
    colon = text.index(":", name.end_mark.index) + 1
    if _COMMENT.search(_items(text, old)):
        raise _refusal(file, key, "the old value has comments inside it, which would be lost")
    comments = text[colon : old.start_mark.index].rstrip()
    return f"{text[:colon]} {value}{comments}{text[max(end_of(text, old), colon) :]}"


def _items(text: str, node: yaml.Node) -> str:
    is_one = isinstance(node, yaml.ScalarNode)
    return "" if is_one else text[node.start_mark.index : end_of(text, node)]


def _added(text: str, node: yaml.MappingNode, keys: list[str], value: str) -> str:
    """Add a key at the end of a section that has others."""
    if node.flow_style:
        inside = text[: node.end_mark.index - 1].rstrip()
        comma = "" if inside.endswith(("{", ",")) else ", "
        return f"{inside}{comma}{_flow(keys, value)}{text[node.end_mark.index - 1 :]}"
    indent = node.value[0][0].start_mark.column
    return after_line(text, end_of(text, node), _block(text, keys, value, indent))


def _begun(text: str, pair: tuple[yaml.Node, yaml.Node], keys: list[str], value: str) -> str:
    """Add the first key of a section that stands empty."""
    indent = pair[0].start_mark.column + 2
    return after_line(text, pair[0].end_mark.index, _block(text, keys, value, indent))


def _appended(text: str, keys: list[str], value: str) -> str:
    return after_line(text, len(text), _block(text, keys, value, 0))


def after_line(text: str, index: int, lines: str) -> str:
    """Return a text with lines put in behind the line that holds a place."""
    newline = text.find("\n", index)
    if newline >= 0:
        return f"{text[: newline + 1]}{lines}{text[newline + 1 :]}"
    gap = line_break(text) if text and not text.endswith("\n") else ""
    return f"{text}{gap}{lines}"


def _block(text: str, keys: list[str], value: str, indent: int) -> str:
    lines = [f"{' ' * (indent + 2 * depth)}{key}:" for depth, key in enumerate(keys)]
    lines[-1] += f" {value}"
    return "".join(f"{line}{line_break(text)}" for line in lines)


def line_break(text: str) -> str:
    """Return how a text breaks its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def _flow(keys: list[str], value: str) -> str:
    return f"{': {'.join(keys)}: {value}{'}' * (len(keys) - 1)}"


def end_of(text: str, node: yaml.Node) -> int:
    """Return where a node's text ends; YAML's own mark may lie beyond the comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return end_of(text, last[1] if isinstance(last, tuple) else last)
    return len(text[: node.end_mark.index].rstrip())
