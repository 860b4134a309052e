"""The names of a parameter list: from its text where that is plain, and from the tree elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrodoc_chunkers.nodes import first_field

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARED = re.compile(r"[&*(.\s]+(\w+)\)?")
_WORD = re.compile(r"\w")


def names_of(listed: Node, language: str, source: bytes, encoding: str) -> tuple[str, ...]:
    """Names of a parameter list, the receiver (`self`, `cls`) left out."""
    start, end = listed.byte_range
    names = plain_parameters(_text(source, start, end, encoding), language)
    return parameter_names(listed, source, encoding) if names is None else names


def _text(source: bytes, start: int, end: int, encoding: str) -> str:
    return source[start:end].decode(encoding, "replace")


RECEIVERS = frozenset({"self", "cls", "this", "&self", "&mut self", "mut self"})


def plain_parameters(text: str, language: str) -> tuple[str, ...] | None:
    """Names of a parameter list that its text settles: `(self, rows, limit=10)`; None when the tree must be asked."""
    if text == "()":
        return ()
    if (
        language not in _NAMES_ALONE
        or text[:1] != "("
        or text[-1:] != ")"
        or _NOT_PLAIN.search(text[1:-1])
        or "void" in text
    ):
        return None
    names: list[str] = []
    for part in text[1:-1].split(","):
        name = part.strip()
        if not name.isidentifier():
            if language != "python":
                return None
            name = name.partition(":")[0].partition("=")[0].strip().lstrip("*").lstrip()
            if name in ("", "/"):
                continue
            if not name.isidentifier():
                return None
        if names or name not in RECEIVERS:
            names.append(name)
    return tuple(names)


_NAMES_ALONE = frozenset({"python", "javascript", "typescript", "tsx", "ruby"})
"""Languages whose parameters may be names without types; in others a word alone is a type."""
_NOT_PLAIN = re.compile(r"""[(\[{'"#\\]|\blambda\b""")
"""What may hold a comma, or hide a name."""


def parameter_names(node: Node, source: bytes, encoding: str) -> tuple[str, ...]:
    """Names of a parameter list, the receiver (`self`, `cls`) left out."""
    if not node.type.endswith(("parameters", "parameter_list", "parameter", "_params")):
        return (_text(source, node.start_byte, node.end_byte, encoding),)  # `x => x + 1`
    names: list[str] = []
    for child in node.named_children:
        kind = child.type
        if kind in _NO_PARAMETER:
            continue
        if kind == "identifier":
            text = source[child.start_byte : child.end_byte].decode(encoding, "replace")
            if names or text not in RECEIVERS:
                names.append(text)
            continue
        if kind == "parameter_declaration" and first_field(child, "name", "declarator") is None:
            continue  # C and Go: a type alone
        for name in child.children_by_field_name("name") or [_inner_name(child)]:
            text = _text(source, name.start_byte, name.end_byte, encoding)
            declared = _DECLARED.fullmatch(text)  # `*rows` and `(*callback)` in C
            text = declared.group(1) if declared else text
            if text != "void" and _WORD.search(text) and not (text in RECEIVERS and not names):
                names.append(text)
    return tuple(names)


_NO_PARAMETER = frozenset(
    {"comment", "line_comment", "block_comment", "self_parameter", "keyword_separator", "positional_separator",
     "receiver_parameter", "attribute_item", "attribute_list", "modifier", "array_type", "nullable_type", "ERROR"}
)  # fmt: skip


_NAMING = ("identifier", "splat_pattern")


def _inner_name(node: Node) -> Node:
    """The node that names a parameter: its pattern or declarator, else its first identifier, else itself."""
    for _ in range(8):
        inner = first_field(node, "name", "pattern", "declarator", "left")
        if inner is None and node.type.endswith(("splat_pattern", "rest_pattern", "parameter")):
            children = node.named_children
            inner = next((child for child in children if child.type == "variable_declarator"), None)
            inner = inner or next((child for child in children if child.type.endswith(_NAMING)), None)
        if inner is None or inner == node:
            return node
        node = inner
    return node
