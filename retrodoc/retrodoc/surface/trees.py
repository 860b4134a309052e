"""Walks over syntax trees that the rules of several languages share; never by recursion, since trees can be deep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def descendants(root: Node, *types: str) -> Iterator[Node]:
    """All nodes of these types, in the order of the text."""
    wanted, cursor = frozenset(types), root.walk()
    while True:
        node = cursor.node
        if node is not None and node.type in wanted:
            yield node
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return
