"""What a call node calls: its name and its receiver, from the text where that is plain and from the tree elsewhere.

Nine calls of ten are a path of names and a parenthesis, such as `self.basket.add(`. To read those from the text costs a
third of what it costs to ask the tree for the callee, its receiver and its name.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.receivers import MAX_RECEIVER, receiver_before

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

MAX_PATH = 300
"""Bytes of a path that is read from the text: what is longer is no path, as a rule."""

CallRow = tuple[int, str, str, int]
"""Byte of the name's start, name, receiver, byte of the call's end."""


class Callees(NamedTuple):
    """How the call nodes of a language are read."""

    members: Mapping[str, tuple[str, str]]
    """By node type of a callee: the fields of its receiver and of its name."""
    separators: tuple[str, ...] = (".",)
    """What joins the names of a path, a longer one before what it ends with."""
    not_alone: frozenset[str] = frozenset()
    """Words that are no name when they stand before the parenthesis alone."""
    not_before: frozenset[str] = frozenset()
    """Paths that are no receiver when a name follows them."""
    dollar: bool = False
    """Whether `$` is a letter."""
    suffix: str = ""
    """An operator that may follow a call and belongs to the receiver then."""
    function: str | None = "function"
    """The call's field that holds the callee; None when the call has the fields of `members` itself."""
    names: frozenset[str] = frozenset({"identifier"})
    """Node types of a callee that is a name."""
    generic: str | None = None
    """Node type of a callee with type arguments: its `function` is the callee."""
    parenthesized: str | None = None
    """Node type of a callee in parentheses: what it holds is the callee when it is a name."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ECMA = Callees(
    {"member_expression": ("object", "property")},
    separators=("?.", "."),
    not_alone=_words(
        "function class import new async await yield typeof void delete undefined null true false this super"
    ),
    not_before=_words("new import"),
    dollar=True,
    names=_words("identifier super"),
)
CALLEES: Mapping[str, Callees] = {
    "python": Callees({"attribute": ("object", "attribute")}, not_alone=_words("None True False await")),
    "javascript": _ECMA,
    "typescript": _ECMA,
    "tsx": _ECMA,
    "rust": Callees(
        {"scoped_identifier": ("path", "name"), "field_expression": ("value", "field")},
        separators=("::", "."),
        not_alone=_words(
            "if match while for loop unsafe async const move return break true false self Self super crate bool char"
            " str f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize"
        ),
        suffix="?",
        generic="generic_function",
    ),
    "go": Callees(
        {"selector_expression": ("operand", "field")},
        not_alone=_words("func interface struct map chan nil true false iota"),
        parenthesized="parenthesized_expression",
    ),
    "java": Callees({"method_invocation": ("object", "name")}, not_alone=_words("switch new"), function=None),
}
"""Languages whose queries capture whole calls as `call.whole`."""

_span = attrgetter("byte_range")


def read_calls(nodes: Sequence[Node], language: str, source: bytes, encoding: str, *, damaged: bool) -> list[CallRow]:
    """What each call node calls, in no order; calls of what has no name, such as `f()()`, are left out.

    `damaged` says that the file has syntax errors: then its text settles nothing.
    """
    if not nodes:
        return []
    if damaged:
        callees = CALLEES[language]
        rows = (_from_tree(node, callees, source, encoding) for node in nodes)
        return [row for row in rows if row is not None]
    return _from_text(dict(zip(map(_span, nodes), nodes, strict=True)), language, source, encoding)


def _from_text(nodes: Mapping[tuple[int, int], Node], language: str, source: bytes, encoding: str) -> list[CallRow]:
    text = source.decode("latin-1")  # a character a byte; only ASCII is read from it
    find = text.find
    callees = CALLEES[language]
    not_alone, not_before = callees.not_alone, callees.not_before
    rows: list[CallRow] = []
    last_start = last_end = -1
    for span in sorted(nodes):
        start, end = span
        row = None
        if start == last_start:
            opening = find("(", last_end, end)
            if last_end < opening <= last_end + MAX_PATH:
                member = _member(text[last_end:opening], language)
                if member is not None:
                    between, name = member
                    last = last_end + between
                    receiver = source[max(start, last - MAX_RECEIVER) : last].decode(encoding, "replace")
                    row = opening - len(name), name, receiver, end
        else:
            opening = find("(", start, end)
            if start < opening <= start + MAX_PATH:
                written = text[start:opening]
                dot = written.rfind(".")
                name, path = written[dot + 1 :], written[:dot] if dot > 0 else ""
                plain = name.isidentifier() and written.isascii()
                if plain and not path:
                    row = (start, written, "", end) if written not in not_alone else None
                elif plain and path.replace(".", "").isidentifier() and path not in not_before:
                    row = start + dot + 1, name, path[-MAX_RECEIVER:] if dot > MAX_RECEIVER else path, end
                else:
                    last_name = _path(written, language)
                    if last_name is not None:
                        offset, name, receiver = last_name
                        row = start + offset, name, receiver, end
        if row is None:
            row = _from_tree(nodes[span], callees, source, encoding)
        if row is not None:
            rows.append(row)
        last_start, last_end = span
    return rows


_KEPT = 4_096
"""Callees that are kept as read: a project writes `self.assertEqual` a thousand times."""


@lru_cache(_KEPT)
def _path(written: str, language: str) -> tuple[int, str, str] | None:
    """How far into a path of names the last one starts, the name and its receiver; None when the text is no such
    path."""
    callees = CALLEES[language]
    receiver, name = _last_of_path(written, callees)
    if receiver is None:
        return (0, name, "") if _is_name(name, callees) and name not in callees.not_alone else None
    if receiver in callees.not_before or not _is_name(name, callees) or not _is_path(receiver, callees):
        return None
    return len(written) - len(name), name, receiver[-MAX_RECEIVER:]


@lru_cache(_KEPT)
def _member(written: str, language: str) -> tuple[int, str] | None:
    """The name of a member of what another call returns, and how much of the text before it belongs to its receiver;
    `written`: from the end of the inner call to the parenthesis of the outer one."""
    callees = CALLEES[language]
    receiver, name = _last_of_path(written, callees)
    if receiver is None or not _is_name(name, callees):
        return None
    receiver = receiver.rstrip()
    path = receiver.replace(callees.suffix, "") if callees.suffix else receiver
    if path and not (path.startswith(callees.separators) and _is_path(path, callees)):
        return None
    return len(receiver), name


def _last_of_path(written: str, callees: Callees) -> tuple[str | None, str]:
    """What stands before the last separator, and the name after it."""
    at = max(written.rfind("."), written.rfind(":")) + 1
    before = written[:at]
    for separator in callees.separators:
        if before.endswith(separator):
            return before[: -len(separator)], written[at:]
    return None, written


def _is_name(text: str, callees: Callees) -> bool:
    return text.isascii() and (text.replace("$", "_") if callees.dollar else text).isidentifier()


def _is_path(text: str, callees: Callees) -> bool:
    for separator in callees.separators:
        text = text.replace(separator, "")
    return _is_name(text, callees)


def _from_tree(node: Node, callees: Callees, source: bytes, encoding: str) -> CallRow | None:
    arguments = node.child_by_field_name("arguments")
    callee = node if callees.function is None else node.child_by_field_name(callees.function)
    if callee is None or arguments is None:
        return None
    if callee.type == callees.generic:
        callee = callee.child_by_field_name("function") or callee
    elif callee.type == callees.parenthesized:
        callee = next((child for child in callee.named_children if child.type in callees.names), callee)
    fields = callees.members.get(callee.type)
    if fields is None:
        receiver, name = None, callee if callee.type in callees.names else None
    else:
        receiver, name = map(callee.child_by_field_name, fields)
    if name is None:
        return None
    start, end = name.byte_range
    written = source[start:end].decode(encoding, "replace")
    called_on = "" if receiver is None else receiver_before(start, receiver.byte_range, source, encoding)
    return start, written, called_on, arguments.end_byte
