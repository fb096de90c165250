"""Follow the operators of Python code: arithmetic on texts, indexes, comprehensions, bindings."""

from __future__ import annotations

import ast

from hermes.policy.shell.code.python_calls import CLOUDS
from hermes.policy.shell.code.python_deeds import variable
from hermes.policy.shell.code.python_story import Story
from hermes.policy.shell.code.python_values import (
    NOBODY_KNOWS,
    PathText,
    Ref,
    Taint,
    joined,
    path_joined,
    taint_in,
    text_of,
)
from hermes.policy.shell.effects import UNKNOWN

_BUDGET = 60_000
_LONGEST = 100_000
_SECRET_WORDS = ("TOKEN", "SECRET", "KEY", "PASS", "CRED", "AUTH", "AWS")
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class Operators:
    """Hold what the code has named and done, and give operators their values."""

    def __init__(self) -> None:
        self.story = Story()
        self.names: dict[str, object] = {}
        self.stars: list[str] = []
        self.functions: dict[ast.FunctionDef | ast.AsyncFunctionDef, None] = {}
        self.called: set[ast.AST] = set()
        self.returned: list[object] = []
        self.depth = 0
        self.steps = 0

    @property
    def is_exhausted(self) -> bool:
        """Say whether following on would take too long."""
        return self.steps > _BUDGET

    def value(self, node: ast.expr) -> object:
        """Return the value of an expression."""
        raise NotImplementedError

    def bind(self, target: ast.expr, value: object) -> None:
        """Give a target of an assignment its value."""
        match target:
            case ast.Name():
                self.names[target.id] = value
            case ast.Tuple() | ast.List():
                known = isinstance(value, list | tuple) and len(value) == len(target.elts)
                for at, inner in enumerate(target.elts):
                    self.bind(inner, value[at] if known else self.item_of(value))  # type: ignore[index]  # known to be a list
            case ast.Starred():
                self.bind(target.value, NOBODY_KNOWS)
            case ast.Subscript():
                self.value(target.value)
                self.value(target.slice)
            case ast.Attribute() if isinstance(target.value, ast.Name):
                self.names[f"{target.value.id}.{target.attr}"] = value
            case _:
                pass

    def item_of(self, value: object) -> object:
        """Return what one unknown item of a value is."""
        if isinstance(value, Ref) and value.name == "os.environ":
            return UNKNOWN
        if isinstance(value, Ref) and value.name.startswith(CLOUDS):
            return value
        return taint_in([value]) or (UNKNOWN if isinstance(value, str) else NOBODY_KNOWS)

    def combined(self, left: object, operator: ast.operator, right: object) -> object:
        """Return what an operator makes of two values."""
        match operator, left, right:
            case ast.Div(), PathText(), _:
                return PathText(path_joined([left, right]))
            case ast.Add(), list() | tuple(), list() | tuple() if len(left) + len(right) < 1000:
                return [*left, *right]
            case ast.Add(), bytes(), bytes() if len(left) + len(right) < _LONGEST:
                return left + right
            case ast.Add(), (str() | Taint()), _:
                return joined([left, right])
            case ast.Add(), _, (str() | Taint()):
                return joined([left, right])
            case ast.Mod(), (str() | bytes()), _:
                return _percent(text_of(left), right)
            case ast.Mult(), str() | bytes(), int() if len(left) * right < _LONGEST:
                return left * right
            case (
                (ast.Add() | ast.Sub() | ast.BitXor() | ast.BitAnd() | ast.BitOr()),
                int(),
                int(),
            ):
                return _arithmetic(left, operator, right)
            case _:
                return taint_in([left, right]) or NOBODY_KNOWS

    def binary(self, node: ast.BinOp) -> object:
        """Return what a binary operator gives."""
        return self.combined(self.value(node.left), node.op, self.value(node.right))

    def formatted(self, node: ast.JoinedStr) -> object:
        """Return the text of an f-string."""
        return joined(
            [
                self.value(part.value if isinstance(part, ast.FormattedValue) else part)
                for part in node.values
            ]
        )

    def sequence(self, node: ast.List | ast.Tuple | ast.Set) -> object:
        """Return a list of values."""
        values: list[object] = []
        for item in node.elts:
            value = self.value(item.value if isinstance(item, ast.Starred) else item)
            if isinstance(item, ast.Starred) and isinstance(value, list | tuple):
                values += value
            else:
                values.append(value)
        return tuple(values) if isinstance(node, ast.Tuple) else values

    def mapping(self, node: ast.Dict) -> object:
        """Return a dictionary; keys that are not known are dropped, their values kept."""
        result: dict[object, object] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            known = self.value(key) if key is not None else None
            value = self.value(item)
            result[known if isinstance(known, str | int) else f"{UNKNOWN}{len(result)}"] = value
        return result

    def subscript(self, node: ast.Subscript) -> object:
        """Return an item or a slice of a value."""
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            return self.sliced(owner, node.slice)
        key = self.value(node.slice)
        if isinstance(owner, Ref) and owner.name == "os.environ":
            return variable(key)
        if isinstance(owner, Ref) and isinstance(key, str):
            return self.looked_up_in(owner.name, key)
        if isinstance(owner, dict):
            return owner.get(key, NOBODY_KNOWS) if isinstance(key, str | int) else NOBODY_KNOWS
        if isinstance(owner, str | bytes | list | tuple) and isinstance(key, int):
            return owner[key] if -len(owner) <= key < len(owner) else NOBODY_KNOWS
        return taint_in([owner]) or NOBODY_KNOWS

    def looked_up_in(self, name: str, key: str) -> object:
        """Return what a table of names holds under a key."""
        if name.endswith(".__dict__") and not name.startswith("__builtins__"):
            return Ref(f"{name.removesuffix('.__dict__')}.{key}")
        if name in {"sys.modules", "__builtins__", "__builtins__.__dict__", "__dict__"}:
            return Ref(key)
        if name in {"globals()", "locals()"}:
            return self.names.get(key, Ref(key))
        return NOBODY_KNOWS

    def sliced(self, owner: object, node: ast.Slice) -> object:
        """Return a slice of a value."""
        ends = [
            self.value(end) if end is not None else None
            for end in (node.lower, node.upper, node.step)
        ]
        known = [end for end in ends if end is None or isinstance(end, int)]
        if isinstance(owner, str | bytes | list | tuple):
            return owner[slice(*known)] if len(known) == 3 and known[2] != 0 else UNKNOWN
        return taint_in([owner]) or NOBODY_KNOWS

    def comprehension(self, node: Comprehension) -> object:
        """Return what a comprehension gives, item by item when the items are known."""
        outer = self.names
        self.names = dict(outer)
        results: list[object] = []
        self.generators(node, 0, results)
        self.names = outer
        is_known = not any(isinstance(item, Ref) for item in results)
        taint = taint_in(results)
        if taint and taint.kind == "environment" and _picks_harmless(node):
            return NOBODY_KNOWS
        return taint or (results if is_known else NOBODY_KNOWS)

    def generators(
        self,
        node: Comprehension,
        at: int,
        results: list[object],
    ) -> None:
        """Follow the loops of a comprehension from one on."""
        if at == len(node.generators):
            if isinstance(node, ast.DictComp):
                results += [self.value(node.key), self.value(node.value)]
            else:
                results.append(self.value(node.elt))
            return
        generator = node.generators[at]
        source = self.value(generator.iter)
        is_long = not isinstance(source, list | tuple | str | bytes)
        items = (
            list(source[:256])
            if isinstance(source, list | tuple | str | bytes)
            else [self.item_of(source)]
        )
        self.story.endless += is_long
        for item in items:
            self.bind(generator.target, item)
            for condition in generator.ifs:
                self.value(condition)
                self.names.update(self.narrowed(condition))
            self.generators(node, at + 1, results)
        self.story.endless -= is_long

    def narrowed(self, test: ast.expr) -> dict[str, object]:
        """Return what is known of unknown names once a test held: ``name.endswith(".pyc")``."""
        match test:
            case ast.BoolOp(op=ast.And()):
                return {
                    name: end for part in test.values for name, end in self.narrowed(part).items()
                }
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="endswith"),
                args=[ast.Constant(value=str(end))],
            ) if self.names.get(name) == UNKNOWN and self.story.is_listing:
                return {name: f"{UNKNOWN}{end}"}
        return {}

    def compare(self, node: ast.Compare | ast.UnaryOp) -> object:
        """Return nothing known, for a comparison shows no secret; a negative number is one."""
        values = [
            self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
        ]
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and isinstance(values[0], int)
        ):
            return -values[0]
        return NOBODY_KNOWS

    def choice(self, node: ast.IfExp | ast.BoolOp) -> object:
        """Return the one value that a choice can have, or nothing known."""
        if isinstance(node, ast.IfExp):
            self.value(node.test)
            values = [self.value(node.body), self.value(node.orelse)]
        else:
            values = [self.value(value) for value in node.values]
        taint = taint_in(values)
        return taint or next(
            (value for value in values if isinstance(value, str | PathText)), NOBODY_KNOWS
        )

    def walrus(self, node: ast.NamedExpr) -> object:
        """Bind a name inside an expression."""
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def awaited(self, node: ast.Await | ast.Starred | ast.FormattedValue) -> object:
        """Return the value inside."""
        return self.value(node.value)


def _percent(pattern: str, values: object) -> object:
    parts = list(values) if isinstance(values, tuple) else [values]
    if isinstance(values, dict):
        return joined([UNKNOWN, *values.values()])
    texts = tuple(text_of(part) for part in parts)
    try:
        text = pattern.replace("%d", "%s") % texts
    except (TypeError, ValueError):
        text = UNKNOWN
    taint = taint_in(parts)
    if len(text) > _LONGEST:
        text = UNKNOWN
    return Taint(taint.kind, taint.detail, text) if taint else text


def _arithmetic(left: int, operator: ast.operator, right: int) -> object:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.BitXor():
            return left ^ right
        case ast.BitAnd():
            return left & right
        case _:
            return left | right


def _picks_harmless(node: Comprehension) -> bool:
    """Say whether the conditions name only variables that hold no secret."""
    words = [
        inner.value.upper()
        for generator in node.generators
        for condition in generator.ifs
        for inner in ast.walk(condition)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    ]
    return bool(words) and not any(sign in word for word in words for sign in _SECRET_WORDS)
