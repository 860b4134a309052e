"""Decides what statements bind, return and change; where a condition is not known, both ways are gone."""

# ruff: noqa: ARG001 - all functions of the table take the same parameters

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import operations
from .evaluate import NOT_HANDLED, Evaluator, Frame
from .values import (
    UNKNOWN,
    Env,
    ExternalObject,
    FunctionRef,
    Instance,
    LazyImport,
    ModuleRef,
    Unknown,
    Value,
)

Signal = str | None
"""`return`, `break` or `continue` when the block surely ends so; None when it goes on."""


def execute(ev: Evaluator, statements: Iterable[ast.stmt], frame: Frame) -> Signal:
    """Go through statements in order."""
    for statement in statements:
        known = _EXECUTE.get(type(statement))
        signal = known(ev, statement, frame) if known else None
        if signal:
            return signal
    return None


def assign(ev: Evaluator, target: ast.expr, value: Value, frame: Frame) -> None:
    """Bind a value to a name, an attribute, an item or several of these."""
    if isinstance(target, ast.Name):
        frame.envs[0][target.id] = value
    elif isinstance(target, ast.Attribute):
        owner = ev.evaluate(target.value, frame)
        if isinstance(owner, Instance | ExternalObject):
            owner.attrs[target.attr] = value
        elif isinstance(owner, ModuleRef):
            ev.env_of(owner.module)[target.attr] = value
    elif isinstance(target, ast.Subscript):
        container = ev.evaluate(target.value, frame)
        key = ev.evaluate(target.slice, frame)
        if isinstance(container, dict) and isinstance(key, str | int):
            container[key] = value
    elif isinstance(target, ast.Tuple | ast.List):
        items = operations.items_of(value)
        for index, part in enumerate(target.elts):
            known = items is not None and index < len(items) and not isinstance(part, ast.Starred)
            inner = part.value if isinstance(part, ast.Starred) else part
            assign(ev, inner, items[index] if known and items is not None else UNKNOWN, frame)


def _assign(ev: Evaluator, node: ast.Assign, frame: Frame) -> Signal:
    value = ev.evaluate(node.value, frame)
    for target in node.targets:
        assign(ev, target, value, frame)
    return None


def _annotated(ev: Evaluator, node: ast.AnnAssign, frame: Frame) -> Signal:
    if node.value is not None:
        assign(ev, node.target, ev.evaluate(node.value, frame), frame)
    return None


def _augmented(ev: Evaluator, node: ast.AugAssign, frame: Frame) -> Signal:
    if not isinstance(node.op, ast.Add):
        assign(ev, node.target, UNKNOWN, frame)
        return None
    before = ev.evaluate(node.target, frame)
    added = ev.evaluate(node.value, frame)
    if isinstance(before, list) and isinstance(added, list | tuple):
        operations.call_method(before, "extend", [added], {})  # in place: others may hold the same list
    else:
        before = operations.add(before, added)
    assign(ev, node.target, before, frame)
    return None


def _expression(ev: Evaluator, node: ast.Expr, frame: Frame) -> Signal:
    if not isinstance(node.value, ast.Constant):
        ev.evaluate(node.value, frame)
    return None


def _function(ev: Evaluator, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Signal:
    closure = tuple(env for env in frame.envs if env is not frame.module.env and env is not _class_env(frame))
    function = FunctionRef(frame.module, node, f"{frame.prefix}{node.name}", closure, frame.owner)
    frame.envs[0][node.name] = ev.hooks.defined(ev, function, frame) if node.decorator_list else function
    return None


def _class_env(frame: Frame) -> Env | None:
    return frame.owner.namespace if frame.owner else None


def _class(ev: Evaluator, node: ast.ClassDef, frame: Frame) -> Signal:
    closure = tuple(env for env in frame.envs if env is not frame.module.env)
    cls = ev.class_ref(frame.module, node, f"{frame.prefix}{node.name}", closure)
    frame.envs[0][node.name] = ev.hooks.defined(ev, cls, frame) if node.decorator_list else cls
    return None


def _import(ev: Evaluator, node: ast.Import, frame: Frame) -> Signal:
    for alias in node.names:
        if alias.asname:
            frame.envs[0][alias.asname] = LazyImport(alias.name, None)
        else:
            head = alias.name.partition(".")[0]
            frame.envs[0].setdefault(head, LazyImport(head, None))
    return None


def _import_from(ev: Evaluator, node: ast.ImportFrom, frame: Frame) -> Signal:
    for alias in node.names:
        lazy = LazyImport(node.module or "", alias.name, node.level)
        if alias.name != "*":
            frame.envs[0][alias.asname or alias.name] = lazy
            ev.hooks.imported(ev, lazy, frame)
            continue
        source = ev.follow(LazyImport(node.module or "", None, node.level), frame.module)
        if isinstance(source, ModuleRef) and source.module is not frame.module:
            names = ev.env_of(source.module)
            public = names.get("__all__")
            for name in list(names):
                if name in public if isinstance(public, list | tuple) else not name.startswith("_"):
                    value = ev.member_of(source.module, name)
                    frame.envs[0][name] = UNKNOWN if value is NOT_HANDLED else value
    return None


def _return(ev: Evaluator, node: ast.Return, frame: Frame) -> Signal:
    frame.returns.append(ev.evaluate(node.value, frame) if node.value else None)
    return "return"


def _if(ev: Evaluator, node: ast.If, frame: Frame) -> Signal:
    truth = operations.truth(ev.evaluate(node.test, frame))
    if truth is not None:
        return execute(ev, node.body if truth else node.orelse, frame)
    return _either(ev, (node.body, node.orelse), frame)


def _either(ev: Evaluator, ways: Sequence[Sequence[ast.stmt]], frame: Frame) -> Signal:
    """Go each way from the same start, then join what they bound; the first way is preferred."""
    env = frame.envs[0]
    before = dict(env)
    after: list[Env] = []
    signals: list[Signal] = []
    for way in ways:
        signals.append(execute(ev, way, frame))
        after.append(dict(env))
        env.clear()
        env.update(before)
    for name in dict.fromkeys(name for bound in after for name in bound):
        values = [bound[name] for bound in after if name in bound]
        env[name] = operations.join_all(values)
    return signals[0] if all(signals) else None


def _for(ev: Evaluator, node: ast.For | ast.AsyncFor, frame: Frame) -> Signal:
    for item in operations.items_of(ev.evaluate(node.iter, frame)) or []:
        assign(ev, node.target, item, frame)
        signal = execute(ev, node.body, frame)
        if signal == "return":
            return signal
        if signal == "break":
            break
    return execute(ev, node.orelse, frame)


def _with(ev: Evaluator, node: ast.With | ast.AsyncWith, frame: Frame) -> Signal:
    for item in node.items:
        value = ev.evaluate(item.context_expr, frame)
        if item.optional_vars is not None:
            assign(ev, item.optional_vars, value, frame)
    return execute(ev, node.body, frame)


def _try(ev: Evaluator, node: ast.Try, frame: Frame) -> Signal:
    body = [*node.body, *node.orelse]
    signal = _either(ev, [body, *(handler.body for handler in node.handlers)], frame)
    return signal or execute(ev, node.finalbody, frame)


def _match(ev: Evaluator, node: ast.Match, frame: Frame) -> Signal:
    return _either(ev, [case.body for case in node.cases], frame)


def _break(ev: Evaluator, node: ast.Break, frame: Frame) -> Signal:
    return "break"


def _continue(ev: Evaluator, node: ast.Continue, frame: Frame) -> Signal:
    return "continue"


def _raise(ev: Evaluator, node: ast.Raise, frame: Frame) -> Signal:
    return "return"


def _delete(ev: Evaluator, node: ast.Delete, frame: Frame) -> Signal:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.envs[0][target.id] = Unknown(target.id)
    return None


_EXECUTE: dict[type[ast.stmt], Callable[[Evaluator, Any, Frame], Signal]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Return: _return,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Raise: _raise,
    ast.Delete: _delete,
}
if hasattr(ast, "TryStar"):
    _EXECUTE[ast.TryStar] = _try
