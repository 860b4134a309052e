"""Small questions about nodes of a syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def first_field(node: Node, *fields: str) -> Node | None:
    """The child of the first of the fields that the node has."""
    return next(filter(None, map(node.child_by_field_name, fields)), None)
