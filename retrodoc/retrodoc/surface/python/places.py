"""Decides which lines a definition or a call takes, decorators included."""

from __future__ import annotations

import ast

from retrodoc_runs.models import Handler, SourceRef

from .modules import Module
from .values import ClassRef, FunctionRef

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def first_line(node: ast.AST) -> int:
    """The first line of a node; of a definition, its first decorator."""
    starts: list[int] = [decorator.lineno for decorator in getattr(node, "decorator_list", ())]
    return min([getattr(node, "lineno", 1), *starts])


def last_line(node: ast.AST) -> int:
    end: int | None = getattr(node, "end_lineno", None)
    return end or first_line(node)


def reference(module: Module, node: ast.AST) -> SourceRef:
    """The lines of a node, as a citation."""
    return SourceRef(path=module.path, start_line=first_line(node), end_line=last_line(node))


def handler_of(ref: ClassRef | FunctionRef, inner: ast.AST | None = None, module: Module | None = None) -> Handler:
    """The handler that a class or function is; `inner`, in `module`, narrows the lines to one of its methods."""
    node = inner or ref.node
    place = module or ref.module
    return Handler(symbol=ref.symbol, path=place.path, start_line=first_line(node), end_line=last_line(node))


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`, `c()` or `c[...]`; empty when there is none."""
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Attribute):
            return node.attr
        elif isinstance(node, ast.Name):
            return node.id
        else:
            return ""


def keyword(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The expression given for a parameter, by keyword or by position."""
    for found in call.keywords:
        if found.arg == name:
            return found.value
    if position is not None and position < len(call.args) and not isinstance(call.args[position], ast.Starred):
        return call.args[position]
    return None
