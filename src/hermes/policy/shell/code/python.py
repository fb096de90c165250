"""Tell what Python code does, read by Python's own grammar and followed with constants."""

from __future__ import annotations

import ast
import re
import warnings

from hermes.policy.shell.code.python_expressions import Reader
from hermes.policy.shell.code.python_values import NOBODY_KNOWS, Function, same, text_of
from hermes.policy.shell.effects import Effect, danger

_LIMIT = 200_000
_OLD_PRINT = re.compile(
    r"^(?P<before>(?:.*[;:])?[ \t]*)print[ \t]+(?![=(.,\[])"
    r"(?:>>[ \t]*[\w.]+[ \t]*,)?(?P<what>[^;\n]+)",
    re.MULTILINE,
)
_OLD_EXEC = re.compile(r"(?<![\w.])exec[ \t]+(?=['\"\w])([^;\n]+)")


def effects(code: str) -> list[Effect]:
    """Return what Python code does besides computing and printing."""
    if len(code) > _LIMIT:
        return [danger("opaque", "is too much Python code to be read")]
    tree = _parsed(code)
    if tree is None:
        return [danger("opaque", "is not valid Python")]
    walker = Walker()
    walker.program(tree)
    return list(walker.story.effects)


def _parsed(code: str) -> ast.Module | None:
    for text in (
        code,
        _OLD_EXEC.sub(r"exec(\1)", _OLD_PRINT.sub(r"\g<before>print(\g<what>)", code)),
    ):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
    return None


class Walker(Reader):
    """Follow the statements of a program in their order."""

    def program(self, tree: ast.Module) -> None:
        """Follow the whole program, then the functions that it never calls."""
        self.body(tree.body)
        for function in list(self.functions):
            if function not in self.called:
                self.call_function(Function(function), None)
        self.finish()

    def nested(self, code: str) -> None:
        """Follow code that the program runs by itself."""
        tree = _parsed(code)
        if tree is None:
            self.story.warn("opaque", "runs code that is not valid Python")
        elif self.depth < 8:
            self.depth += 1
            self.body(tree.body)
            self.depth -= 1

    def finish(self) -> None:
        """Judge what only the whole program shows."""
        is_shell = self.story.is_duplicating
        if is_shell and self.story.hosts:
            self.story.warn("network-exec", f"opens a reverse shell to {self.story.hosts[0]}")
        elif is_shell and self.story.is_listening:
            self.story.warn("network-exec", "offers a shell to the network")
        if self.is_exhausted:
            self.story.warn("opaque", "is too long to be followed to its end")

    def body(self, statements: list[ast.stmt]) -> None:
        """Follow statements one after the other."""
        for statement in statements:
            if self.is_exhausted:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Follow one statement."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self.imported(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions[node] = None
                self.names[node.name] = Function(node)
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
                self.turning(node)
            case ast.ClassDef() | ast.With() | ast.AsyncWith() | ast.Try() | ast.TryStar():
                self.block(node)
            case _:
                self.simple(node)

    def turning(self, node: ast.If | ast.While | ast.For | ast.AsyncFor) -> None:
        """Follow a choice or a loop."""
        match node:
            case ast.If():
                self.choose(node)
            case ast.While():
                self.loop(node)
            case _:
                self.each(node)

    def choose(self, node: ast.If) -> None:
        """Follow both ways of a choice, the first with what its test says of names."""
        self.value(node.test)
        narrowed = {} if node.orelse else self.narrowed(node.test)
        kept = {name: self.names[name] for name in narrowed}
        self.names.update(narrowed)
        self.branches([node.body, node.orelse])
        self.names.update(kept)

    def block(self, node: ast.ClassDef | ast.With | ast.AsyncWith | ast.Try | ast.TryStar) -> None:
        """Follow a class, a with or a try."""
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                value = self.value(item.context_expr)
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, value)
        self.body(node.body)
        if isinstance(node, ast.Try | ast.TryStar):
            for handler in node.handlers:
                self.branches([handler.body, []])
            self.body(node.orelse)
            self.body(node.finalbody)

    def simple(self, node: ast.stmt) -> None:
        """Follow an expression, a return or an assignment."""
        match node:
            case ast.Expr():
                self.value(node.value)
            case ast.Return() if node.value is not None:
                self.returned.append(self.value(node.value))
            case ast.Assign():
                value = self.value(node.value)
                for target in node.targets:
                    self.bind(target, value)
            case ast.AnnAssign() if node.value is not None:
                self.bind(node.target, self.value(node.value))
            case ast.AugAssign():
                value = self.combined(
                    self.value_of_target(node.target), node.op, self.value(node.value)
                )
                self.bind(node.target, value)
            case _:
                self.others(node)

    def others(self, node: ast.stmt) -> None:
        """Follow what is rare: delete, raise, assert, match."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.match_case):
                self.branches([child.body, []])

    def branches(self, bodies: list[list[ast.stmt]]) -> None:
        """Follow several ways, and keep what is true after each of them."""
        before = dict(self.names)
        endings = []
        for statements in bodies:
            self.names = dict(before)
            self.body(statements)
            endings.append(self.names)
        merged = endings[0]
        for ending in endings[1:]:
            for name in merged.keys() | ending.keys():
                one, other = merged.get(name), ending.get(name)
                if name not in merged or (name in ending and not same(one, other)):
                    merged[name] = other if name not in merged else NOBODY_KNOWS
        self.names = merged

    def loop(self, node: ast.While) -> None:
        """Follow a while loop once."""
        self.value(node.test)
        is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        self.story.endless += is_endless
        self.body(node.body)
        self.story.endless -= is_endless
        self.body(node.orelse)

    def each(self, node: ast.For | ast.AsyncFor) -> None:
        """Follow a for loop, for each item when the items are known."""
        source = self.value(node.iter)
        is_long = not isinstance(source, list | tuple | str)
        self.story.endless += is_long
        for item in self.items(source):
            self.bind(node.target, item)
            self.body(node.body)
        self.story.endless -= is_long
        self.body(node.orelse)

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        """Remember the names that an import brings."""
        for alias in node.names:
            if isinstance(node, ast.Import):
                self.load(alias.name, alias.asname)
            elif alias.name == "*":
                self.stars.append(node.module or "")
            else:
                self.load(f"{node.module or ''}.{alias.name}", alias.asname or alias.name)

    def value_of_target(self, node: ast.expr) -> object:
        """Return what a target of an assignment held before."""
        return self.names.get(node.id, NOBODY_KNOWS) if isinstance(node, ast.Name) else NOBODY_KNOWS

    def items(self, source: object) -> list[object]:
        """Return the items of a value as far as they are known, at least one."""
        if isinstance(source, dict):
            source = list(source)
        if isinstance(source, str) and len(source) <= 64 and source == text_of(source):
            source = list(source)
        if isinstance(source, list | tuple):
            return list(source[:64])
        return [self.item_of(source)]
