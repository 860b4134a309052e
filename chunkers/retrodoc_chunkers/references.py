"""What a file calls, imports, comments on and quotes: the captures of `references.scm` put in order."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.grammars import query
from retrodoc_chunkers.imports import read_imports
from retrodoc_chunkers.model import Call, Import

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node

_PATH = re.compile(rb"(\w+(?:(?:\.|::|->)\w+)*)(?:\.|::|->)\Z")
ByteSpan = tuple[int, int]
MAX_RECEIVER = 200
"""Bytes of a receiver that are kept: a chain of ten thousand calls must not cost the square of that."""


class ReferenceTable(NamedTuple):
    """Everything in a file that is not a definition; spans are sorted and do not overlap within one field."""

    calls: tuple[Call, ...]
    imports: tuple[Import, ...]
    import_spans: tuple[ByteSpan, ...]
    comments: tuple[ByteSpan, ...]
    strings: tuple[ByteSpan, ...]


def read_references(root: Node, language: str, source: bytes, encoding: str) -> ReferenceTable:
    """All references under a tree's root; `source` is the file as it is, in `encoding`."""
    from tree_sitter import QueryCursor

    return table_of(QueryCursor(query(language, "references")).captures(root), language, source, encoding)


def table_of(captures: Mapping[str, Sequence[Node]], language: str, source: bytes, encoding: str) -> ReferenceTable:
    """The same, from captures that were already taken."""
    comments = _spans(captures.get("comment", ()))
    quoted = _spans(captures.get("string", ()))
    if comments and quoted:
        documented = set(comments)  # a docstring is captured as both
        quoted = [span for span in quoted if span not in documented]
    import_nodes = captures.get("import", ())
    return ReferenceTable(
        _calls(captures, source, encoding),
        tuple(read_imports(import_nodes, language, source, encoding)),
        outermost(_spans(import_nodes)),
        outermost(comments),
        without_holes(quoted, _spans(captures.get("hole", ()))),
    )


def _spans(nodes: Iterable[Node]) -> list[ByteSpan]:
    return sorted([node.byte_range for node in nodes], key=_by_start)


def _by_start(span: ByteSpan) -> ByteSpan:
    return span[0], -span[1]


def outermost(spans: Iterable[ByteSpan]) -> tuple[ByteSpan, ...]:
    """Sorted spans without those that lie inside another."""
    kept: list[ByteSpan] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return tuple(kept)


def without_holes(quoted: Sequence[ByteSpan], holes: Sequence[ByteSpan]) -> tuple[ByteSpan, ...]:
    """The parts of the quoted spans that are text: what a substitution holds is code, unless it quotes again."""
    if not holes:
        return outermost(quoted)
    events = sorted([(start, -end, True) for start, end in quoted] + [(start, -end, False) for start, end in holes])
    pieces: list[ByteSpan] = []
    open_spans: list[tuple[int, bool]] = []
    position = 0

    def advance(to: int) -> None:
        nonlocal position
        if open_spans and open_spans[-1][1] and to > position:
            pieces.append((position, to))
        position = max(position, to)

    for start, minus_end, is_text in events:
        while open_spans and open_spans[-1][0] <= start:
            advance(open_spans[-1][0])
            open_spans.pop()
        advance(start)
        open_spans.append((-minus_end, is_text))
    while open_spans:
        advance(open_spans[-1][0])
        open_spans.pop()
    return tuple(pieces)


def _calls(captures: Mapping[str, Sequence[Node]], source: bytes, encoding: str) -> tuple[Call, ...]:
    named = [(node.start_byte, node.end_byte, "", node) for node in captures.get("call", ())]
    named += [(node.start_byte, node.end_byte, "!", node) for node in captures.get("macro", ())]
    bare = [(node.start_byte, node.end_byte, "bare", node) for node in captures.get("call.bare", ())]
    bare += [(node.start_byte, node.end_byte, "bare", node) for node in _unbound(captures)]
    named += bare
    named.sort(key=_call_order)
    arguments = sorted(captures.get("args", ()), key=lambda node: node.start_byte)
    argument_starts = [node.start_byte for node in arguments]
    receivers = sorted([(node.end_byte, node.start_byte) for node in captures.get("receiver", ())])
    calls: list[Call] = []
    last_start = -1
    for start, end, how, node in named:
        if start == last_start:
            continue
        last_start = start
        line = node.start_point.row + 1
        last_line, last_byte = line, end
        index = bisect_left(argument_starts, end)
        if index < len(arguments) and (how != "bare" or not source[end : argument_starts[index]].strip()):
            closing = arguments[index]
            last_line, last_byte = closing.end_point.row + 1, closing.end_byte
        name = source[start:end].decode(encoding, "replace")
        if how == "!":
            name += "!"
        calls.append(Call(name, _receiver(receivers, start, source, encoding), line, last_line, start, last_byte))
    return tuple(calls)


def _call_order(one: tuple[int, int, str, object]) -> tuple[int, str]:
    return one[0], one[2]


def _receiver(receivers: list[ByteSpan], name_start: int, source: bytes, encoding: str) -> str:
    """The receiver that ends right before a name, with only its operator between; receivers are (end, start)."""
    before = source[max(name_start - 3, 0) : name_start].rstrip()
    if not before.endswith((b".", b":", b">")):
        return ""
    index = bisect_left(receivers, (name_start,)) - 1
    if index >= 0:
        end, start = receivers[index]
        if not source[end:name_start].strip().strip(b".:?&->!"):
            return source[max(start, end - MAX_RECEIVER) : end].decode(encoding, "replace")
    # The arguments of a macro are not parsed, so the receiver there is what a path looks like.
    path = _PATH.search(source, max(name_start - MAX_RECEIVER, 0), name_start)
    return path.group(1).decode(encoding, "replace") if path else ""


def _unbound(captures: Mapping[str, Sequence[Node]]) -> list[Node]:
    """Ruby's bare names that no assignment, parameter or definition of the file binds: calls without arguments."""
    candidates = captures.get("maybe", ())
    if not candidates:
        return []
    local_names = {node.text for node in captures.get("local", ())}
    elsewhere = {node.start_byte for node in captures.get("local.not", ())}
    return [node for node in candidates if node.text not in local_names and node.start_byte not in elsewhere]
