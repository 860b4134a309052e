"""Decides what a node of a Rust tree says: its attributes, its derives, the text of its literals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST_PATH = re.compile(r"(^|/)(tests?|benches|examples?|testsuite|fixtures)/|(^|/)tests\.rs$|_test\.rs$")


def is_test_path(path: str) -> bool:
    """Whether a file belongs to tests, benches or examples, which expose nothing."""
    return bool(_TEST_PATH.search(path))


def text_of(node: Node | None) -> str:
    """The source text of a node; bytes that are not UTF-8 are replaced."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def string_of(node: Node) -> str:
    """The value of a string literal, escapes left as they are."""
    return "".join(text_of(child) for child in node.named_children if child.type == "string_content")


def attributes(item: Node) -> list[str]:
    """The texts of the attributes before an item, `derive(Parser)` and the like, in order."""
    found: list[str] = []
    before = item.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        if before.type == "attribute_item" and before.named_children:
            found.append(text_of(before.named_children[0]))
        before = before.prev_named_sibling
    return found[::-1]


def first_line(item: Node) -> int:
    """The line that an item starts at, its attributes included."""
    line, before = item.start_point[0] + 1, item.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        line, before = before.start_point[0] + 1, before.prev_named_sibling
    return line


def derives(item: Node) -> frozenset[str]:
    """The last names of what an item derives: `clap::Parser` is `Parser`."""
    found: set[str] = set()
    for text in attributes(item):
        if text.startswith("derive"):
            found.update(name.rpartition("::")[2].strip() for name in text.partition("(")[2].rstrip(")").split(","))
    return frozenset(found)


def enclosing(node: Node, *types: str) -> Node | None:
    """The innermost node of these types around another."""
    around = node.parent
    while around is not None and around.type not in types:
        around = around.parent
    return around


def in_test_module(node: Node) -> bool:
    """Whether an item stands in a `#[cfg(test)]` module."""
    around = enclosing(node, "mod_item")
    while around is not None:
        if any(re.match(r"cfg\(.*\btest\b", text) for text in attributes(around)):
            return True
        around = enclosing(around, "mod_item")
    return False


def kebab(name: str) -> str:
    """`ListAll` and `list_all` are `list-all`, as clap names commands."""
    spaced = re.sub(r"([a-z\d])([A-Z])", r"\1-\2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1-\2", name))
    return spaced.replace("_", "-").lower()
