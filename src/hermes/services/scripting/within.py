"""Say whether a script only puts tool calls together: no files, no imports, no classes, no tricks.

Only what behaves the same in every interpreter is let through; anything else is for Python itself.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection

_STATEMENTS = (
    ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.Break,
    ast.Continue, ast.Pass, ast.FunctionDef, ast.Return, ast.Import, ast.ImportFrom, ast.alias,
)  # fmt: skip
_EXPRESSIONS = (
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.List,
    ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
    ast.Compare, ast.Call, ast.keyword, ast.JoinedStr, ast.FormattedValue, ast.Constant, ast.Name,
    ast.Attribute, ast.Subscript, ast.Slice, ast.arguments, ast.arg, ast.expr_context, ast.boolop,
    ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
_BUILTINS = frozenset(
    {
        "print",
        "len",
        "range",
        "sorted",
        "sum",
        "min",
        "max",
        "any",
        "all",
        "enumerate",
        "zip",
        "int",
        "float",
        "str",
        "bool",
        "list",
        "dict",
        "set",
        "tuple",
        "abs",
        "round",
        "reversed",
    }
)
_METHODS = frozenset(
    {
        "split",
        "splitlines",
        "strip",
        "lstrip",
        "rstrip",
        "startswith",
        "endswith",
        "lower",
        "upper",
        "join",
        "replace",
        "count",
        "find",
        "append",
        "extend",
        "insert",
        "pop",
        "sort",
        "get",
        "items",
        "keys",
        "values",
        "setdefault",
        "update",
        "add",
    }
)
_MODULE = "hermes_tools"
_PLAIN = (str, int, float, bool, type(None))


def stays_within(code: str, functions: Collection[str]) -> bool:
    """Say whether a script stays within calls of these functions and plain values."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    nodes = list(ast.walk(tree))
    if not all(isinstance(node, (*_STATEMENTS, *_EXPRESSIONS)) for node in nodes):
        return False
    return _Names(nodes, functions).are_known()


class _Names:
    """The names of a script, and where they come from."""

    def __init__(self, nodes: list[ast.AST], functions: Collection[str]) -> None:
        self._nodes, self._functions = nodes, functions
        self._modules: set[str] = set()
        self._own: set[str] = set()

    def are_known(self) -> bool:
        """Say whether each is its own, a tool's, or one that every interpreter has."""
        self._collect()
        return all(self._is_known(node) for node in self._nodes)

    def _collect(self) -> None:
        for node in self._nodes:
            if isinstance(node, ast.Import):
                self._modules |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                self._own |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._own.add(node.id)
            elif isinstance(node, ast.arg):
                self._own.add(node.arg)
            elif isinstance(node, ast.FunctionDef):
                self._own.add(node.name)

    def _is_known(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Import):
            return all(alias.name == _MODULE for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            is_clear = not any(alias.asname in dir(builtins) for alias in node.names)
            return node.module == _MODULE and names <= set(self._functions) and is_clear
        if isinstance(node, ast.FunctionDef):
            return not node.decorator_list and node.name not in dir(builtins)
        if isinstance(node, ast.Constant):
            return isinstance(node.value, _PLAIN)
        if isinstance(node, ast.Attribute):
            return self._is_attribute(node)
        if isinstance(node, ast.Name):
            known = (*self._own, *self._modules, *_BUILTINS)
            shadows = not isinstance(node.ctx, ast.Load) and node.id in dir(builtins)
            return node.id in known and not shadows
        return True

    def _is_attribute(self, node: ast.Attribute) -> bool:
        if not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node.value, ast.Name) and node.value.id in self._modules:
            return node.attr in self._functions
        return node.attr in _METHODS
