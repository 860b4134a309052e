"""Decides which structs and enums Rust code declares, with their fields and variants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.rust.syntax import attributes, first_line, in_test_module, is_test_path, text_of
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import Entity, Field

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"\b(?:struct|enum)\s+\w")


def entities(sources: Sources) -> Iterable[Entity]:
    for path in sources.containing(_NEEDLE, "rust"):
        if not is_test_path(path):
            for node in descendants(sources.tree(path).root_node, "struct_item", "enum_item"):
                if not in_test_module(node):
                    found = _entity(path, node)
                    if found is not None:
                        yield found


def _entity(path: str, node: Node) -> Entity | None:
    body = node.child_by_field_name("body")
    fields, values = tuple(_fields(body)), tuple(_variants(body))
    if not fields and not values:
        return None
    return Entity(
        name=text_of(node.child_by_field_name("name")),
        kind="struct" if node.type == "struct_item" else "enum",
        path=path,
        start_line=first_line(node),
        end_line=node.end_point[0] + 1,
        fields=fields,
        values=values,
    )


def _fields(body: Node | None) -> Iterator[Field]:
    """Named fields; those of a tuple struct have none."""
    if body is None or body.type != "field_declaration_list":
        return
    for child in body.named_children:
        if child.type == "field_declaration":
            yield Field(
                name=text_of(child.child_by_field_name("name")).removeprefix("r#"),
                type=" ".join(text_of(child.child_by_field_name("type")).split())[:120],
                line=child.start_point[0] + 1,
            )


def _variants(body: Node | None) -> Iterator[str]:
    if body is None or body.type != "enum_variant_list":
        return
    for child in body.named_children:
        if child.type == "enum_variant" and not any(text.startswith("cfg(test") for text in attributes(child)):
            yield text_of(child.child_by_field_name("name"))
