"""The names of a parameter list: from its text where that is plain, and from the tree elsewhere."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.nodes import first_field

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARED = re.compile(r"[&*(.\s]+(\w+)\)?")
_WORD = re.compile(r"\w")


def names_of(listed: Node, language: str, source: bytes, encoding: str) -> tuple[str, ...]:
    """Names of a parameter list, the receiver (`self`, `cls`) left out."""
    start, end = listed.byte_range
    if end - start <= MAX_PLAIN:
        names = plain_parameters(source[start:end].decode(encoding, "replace"), language)
        if names is not None:
            return names
    return parameter_names(listed, source, encoding)


def _text(source: bytes, start: int, end: int, encoding: str) -> str:
    return source[start:end].decode(encoding, "replace")


RECEIVERS = frozenset({"self", "cls", "this", "&self", "&mut self", "mut self"})
MAX_PLAIN = 1_000
"""Bytes of a list that is read from its text, so that the last few hundred of them are a small thing to keep."""


@lru_cache(maxsize=256)  # `(self)` and `(self, request)` stand in a project a thousand times
def plain_parameters(text: str, language: str) -> tuple[str, ...] | None:
    """Names of a parameter list that its text settles: `(self, rows, limit=10)`; None when the tree must be asked."""
    if text == "()":
        return ()
    form = _form(language)
    if form is None or text[0] != "(" or text[-1] != ")" or "lambda" in text:
        return None
    names = text[1:-1].split(", ")
    if language == "java" or not all(map(str.isidentifier, names)):
        if form.whole.fullmatch(text, 1, len(text) - 1) is None:
            return None
        names = [name for name in form.each.findall(text, 1, len(text) - 1) if name]
    if "void" in names or not (text.isascii() or all(map(str.isidentifier, names))):
        return None
    while names and names[0] in RECEIVERS:
        del names[0]
    return tuple(names)


class _Form(NamedTuple):
    """How the plain parameter lists of a language are written."""

    whole: re.Pattern[str]
    """All that is between the parentheses."""
    each: re.Pattern[str]
    """One parameter with the comma after it; its group is the name."""


@cache
def _form(language: str) -> _Form | None:
    """None in a language where a word alone may be a type, or types are not told from names so simply.

    Every repetition is possessive: a text that does not fit takes no longer than one that does.
    """
    parameter = _PARAMETERS.get(language)
    if parameter is None:
        return None
    silent = parameter.replace("(NAME)", "NAME")
    return _Form(
        re.compile(f"(?:\\s*+(?:{silent})\\s*+,)*+\\s*+(?:{silent})?+\\s*+".replace("NAME", _NAME)),
        re.compile(f"\\s*+(?:{parameter})\\s*+(?:,|$)".replace("NAME", _NAME)),
    )


_NAME = r"[^\W\d]\w*+"
_QUOTED = r"""'[^'\\\n{}]*+'|"[^"\\\n{}]*+\""""
_INSIDE = r"""[^()\[\]{}'"#\\`/]++"""
"""What may stand inside brackets, other brackets and quoted text apart: nothing that begins a comment or hides one."""


def _bracketed(inside: str) -> str:
    return "|".join(f"{left}(?:{inside})*+{right}" for left, right in ((r"\(", r"\)"), (r"\[", r"\]"), (r"\{", r"\}")))


_BRACKETS = _bracketed(f"{_INSIDE}|{_QUOTED}|{_bracketed(f'{_INSIDE}|{_QUOTED}')}")
"""Brackets, and brackets in them once more."""
_VALUE = rf"""(?:[^,()\[\]{{}}'"#\\`/]++|{_QUOTED}|{_BRACKETS})*+"""
_ARGUMENTS = r"<(?:[\w\s.,|?\[\]]++|<[\w\s.,|?\[\]]*+>)*+>"
_TYPE = rf"""(?:[^,()\[\]{{}}'"#\\`/<>=]++|=>|{_ARGUMENTS}|{_QUOTED}|{_BRACKETS})*+"""
_MODIFIERS = r"(?:(?:public|private|protected|readonly|override)\s++)*+"
_TYPED = rf"{_MODIFIERS}(?:\.\.\.)?+(NAME)\??+\s*+(?::{_TYPE})?+(?:=(?!=){_VALUE})?+"
_PARAMETERS = {
    "python": rf"\*{{0,2}}+\s*+(NAME)\s*+(?:(?::|=(?!=)){_VALUE})?+|[*/]?+",
    "javascript": rf"(?:\.\.\.)?+(NAME)\s*+(?:=(?!=){_VALUE})?+",
    "typescript": _TYPED,
    "tsx": _TYPED,
    "java": rf"(?:final\s++)?+[\w.]++(?:{_ARGUMENTS})?+(?:\[\])*+(?:\s*+\.\.\.)?+\s++(NAME)(?:\[\])*+",
    "ruby": "(NAME)",
}
"""A parameter; its group is the name."""


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
