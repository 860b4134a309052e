"""Decides the value of each kind of expression."""

# ruff: noqa: ARG001 - all functions of the table take the same parameters

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from . import operations
from .evaluate import Evaluator, Frame
from .values import UNKNOWN, Builtin, Env, FunctionRef, Instance, Unknown, Value


def _constant(ev: Evaluator, node: ast.Constant, frame: Frame) -> Value:
    return node.value


def _name(ev: Evaluator, node: ast.Name, frame: Frame) -> Value:
    return ev.lookup(node.id, frame)


def _attribute(ev: Evaluator, node: ast.Attribute, frame: Frame) -> Value:
    return ev.attribute(ev.evaluate(node.value, frame), node.attr)


def _elements(ev: Evaluator, nodes: Iterable[ast.expr], frame: Frame) -> list[Value]:
    values: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values.extend(operations.items_of(ev.evaluate(node.value, frame)) or [])
        else:
            values.append(ev.evaluate(node, frame))
    return values


def _list(ev: Evaluator, node: ast.List | ast.Set, frame: Frame) -> Value:
    return _elements(ev, node.elts, frame)


def _tuple(ev: Evaluator, node: ast.Tuple, frame: Frame) -> Value:
    return tuple(_elements(ev, node.elts, frame))


def _dict(ev: Evaluator, node: ast.Dict, frame: Frame) -> Value:
    answer: dict[Any, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            merged = ev.evaluate(value, frame)
            if isinstance(merged, dict):
                answer.update(merged)
            continue
        name = ev.evaluate(key, frame)
        if isinstance(name, str | int):
            answer[name] = ev.evaluate(value, frame)
    return answer


def _call(ev: Evaluator, node: ast.Call, frame: Frame) -> Value:
    callee = ev.evaluate(node.func, frame)
    args = _elements(ev, node.args, frame)
    kwargs: Env = {}
    for keyword in node.keywords:
        value = ev.evaluate(keyword.value, frame)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, dict):
            kwargs.update({key: item for key, item in value.items() if isinstance(key, str)})
    before, frame.node = frame.node, node
    try:
        return ev.call(callee, args, kwargs, frame)
    finally:
        frame.node = before


def _binary(ev: Evaluator, node: ast.BinOp, frame: Frame) -> Value:
    left, right = ev.evaluate(node.left, frame), ev.evaluate(node.right, frame)
    if isinstance(node.op, ast.Add):
        return operations.add(left, right)
    if isinstance(node.op, ast.Mod):
        return operations.percent(left, right)
    if isinstance(node.op, ast.BitOr) and isinstance(left, dict) and isinstance(right, dict):
        return left | right
    return UNKNOWN


def _boolean(ev: Evaluator, node: ast.BoolOp, frame: Frame) -> Value:
    stop_on = isinstance(node.op, ast.Or)
    value: Value = UNKNOWN
    doubt = False
    for part in node.values:
        value = ev.evaluate(part, frame)
        truth = operations.truth(value)
        if truth is stop_on and not (doubt and not stop_on):
            return value if stop_on or not doubt else UNKNOWN
        if truth is None:
            doubt = True
    return UNKNOWN if doubt and not stop_on else value


def _if(ev: Evaluator, node: ast.IfExp, frame: Frame) -> Value:
    truth = operations.truth(ev.evaluate(node.test, frame))
    if truth is not None:
        return ev.evaluate(node.body if truth else node.orelse, frame)
    return operations.join(ev.evaluate(node.body, frame), ev.evaluate(node.orelse, frame))


def _unary(ev: Evaluator, node: ast.UnaryOp, frame: Frame) -> Value:
    value = ev.evaluate(node.operand, frame)
    if isinstance(node.op, ast.Not):
        truth = operations.truth(value)
        return UNKNOWN if truth is None else not truth
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    return UNKNOWN


def _compare(ev: Evaluator, node: ast.Compare, frame: Frame) -> Value:
    if len(node.ops) != 1:
        return UNKNOWN
    left, right = ev.evaluate(node.left, frame), ev.evaluate(node.comparators[0], frame)
    op = node.ops[0]
    if isinstance(op, ast.Is | ast.IsNot) and isinstance(left, Builtin) and isinstance(right, Builtin):
        return (left == right) == isinstance(op, ast.Is)
    if isinstance(op, ast.Is | ast.IsNot) and right is None and operations.truth(left) is not None:
        return (left is None) == isinstance(op, ast.Is)
    plain = (str, int, float, bool)
    if isinstance(op, ast.Eq | ast.NotEq) and isinstance(left, plain) and isinstance(right, plain):
        return (left == right) == isinstance(op, ast.Eq)
    same = isinstance(right, list | tuple) and not isinstance(left, Unknown) and any(one is left for one in right)
    if isinstance(op, ast.In | ast.NotIn) and same:
        return isinstance(op, ast.In)
    if isinstance(op, ast.In | ast.NotIn) and isinstance(left, str) and _all_text(right):
        return (left in right) == isinstance(op, ast.In)
    return UNKNOWN


def _all_text(value: Value) -> bool:
    return isinstance(value, list | tuple | dict) and all(isinstance(item, str) for item in value)


def _joined(ev: Evaluator, node: ast.JoinedStr, frame: Frame) -> Value:
    parts: list[str] = []
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            value = ev.evaluate(piece.value, frame)
            if not isinstance(value, str | int) and not (isinstance(value, Unknown) and value.text):
                value = Unknown(ast.unparse(piece.value))
            parts.append(operations.shown(value))
        elif isinstance(piece, ast.Constant):
            parts.append(str(piece.value))
    return "".join(parts)


def _subscript(ev: Evaluator, node: ast.Subscript, frame: Frame) -> Value:
    owner = ev.evaluate(node.value, frame)
    if isinstance(owner, Instance) and owner.args and isinstance(owner.args[0], dict):
        owner = owner.args[0]  # a registry: a class of the repository's own over a dict
    if isinstance(node.slice, ast.Slice):
        low = ev.evaluate(node.slice.lower, frame) if node.slice.lower else None
        high = ev.evaluate(node.slice.upper, frame) if node.slice.upper else None
        if isinstance(owner, list | tuple | str) and all(isinstance(end, int | None) for end in (low, high)):
            return owner[low:high]
        return owner if isinstance(owner, list | tuple) else UNKNOWN
    key = ev.evaluate(node.slice, frame)
    if isinstance(owner, list | tuple) and isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    if isinstance(owner, dict) and isinstance(key, str | int) and (key in owner or isinstance(owner, defaultdict)):
        return owner[key]
    if isinstance(owner, list | tuple | dict):
        return UNKNOWN
    return ev.hooks.item(ev, owner, key)


def _lambda(ev: Evaluator, node: ast.Lambda, frame: Frame) -> Value:
    return FunctionRef(frame.module, node, f"{frame.prefix}<lambda>", _closure(frame))


def _comprehension(ev: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
    found: list[Value] = []
    _each(ev, node.generators, frame, lambda inner: found.append(ev.evaluate(node.elt, inner)))
    return found


def _dict_comprehension(ev: Evaluator, node: ast.DictComp, frame: Frame) -> Value:
    found: dict[Any, Value] = {}

    def add(inner: Frame) -> None:
        key = ev.evaluate(node.key, inner)
        if isinstance(key, str | int):
            found[key] = ev.evaluate(node.value, inner)

    _each(ev, node.generators, frame, add)
    return found


def _each(ev: Evaluator, generators: list[ast.comprehension], frame: Frame, found: Callable[[Frame], None]) -> None:
    from .statements import assign

    if not generators:
        found(frame)
        return
    head, *rest = generators
    for item in operations.items_of(ev.evaluate(head.iter, frame)) or []:
        inner = Frame(frame.module, ({}, *_closure(frame)), frame.prefix, frame.function, frame.owner)
        assign(ev, head.target, item, inner)
        if all(operations.truth(ev.evaluate(test, inner)) is not False for test in head.ifs):
            _each(ev, rest, inner, found)


def _closure(frame: Frame) -> tuple[Env, ...]:
    return tuple(env for env in frame.envs if env is not frame.module.env)


def _walrus(ev: Evaluator, node: ast.NamedExpr, frame: Frame) -> Value:
    value = ev.evaluate(node.value, frame)
    if frame.envs:
        frame.envs[0][node.target.id] = value
    return value


def _yield(ev: Evaluator, node: ast.Yield, frame: Frame) -> Value:
    if node.value is not None:
        frame.yields.append(ev.evaluate(node.value, frame))
    return UNKNOWN


def _yield_from(ev: Evaluator, node: ast.YieldFrom, frame: Frame) -> Value:
    frame.yields.extend(operations.items_of(ev.evaluate(node.value, frame)) or [])
    return UNKNOWN


def _await(ev: Evaluator, node: ast.Await, frame: Frame) -> Value:
    return ev.evaluate(node.value, frame)


EVALUATE: dict[type[ast.expr], Callable[[Evaluator, Any, Frame], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.List: _list,
    ast.Set: _list,
    ast.Tuple: _tuple,
    ast.Dict: _dict,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.IfExp: _if,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.JoinedStr: _joined,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.NamedExpr: _walrus,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Await: _await,
}
