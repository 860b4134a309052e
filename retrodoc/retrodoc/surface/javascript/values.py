"""Decides what a JavaScript expression stands for: a function, an object, a module, another package, or text.

Names are followed through scopes, imports and `require`, exports, object literals, classes and the values that a
function returns. Nothing is run, and an expression whose value depends on more than that is `UNKNOWN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from retrodoc.ingest.sources import Sources, once_for_sources

from .model import (
    UNKNOWN,
    Array,
    Class,
    External,
    Function,
    Instance,
    Module,
    Object,
    Pattern,
    Place,
    Result,
    Value,
    place,
)
from .names import Names, named_after
from .syntax import (
    FUNCTIONS,
    arguments,
    enclosing_class,
    key_of,
    returns,
    string_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node


_WRAPPERS = frozenset(
    (
        "parenthesized_expression",
        "await_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "expression_statement",
    )
)
_FLUENT = frozenset(("get", "post", "put", "patch", "delete", "all", "use", "route", "register", "prefix", "basePath"))
"""Methods of routers that give back the router."""

_MAX_DEPTH = 40
"""Of names followed one to the next; a cycle ends here."""


class Evaluator(Names):
    """Follows expressions among the sources. Every answer is kept, so that asking twice costs nothing."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._values: dict[tuple[str, int, int], tuple[Value, ...]] = {}
        self._pending: set[tuple[str, int, int]] = set()
        self._asked: set[tuple[Value, str]] = set()
        self._depth = 0
        self._members_of_class: dict[tuple[str, int], dict[str, list[Node]]] = {}

    def forget(self) -> None:
        """Answers change when more becomes known of parameters."""
        self._values.clear()
        self._exports.clear()

    # --- expressions

    def value(self, path: str, node: Node) -> Value:
        """The first thing that an expression is known to stand for."""
        return next(iter(self.values(path, node)), UNKNOWN)

    def values(self, path: str, node: Node) -> tuple[Value, ...]:
        """Everything that an expression may stand for, as far as is known; empty when nothing is."""
        key = (path, node.start_byte, node.end_byte)
        if key in self._values:
            return self._values[key]
        if key in self._pending or self._depth > _MAX_DEPTH:
            return ()
        self._pending.add(key)
        self._depth += 1
        try:
            found = tuple(dict.fromkeys(each for each in self._values_of(path, node) if each is not UNKNOWN))
        finally:
            self._depth -= 1
            self._pending.discard(key)
        if self._depth == 0 or found:
            self._values[key] = found
        return found

    def _values_of(self, path: str, node: Node) -> Iterator[Value]:
        kind = node.type
        if kind in _WRAPPERS:
            inner = [child for child in node.named_children if child.type != "comment"]
            if inner:
                yield from self.values(path, inner[0])
        elif kind == "identifier" or kind == "shorthand_property_identifier":
            yield from self._named(path, node, text_of(node))
        elif kind == "string":
            yield string_of(node)
        elif kind == "template_string":
            yield from self._template(path, node)
        elif kind in FUNCTIONS:
            yield Function(place(path, node), text_of(node.child_by_field_name("name")))
        elif kind in ("class", "class_declaration", "abstract_class_declaration"):
            yield Class(place(path, node), text_of(node.child_by_field_name("name")))
        elif kind == "object":
            yield Object(place(path, node))
        elif kind == "array":
            yield Array(tuple(self.value(path, child) for child in node.named_children if child.type != "comment"))
        elif kind == "regex":
            yield Pattern(text_of(node))
        elif kind == "member_expression":
            yield from self._member(path, node)
        elif kind in ("call_expression", "new_expression"):
            yield from self._call(path, node)
        else:
            yield from self._operation(path, node)

    def _operation(self, path: str, node: Node) -> Iterator[Value]:
        match node.type:
            case "assignment_expression":
                yield from self._field(path, node, "right")
            case "ternary_expression":
                yield from self._field(path, node, "consequence")
                yield from self._field(path, node, "alternative")
            case "binary_expression":
                operator = text_of(node.child_by_field_name("operator"))
                if operator == "+":
                    yield from self._joined(path, node)
                elif operator in ("||", "??"):
                    yield from self._field(path, node, "left")
                    yield from self._field(path, node, "right")
            case "sequence_expression" if node.named_children:
                yield from self.values(path, node.named_children[-1])
            case "subscript_expression":
                index = node.child_by_field_name("index")
                holder = node.child_by_field_name("object")
                key = self.value(path, index) if index is not None else UNKNOWN
                if holder is not None and isinstance(key, str):
                    for value in self.values(path, holder):
                        yield from self.member(value, key)
            case "this":
                around = enclosing_class(node)
                if around is not None:
                    yield Instance(Class(place(path, around), text_of(around.child_by_field_name("name"))))

    def _joined(self, path: str, node: Node) -> Iterator[Value]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        first, second = self.text(path, left), self.text(path, right)
        if first is not None and second is not None:
            yield first + second

    def text(self, path: str, node: Node) -> str | None:
        """A string, with `${...}` in place of what is not known; None when nothing of it is."""
        value = self.value(path, node)
        if isinstance(value, str):
            return value
        if node.type == "template_string" or value is not UNKNOWN:
            return None
        written = _setting(node) or re.sub(r"\s+", " ", text_of(node))
        return "${" + written + "}" if len(written) <= 60 else None

    def _template(self, path: str, node: Node) -> Iterator[Value]:
        pieces: list[str] = []
        for child in node.named_children:
            if child.type == "template_substitution" and child.named_children:
                piece = self.text(path, child.named_children[0])
                if piece is None:
                    return
                pieces.append(piece)
            else:
                pieces.append(text_of(child))
        yield "".join(pieces)

    # --- members and calls

    def _member(self, path: str, node: Node) -> Iterator[Value]:
        holder, key = node.child_by_field_name("object"), text_of(node.child_by_field_name("property"))
        if holder is None:
            return
        if text_of(holder) == "module" and key == "exports":
            yield Module(path)
            return
        for value in self.values(path, holder):
            yield from self.member(value, key)
        if holder.type == "identifier":  # `handlers.list = function () {}` after `const handlers = {}`
            for assignment in self.assignments(path).get(f"{text_of(holder)}.{key}", ()):
                if assignment.start_byte != node.start_byte:
                    yield from self._field(path, assignment, "right")

    def member(self, holder: Value, key: str) -> tuple[Value, ...]:
        """What `holder.key` stands for."""
        asked = (holder, key)
        if asked in self._asked or len(self._asked) > _MAX_DEPTH:  # `x = { ...x }` and classes that extend each other
            return ()
        self._asked.add(asked)
        try:
            return tuple(dict.fromkeys(self._members(holder, key)))
        finally:
            self._asked.discard(asked)

    def _members(self, holder: Value, key: str) -> Iterator[Value]:
        match holder:
            case Module(path):
                found = self.exported(path, key)
                yield from found
                if not found and key != "default":
                    for value in self.exported(path, "default"):
                        if value != holder:
                            yield from self.member(value, key)
            case External(name):
                yield External(name if key == "default" else f"{name}.{key}")
            case Object(at, name):
                yield from self._property(at, key)
                yield from self._added(at.path, name, key)
            case Instance(of):
                yield from self._instance_member(of, key, static=False)
            case Class(at, _):
                yield from self._instance_member(holder, key, static=True)
            case Function(at, name):
                yield from self._added(at.path, name, key)
            case Result(_, _, given):
                for value in given:
                    yield from self.member(value, key)
            case _:
                return

    def _added(self, path: str, name: str, key: str) -> Iterator[Value]:
        """`handlers.list = ...`, after `const handlers = {}` or `function handlers() {}`."""
        for left in (f"{name}.{key}", f"module.exports.{key}") if name else (f"module.exports.{key}",):
            for node in self.assignments(path).get(left, ()):
                yield from named_after(tuple(self._field(path, node, "right")), key)

    def _property(self, at: Place, key: str) -> Iterator[Value]:
        for child in at.node.named_children:
            if child.type == "pair" and key_of(child.child_by_field_name("key")) == key:
                yield from named_after(tuple(self._field(at.path, child, "value")), key)
            elif child.type == "method_definition" and key_of(child.child_by_field_name("name")) == key:
                if any(mark.type == "get" for mark in child.children):
                    yield from self.returned(Function(place(at.path, child)))
                else:
                    yield Function(place(at.path, child), key)
            elif child.type == "shorthand_property_identifier" and text_of(child) == key:
                yield from self._named(at.path, child, key)
            elif child.type == "spread_element" and child.named_children:
                for value in self.values(at.path, child.named_children[0]):
                    yield from self.member(value, key)

    def _class_members(self, of: Class) -> dict[str, list[Node]]:
        key = (of.at.path, of.at.start)
        if key not in self._members_of_class:
            found: dict[str, list[Node]] = {}
            body = of.at.node.child_by_field_name("body")
            for child in body.named_children if body is not None else ():
                named = child.child_by_field_name("name") or child.child_by_field_name("property")
                if named is not None:
                    found.setdefault(text_of(named).lstrip("#"), []).append(child)
            self._members_of_class[key] = found
        return self._members_of_class[key]

    def _instance_member(self, of: Class, key: str, static: bool) -> Iterator[Value]:
        path, found = of.at.path, False
        for child in self._class_members(of).get(key.lstrip("#"), ()):
            if any(mark.type == "static" for mark in child.children) != static:
                continue
            if child.type == "method_definition":
                found = True
                if any(mark.type == "get" for mark in child.children):
                    yield from self.returned(Function(place(path, child)))
                else:
                    yield Function(place(path, child), f"{of.name}.{key}" if of.name else key)
            elif child.type in ("field_definition", "public_field_definition"):
                for value in named_after(tuple(self._field(path, child, "value")), f"{of.name}.{key}"):
                    found = True
                    yield value
        for node in self.assignments(path).get(f"this.{key}", ()):
            if of.at.start <= node.start_byte < of.at.end:
                for value in self._field(path, node, "right"):
                    found = True
                    yield value
        if not found:
            for parent in self.superclasses(of):
                yield from self.member(parent if static else Instance(parent), key)

    def superclasses(self, of: Class) -> Iterator[Class]:
        """The classes of the repository that a class extends directly."""
        heritage = next((child for child in of.at.node.named_children if child.type == "class_heritage"), None)
        for clause in heritage.named_children if heritage is not None else ():
            target = clause.child_by_field_name("value") if clause.type == "extends_clause" else clause
            if target is not None and target.type != "implements_clause":
                for value in self.values(of.at.path, target):
                    if isinstance(value, Class) and value != of:
                        yield value

    def _call(self, path: str, node: Node) -> Iterator[Value]:
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if callee is None:
            return
        given = arguments(node)
        if callee.type == "import" or (callee.type == "identifier" and text_of(callee) == "require"):
            specifier = self.value(path, given[0]) if given else UNKNOWN
            if isinstance(specifier, str):
                yield self.module(path, specifier)
            return
        if callee.type == "member_expression" and text_of(callee.child_by_field_name("property")) in ("bind", "freeze"):
            inner = callee.child_by_field_name("object")
            if text_of(inner) == "Object" and given:
                yield from self.values(path, given[0])
            elif inner is not None:
                yield from self.values(path, inner)
            return
        if callee.type == "member_expression" and text_of(callee.child_by_field_name("property")) in _FLUENT:
            yield from (value for value in self._field(path, callee, "object") if isinstance(value, Result))
        for value in self.values(path, callee):
            yield from self._called(path, node, value, given)

    def _called(self, path: str, node: Node, value: Value, given: Sequence[Node]) -> Iterator[Value]:
        match value:
            case External():
                options = place(path, given[0]) if given and given[0].type == "object" else None
                passed = tuple(self.value(path, each) for each in given)
                yield Result(value, place(path, node), passed, options)
            case Function():
                passed_on = place(path, node)
                answers = self.returned(value)
                if any(isinstance(each, Function) and _inside(each.at, value.at) for each in answers):
                    # `wrap(handler)`: the closure only wraps what it is given
                    yield from (
                        each for argument in given for each in self.values(path, argument) if isinstance(each, Function)
                    )
                for returned in answers:
                    if isinstance(returned, Result):
                        yield Result(
                            returned.of, returned.at, returned.given, returned.options, (*returned.through, passed_on)
                        )
                    else:
                        yield returned
            case Class():
                yield Instance(value)
            case Module(target):
                for exported in self.exported(target, "default"):
                    if exported != value:
                        yield from self._called(path, node, exported, given)
            case _:
                return

    def returned(self, function: Function) -> tuple[Value, ...]:
        """What a function may give back."""
        body = function.at.node.child_by_field_name("body")
        if body is None:
            return ()
        if body.type != "statement_block":
            return self.values(function.at.path, body)
        found: list[Value] = []
        for statement in returns(body):
            if statement.named_children:
                found.extend(self.values(function.at.path, statement.named_children[0]))
        return tuple(dict.fromkeys(found))


def _setting(node: Node) -> str:
    """The name of a setting that is asked for by name: `config.get('api.prefix')`."""
    callee = node.child_by_field_name("function") if node.type == "call_expression" else None
    given = arguments(node) if callee is not None and callee.type == "member_expression" else []
    asked = text_of(callee.child_by_field_name("property")) if callee is not None else ""
    return string_of(given[0]) if asked in ("get", "getOrThrow") and given and given[0].type == "string" else ""


def _inside(inner: Place, outer: Place) -> bool:
    return inner.path == outer.path and outer.start < inner.start and inner.end <= outer.end


@once_for_sources
def evaluator_of(sources: Sources) -> Evaluator:
    """One evaluator for all rules that look at the same sources."""
    return Evaluator(sources)
