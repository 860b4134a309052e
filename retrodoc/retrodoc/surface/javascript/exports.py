"""Decides which names a JavaScript module exports, and where each is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .model import Class, Function, Module, Object, Place, place
from .syntax import declared_by, key_of, string_of, text_of
from .values import Evaluator

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_DEPTH = 12


def exported_places(evaluator: Evaluator, path: str) -> Iterator[tuple[str, Place]]:
    """Functions, classes, objects and constants that a module exports; types are no code."""
    seen: set[str] = set()
    for name, fallback in _names(evaluator, path, 0):
        if name in seen:
            continue
        found = _place(evaluator, path, name) or fallback
        if found is not None:
            seen.add(name)
            yield name, found


def _place(evaluator: Evaluator, path: str, name: str) -> Place | None:
    for value in evaluator.exported(path, name):
        if isinstance(value, Function | Class | Object):
            return value.at
    return None


def _names(evaluator: Evaluator, path: str, depth: int) -> Iterator[tuple[str, Place | None]]:
    """Each exported name, with the statement that declares it when that stands in this very module."""
    if depth > _MAX_DEPTH:
        return
    for node in evaluator.file(path).root.named_children:
        if node.type == "export_statement":
            yield from _statement(evaluator, path, node, depth)
    yield from _assigned(evaluator, path)


def _statement(evaluator: Evaluator, path: str, node: Node, depth: int) -> Iterator[tuple[str, Place | None]]:
    if any(child.type == "type" for child in node.children):
        return
    source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    if any(child.type == "default" for child in node.children):
        yield "default", None
    elif declaration is not None:
        for name, inner in declared_by(declaration):
            yield name, place(path, inner)
    elif clause is not None:
        for specifier in clause.named_children:
            if not any(child.type == "type" for child in specifier.children):
                yield key_of(specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")), None
    elif source is not None:
        space = next((child for child in node.named_children if child.type == "namespace_export"), None)
        module = evaluator.module(path, string_of(source))
        if space is None and isinstance(module, Module):
            yield from (found for found in _names(evaluator, module.path, depth + 1) if found[0] != "default")


def _assigned(evaluator: Evaluator, path: str) -> Iterator[tuple[str, Place | None]]:
    """`exports.x = ...`, and the keys of what `module.exports` is."""
    assigned = evaluator.assignments(path)
    for left, nodes in assigned.items():
        for prefix in ("module.exports.", "exports."):
            name = left.removeprefix(prefix)
            if name != left and name.isidentifier():
                yield name, place(path, nodes[0])
                break
    for node in (*assigned.get("module.exports", ()), *assigned.get("exports", ())):
        right = node.child_by_field_name("right")
        for value in evaluator.values(path, right) if right is not None else ():
            if isinstance(value, Function | Class):
                yield "default", value.at
            elif isinstance(value, Object):
                yield from _keys(value.at)


def _keys(at: Place) -> Iterator[tuple[str, Place | None]]:
    for child in at.node.named_children:
        if child.type == "pair":
            yield key_of(child.child_by_field_name("key")), place(at.path, child)
        elif child.type == "method_definition":
            yield key_of(child.child_by_field_name("name")), place(at.path, child)
        elif child.type == "shorthand_property_identifier":
            yield text_of(child), None
