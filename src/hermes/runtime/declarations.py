"""Read a module's syntax tree: does it declare a tool?"""

from __future__ import annotations

import ast


def declares_tool(source: str) -> bool:
    """Whether a module's text declares a tool: @tool, a BaseTool class, or registry.register."""
    return any(_is_declaration(node) for node in ast.walk(ast.parse(source)))


def _is_declaration(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return any(_name(decorator) == "tool" for decorator in node.decorator_list)
        case ast.ClassDef():
            return any(
                _name(part) in ("tool", "BaseTool") for part in (*node.decorator_list, *node.bases)
            )
        case ast.Call(func=ast.Attribute(value=ast.Name(id="registry"), attr="register")):
            return True
    return False


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
