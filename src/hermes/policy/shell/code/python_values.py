"""The values that Python code computes with, as far as they are known before it runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from hermes.policy.shell.effects import UNKNOWN

Taints = Literal["fetched", "environment", "secret", "file"]
_LIMIT = 1_000_000
_HOST = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]]*\]|[^/:?#]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ref:
    """Something with a dotted name: a module, a function, or what a call of it gives."""

    name: str
    host: str = ""


NOBODY_KNOWS = Ref("?")


@dataclass(frozen=True, slots=True)
class PathText:
    """A pathlib path."""

    text: str


@dataclass(frozen=True, slots=True)
class Taint:
    """A value made of something that must not be run, shown or sent without a question."""

    kind: Taints
    detail: str = ""
    text: str = UNKNOWN


@dataclass(frozen=True, slots=True)
class Opened:
    """An open file."""

    path: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value that is known."""

    owner: object
    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the code itself."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call is given."""

    values: list[object]
    named: dict[str, object] = field(default_factory=dict)

    def get(self, at: int, name: str = "") -> object:
        """Return an argument by its place or its name, None when it is missing."""
        if at < len(self.values):
            return self.values[at]
        return self.named.get(name)

    def all(self) -> Iterable[object]:
        """Return every argument."""
        return (*self.values, *self.named.values())


def text_of(value: object) -> str:
    """Return a value as text, with the sign for the unknown where it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, PathText | Taint):
        return value.text
    if isinstance(value, Opened):
        return value.path
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, bool | int | float) or value is None:
        return short_number(value)
    return UNKNOWN


def short_number(value: object) -> str:
    """Return a number as text, unless it is absurdly long."""
    if isinstance(value, int) and value.bit_length() > 4000:
        return UNKNOWN
    return str(value)


def taint_in(values: Iterable[object], depth: int = 4) -> Taint | None:
    """Return the first taint in values and in what they hold, the worst kind first."""
    found: list[Taint] = []
    for value in values:
        inner: Taint | None = None
        if isinstance(value, Taint):
            inner = value
        elif isinstance(value, Opened):
            inner = Taint("file", value.path)
        elif isinstance(value, Ref) and value.name == "os.environ":
            inner = Taint("environment")
        elif depth and isinstance(value, dict):
            inner = taint_in((*value.keys(), *value.values()), depth - 1)
        elif depth and isinstance(value, list | tuple):
            inner = taint_in(value, depth - 1)
        if inner is not None:
            found.append(inner)
    order = ("environment", "secret", "fetched", "file")
    return min(found, key=lambda taint: order.index(taint.kind), default=None)


def joined(parts: Iterable[object]) -> object:
    """Return the parts one after the other, as text that remembers its taint."""
    parts = list(parts)
    text = "".join(text_of(part) for part in parts)[:_LIMIT]
    taint = taint_in(parts)
    return Taint(taint.kind, taint.detail, text) if taint else text


def path_joined(parts: Iterable[object]) -> str:
    """Return path parts joined as os.path.join joins them."""
    whole = ""
    for part in parts:
        text = text_of(part)
        if text.startswith(("/", "~")) or not whole:
            whole = text
        elif text:
            whole = f"{whole.rstrip('/')}/{text}"
    return whole


def host_of(address: object) -> str:
    """Return the host of an address, the sign for the unknown when it has none."""
    if isinstance(address, tuple | list) and address:
        return text_of(address[0]) or UNKNOWN
    if isinstance(address, Ref):
        return address.host or UNKNOWN
    found = _HOST.match(text_of(address))
    return found[1] if found else UNKNOWN


def same(one: object, other: object) -> bool:
    """Say whether two values are known to be equal."""
    return type(one) is type(other) and one == other
