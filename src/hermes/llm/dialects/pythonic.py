"""Read calls that are written as Python: ``[look(at="here"), wait(seconds=2)]``."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from hermes.base.messages import Json
from hermes.llm.dialects.forms import Written

_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_MAX = 200_000
_PIECE = re.compile(
    r"\"\"\"(?:[^\\]|\\.)*?\"\"\"|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|[()\[\]{}]", re.S
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


class _NotPlain(ValueError):
    """Something in it is more than a value."""


def end_of(text: str, start: int) -> int:
    """Return where the brackets that open there are closed again, or -1."""
    open_: list[str] = []
    for piece in _PIECE.finditer(text, start):
        char = piece[0]
        if char in _PAIRS:
            open_.append(_PAIRS[char])
        elif len(char) == 1:
            if not open_ or open_.pop() != char:
                return -1
            if not open_:
                return piece.end()
    return -1


def read_python(text: str) -> tuple[Written, ...] | None:
    """Return the calls of a Python expression, or None when it is anything else than calls."""
    if len(text) > _MAX:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # backslashes that Python would not write like that
            tree = ast.parse(text.strip(), mode="eval").body
        return tuple(_calls(tree)) or None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _calls(tree: ast.expr) -> Iterator[Written]:
    if isinstance(tree, (ast.List, ast.Tuple)):
        for item in tree.elts:
            yield from _calls(item)
        return
    if not isinstance(tree, ast.Call):
        raise _NotPlain
    name = ast.unparse(tree.func)
    if name == "print" and len(tree.args) == 1 and isinstance(tree.args[0], ast.Call):
        yield from _calls(tree.args[0])
        return
    name = name.removesuffix(".call")
    if tree.args or not re.fullmatch(r"[\w.-]+", name):
        yield Written(name, ", ".join(map(ast.unparse, [*tree.args, *tree.keywords])))
        return
    yield Written(name, {str(one.arg or ""): _value(one.value) for one in tree.keywords})


def _value(tree: ast.expr) -> Json:
    match tree:
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return value
        case ast.Name(id=name) if name.lower() in _CONSTANTS:
            return _CONSTANTS[name.lower()]
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): _value(one) for key, one in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _value(operand)
            if isinstance(value, (int, float)):
                return -value
    raise _NotPlain


def _key(tree: ast.expr | None) -> str:
    value = _value(tree) if tree is not None else None
    if not isinstance(value, str):
        raise _NotPlain
    return value
