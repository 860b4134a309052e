"""Decides which functions of a module are worth stepping into, and goes through definitions with their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .evaluate import Evaluator
from .modules import Module
from .values import UNKNOWN, ClassRef, FunctionRef

Function = ast.FunctionDef | ast.AsyncFunctionDef


def definitions(module: Module) -> Iterator[tuple[Function | ast.ClassDef, str]]:
    """Every function and class of a module with its qualified name, in order."""
    yield from _inside(module.tree.body, "")


def _inside(body: list[ast.stmt], prefix: str) -> Iterator[tuple[Function | ast.ClassDef, str]]:
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield node, f"{prefix}{node.name}"
            yield from _inside(node.body, f"{prefix}{node.name}.")
        else:
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(node, name, None)
                if isinstance(inner, list):
                    yield from _inside(inner, prefix)
            for handler in getattr(node, "handlers", ()):
                yield from _inside(handler.body, prefix)


def enter(evaluator: Evaluator, module: Module, names: frozenset[str]) -> None:
    """Evaluate a module, then step once into each outermost function that calls a method with one of these names.

    Parameters are unknown then; what a caller passes is known when the caller is stepped into.
    """
    env = evaluator.env_of(module)
    for node in module.tree.body:
        if isinstance(node, Function) and _mentions(node, names):
            found = env.get(node.name)
            function = found if isinstance(found, FunctionRef) else FunctionRef(module, node, node.name)
            evaluator.call_function(function, [], {})
        elif isinstance(node, ast.ClassDef):
            cls = evaluator.class_ref(module, node, node.name)
            if any(getattr(inner, "decorator_list", ()) for inner in node.body):
                evaluator.namespace(cls)  # its methods may be registered by their decorators
            for inner in node.body:
                if isinstance(inner, Function) and _mentions(inner, names):
                    _enter_method(evaluator, cls, inner)


def _enter_method(evaluator: Evaluator, cls: ClassRef, node: Function) -> None:
    method = FunctionRef(cls.module, node, f"{cls.qualname}.{node.name}", cls.closure, cls)
    evaluator.call_function(method, [UNKNOWN], {})


def _mentions(node: ast.AST, names: frozenset[str]) -> bool:
    return any(
        (isinstance(inner, ast.Attribute) and inner.attr in names)
        or (isinstance(inner, ast.Name) and inner.id in names)
        for inner in ast.walk(node)
    )


def refuses(function: FunctionRef) -> bool:
    """Whether a method is there only to say that its verb is not answered: one statement, and it is a refusal."""
    body = [] if isinstance(function.node, ast.Lambda) else list(function.node.body)
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if len(body) != 1:
        return False
    for node in ast.walk(body[0]):
        if isinstance(node, ast.Constant) and node.value == 405:
            return True
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name == "NotImplementedError" or "not_allowed" in name.lower() or "NotAllowed" in name:
                return True
    return False
