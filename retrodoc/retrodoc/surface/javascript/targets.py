"""Decides which of the handlers of a route answers it, and where that is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .model import External, Function, Module, Object, Place, Result, Value, place
from .syntax import arguments, parameters, text_of
from .values import Evaluator

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Target:
    """What answers a route; `place` is None when it lives in another package or is not known."""

    symbol: str
    place: Place | None = None


class Targets:
    """Follows the handlers that a route is given."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def of(self, path: str, handlers: Sequence[Node]) -> Target:
        """The last handler that does not only handle errors."""
        flat: list[Node] = []
        for node in handlers:
            flat.extend(node.named_children if node.type == "array" else [node])
        last: Target | None = None
        for node in reversed(flat):
            if node.type == "object":  # Fastify's options
                found = next(iter(self._evaluator.member(Object(place(path, node)), "handler")), None)
                if found is not None:
                    return target_of(found) or Target(text_of(node))
                continue
            target = self._one_target(path, node)
            if last is None:
                last = target
            if not _handles_errors(target, node):
                return target
        return last or Target("")

    def _one_target(self, path: str, node: Node) -> Target:
        values = self._evaluator.values(path, node)
        wrapped = self._wrapped(path, node, 0)
        if wrapped is not None:
            return wrapped
        for value in values:
            found = target_of(value)
            if found is not None and found.place is not None:
                return Target(_written(node) or found.symbol, found.place)
            if isinstance(value, Module):
                for each in self._evaluator.exported(value.path, "default"):
                    found = target_of(each)
                    if found is not None and found.place is not None:
                        return Target(_written(node) or found.symbol, found.place)
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        for value in self._evaluator.values(path, callee) if callee is not None else ():
            if isinstance(value, Function):  # what it makes is not known, but here it is made
                return Target(text_of(callee)[:80], value.at)
        return Target(_written(node) or re.sub(r"\s+", " ", text_of(node))[:80])

    def _wrapped(self, path: str, node: Node, depth: int) -> Target | None:
        """`asyncHandler(controller.list)`: the function that the wrapper is given, not the wrapper."""
        if node.type != "call_expression" or depth > 3:
            return None
        callee = node.child_by_field_name("function")
        if (
            callee is not None
            and callee.type == "member_expression"
            and text_of(callee.child_by_field_name("property")) == "bind"
        ):
            inner = callee.child_by_field_name("object")
            return self._one_target(path, inner) if inner is not None else None
        for argument in reversed(arguments(node)):
            if argument.type in ("object", "string", "number", "template_string", "true", "false"):
                continue
            target = self._wrapped(path, argument, depth + 1)
            if target is None and argument.type != "call_expression":
                target = self._one_target(path, argument)
            if target is not None and target.place is not None:
                return target
        return None


def target_of(value: Value) -> Target | None:
    match value:
        case Function(at, name):
            return Target(name or "anonymous", at)
        case Object(at, name):
            return Target(name or "object", at)
        case External(name):
            return Target(name)
        case Result(of, _, given):
            wrapped = (target_of(each) for each in reversed(given) if isinstance(each, Function) or _named(each))
            return next((each for each in wrapped if each is not None), Target(of.name))
        case _:
            return None


def _written(node: Node) -> str:
    """What a person reads at the route: `flows.get`; empty for code that is written in place."""
    text = text_of(node)
    return text if len(text) <= 80 and re.fullmatch(r"[\w$#.?]+", text) else ""


def _handles_errors(target: Target, node: Node) -> bool:
    """Four parameters make an error handler in Express; one of another package is told by its name."""
    if target.place is not None and target.place.node.child_by_field_name("parameters") is not None:
        return len(parameters(target.place.node)) == 4
    return target.place is None and bool(re.search(r"error_?handler", text_of(node)[:120], re.IGNORECASE))


def _named(value: Value) -> bool:
    """An object that something is called by is a controller; one that is written in place holds options."""
    return isinstance(value, Object) and bool(value.name)
