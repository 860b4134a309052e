"""Decides which shapes TypeScript code declares: interfaces, object types, enums and unions of literals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.javascript.modules import is_test_path
from retrodoc.surface.javascript.syntax import key_of, string_of, text_of
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import Entity, Field

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"\b(?:interface|enum|type)\s+\w")
_KINDS = ("interface_declaration", "enum_declaration", "type_alias_declaration")
_LONGEST_TYPE = 120
"""Characters of a field's type that are kept; longer ones are generic machinery that nobody reads."""


def entities(sources: Sources) -> Iterable[Entity]:
    for path in sources.containing(_NEEDLE, "typescript", "tsx"):
        if not is_test_path(path):
            for node in descendants(sources.tree(path).root_node, *_KINDS):
                found = _entity(path, node) if not _is_of_others(node) else None
                if found is not None and not found.name.endswith("Props"):  # what a component is drawn from
                    yield found


def _entity(path: str, node: Node) -> Entity | None:
    fields: tuple[Field, ...] = ()
    values: tuple[str, ...] = ()
    match node.type:
        case "interface_declaration":
            kind, fields = "interface", tuple(_fields(node.child_by_field_name("body")))
        case "enum_declaration":
            kind, values = "enum", tuple(_members(node.child_by_field_name("body")))
        case _:
            value = node.child_by_field_name("value")
            kind, values = "union", tuple(_literals(value)) if value is not None else ()
            if value is not None and value.type == "object_type":
                kind, fields = "type", tuple(_fields(value))
    if not fields and not values:
        return None
    return Entity(
        name=text_of(node.child_by_field_name("name")),
        kind=kind,
        path=path,
        start_line=node.start_point[0] + 1,
        end_line=node.end_point[0] + 1,
        fields=fields,
        values=values,
    )


def _is_of_others(node: Node) -> bool:
    """Whether a declaration only adds to the types of another package: `declare module 'x' {}`, `declare global {}`."""
    around = node.parent
    while around is not None and around.type != "ambient_declaration":
        around = around.parent
    if around is None:
        return False
    module = next((child for child in around.named_children if child.type == "module"), None)
    named = module.child_by_field_name("name") if module is not None else None
    return (named is not None and named.type == "string") or any(child.type == "global" for child in around.children)


def _fields(body: Node | None) -> Iterator[Field]:
    """The properties of a shape; methods belong to what it does."""
    for child in body.named_children if body is not None else ():
        name = child.child_by_field_name("name")
        if child.type == "property_signature" and name is not None:
            yield field_of(child, name)


def field_of(declaration: Node, name: Node) -> Field:
    """A property with the type that it is declared with."""
    annotation = declaration.child_by_field_name("type")
    written = annotation.named_children[0] if annotation is not None and annotation.named_children else None
    return Field(
        name=key_of(name),
        type=" ".join(text_of(written).split())[:_LONGEST_TYPE] if written is not None else None,
        values=tuple(_literals(written)) if written is not None else (),
        line=name.start_point[0] + 1,
    )


def _members(body: Node | None) -> Iterator[str]:
    """What an enum may be: the text that a member stands for, else its name."""
    for child in body.named_children if body is not None else ():
        if child.type == "enum_assignment":
            value = child.child_by_field_name("value")
            name = key_of(child.child_by_field_name("name"))
            yield string_of(value) if value is not None and value.type == "string" else name
        elif child.type == "property_identifier":
            yield text_of(child)
        elif child.type == "string":
            yield string_of(child)


def _literals(node: Node) -> Iterator[str]:
    """The members of a union that is made of literals only; nothing when anything else may be."""
    found: list[str] = []
    pending = [node]
    while pending:
        each = pending.pop(0)
        if each.type in ("union_type", "parenthesized_type"):
            pending[:0] = [child for child in each.named_children if child.type != "comment"]
        elif each.type == "literal_type" and each.named_children:
            literal = each.named_children[0]
            if literal.type in ("null", "undefined"):
                continue
            found.append(string_of(literal) if literal.type == "string" else text_of(literal))
        else:
            return
    if len(found) > 1:
        yield from found
