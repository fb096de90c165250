"""Read Playwright's accessibility tree: roles, names, states, values and refs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

_ATTRIBUTE = re.compile(r"\[([a-z-]+)(?:=([^\]]*))?\]\s*")
_ROLE = re.compile(r"[A-Za-z/][\w-]*")
_INDENT = 2
# nearly every line: a role, perhaps a name without escapes, attributes, perhaps a plain text
_USUAL = re.compile(r'([a-z]+)(?: "([^"\\]*)")?((?: \[[^\]]*\])*)(?::(?: ([^"\'\s][^\n]*))?)?')


@dataclass(slots=True)
class Node:
    """One element of the tree."""

    role: str
    name: str = ""
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    @property
    def ref(self) -> str:
        """The ref that actions name it by."""
        return self.attributes.get("ref", "")

    def property(self, name: str) -> str:
        """Return what the tree notes about it beside its children, such as its address."""
        return next((each.text for each in self.children if each.role == f"/{name}"), "")


def parse(snapshot: str) -> list[Node]:
    """Return the tree that a snapshot's lines describe; lines that nobody can read are text."""
    roots: list[Node] = []
    path: list[tuple[int, Node]] = []
    for line in snapshot.splitlines():
        stripped = line.lstrip(" ")
        if not stripped.startswith("- "):
            continue
        depth = (len(line) - len(stripped)) // _INDENT
        node = _node(stripped[2:])
        while path and path[-1][0] >= depth:
            path.pop()
        (path[-1][1].children if path else roots).append(node)
        path.append((depth, node))
    return roots


def _node(item: str) -> Node:
    usual = _USUAL.fullmatch(item)
    if usual is not None:
        role, name, attributes, text = usual.groups("")
        return Node(role, name, text, dict(_ATTRIBUTE.findall(attributes)))
    key, value = _key_and_value(item)
    found = _ROLE.match(key)
    if found is None:
        return Node("text", text=item)
    node = Node(found[0], text=_scalar(value))
    rest = key[found.end() :].strip()
    if rest.startswith('"'):
        node.name, rest = _quoted(rest)
    elif rest.startswith("/"):
        node.name, _, rest = rest.partition(" [")
        rest = f"[{rest}" if rest else ""
    for name, given in _ATTRIBUTE.findall(rest):
        node.attributes[name] = given
    return node


def _key_and_value(item: str) -> tuple[str, str]:
    """Take a line apart at the colon that stands outside of quotes."""
    if item.startswith("'"):
        end = 1
        while end < len(item) and not (item[end] == "'" and item[end + 1 : end + 2] != "'"):
            end += 2 if item[end] == "'" else 1
        return item[1:end].replace("''", "'"), item[end + 1 :].lstrip(":").strip()
    if item.startswith('"'):
        key, rest = _quoted(item)
        return key, rest.lstrip(":").strip()
    inside = False
    place = 0
    while place < len(item):
        letter = item[place]
        if letter == "\\" and inside:
            place += 1
        elif letter == '"':
            inside = not inside
        elif letter == ":" and not inside and item[place + 1 : place + 2] in ("", " "):
            return item[:place], item[place + 1 :].strip()
        place += 1
    return item, ""


def _quoted(text: str) -> tuple[str, str]:
    """Return the string that a text begins with, and what follows it."""
    end = 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    try:
        return str(json.loads(text[: end + 1])), text[end + 1 :].strip()
    except ValueError:
        return text[1:end], text[end + 1 :].strip()


def _scalar(value: str) -> str:
    if value.startswith('"'):
        return _quoted(value)[0]
    if value.startswith("'") and value.endswith("'"):
        return value[1:-1].replace("''", "'")
    return value
