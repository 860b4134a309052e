"""What a file calls, imports, comments on and quotes: the captures of `references.scm` put in order."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.imports import read_imports
from retrodoc_chunkers.model import Call, Import

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node

ByteSpan = tuple[int, int]
MAX_RECEIVER = 200
"""Bytes of a receiver that are kept: a chain of ten thousand calls must not cost the square of that."""

MAX_GAP = 500
"""Bytes between a receiver and the name of its call: white space, an operator, a comment."""
_COMMENTS = re.compile(rb"(?://|#)[^\n]*|/\*.*?\*/", re.DOTALL)


class ReferenceTable(NamedTuple):
    """Everything in a file that is not a definition; spans are sorted and do not overlap within one field."""

    calls: tuple[Call, ...]
    imports: tuple[Import, ...]
    import_spans: tuple[ByteSpan, ...]
    comments: tuple[ByteSpan, ...]
    strings: tuple[ByteSpan, ...]


def table_of(captures: Mapping[str, Sequence[Node]], language: str, source: bytes, encoding: str) -> ReferenceTable:
    """All references in the captures of `references.scm`; `source` is the file as it is, in `encoding`."""
    comments = _spans(captures.get("comment", ()))
    quoted = _spans(captures.get("string", ()))
    if comments and quoted:
        documented = set(comments)  # a docstring is captured as both
        quoted = [span for span in quoted if span not in documented]
    import_nodes = [
        *captures.get("import", ()),
        *(one for one in captures.get("import.named", ()) if _loads(one, source)),
    ]
    return ReferenceTable(
        _calls(captures, source, encoding),
        tuple(read_imports(import_nodes, language, source, encoding)),
        outermost(_spans(import_nodes)),
        outermost(comments),
        without_holes(quoted, _spans(captures.get("hole", ()))),
    )


def _spans(nodes: Iterable[Node]) -> list[ByteSpan]:
    return sorted([(node.start_byte, node.end_byte) for node in nodes])


def outermost(spans: Iterable[ByteSpan]) -> tuple[ByteSpan, ...]:
    """Sorted spans without those that lie inside another."""
    kept: list[ByteSpan] = []
    last_end = -1
    for span in spans:
        start, end = span
        if start >= last_end:
            kept.append(span)
            last_end = end
        elif end > last_end and kept[-1][0] == start:
            kept[-1] = span
            last_end = end
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


def _loads(node: Node, source: bytes) -> bool:
    """Whether a call, or the call that a declaration binds, loads a module."""
    value = node.child_by_field_name("value") or node
    name = value.child_by_field_name("method") or value.child_by_field_name("function")
    return name is not None and source[name.start_byte : name.end_byte] in _LOADING


_LOADING = frozenset({b"require", b"require_relative", b"load", b"autoload"})
_MACRO, _SURE, _BARE = 0, 1, 2
"""A macro; a callee that has arguments; a callee that may have none. The first that a name is captured as counts."""


def _calls(captures: Mapping[str, Sequence[Node]], source: bytes, encoding: str) -> tuple[Call, ...]:
    named = [(one.start_byte, _SURE, one.end_byte, one.start_point.row + 1) for one in captures.get("call", ())]
    named += [(one.start_byte, _MACRO, one.end_byte, one.start_point.row + 1) for one in captures.get("macro", ())]
    named += [(one.start_byte, _BARE, one.end_byte, one.start_point.row + 1) for one in captures.get("call.bare", ())]
    named += [(one.start_byte, _BARE, one.end_byte, one.start_point.row + 1) for one in _unbound(captures, source)]
    named.sort()
    arguments = sorted([(one.start_byte, one.end_byte, one.end_point.row + 1) for one in captures.get("args", ())])
    receivers = sorted([(one.end_byte, one.start_byte) for one in captures.get("receiver", ())])
    arguments.append((len(source) + 1, 0, 0))
    receivers.append((len(source) + 1, 0))
    receivers.append((-10, -10))  # what `before - 1` is while no receiver has ended
    rows: list[tuple[str, str, int, int, int, int]] = []
    following = before = 0  # the first arguments after a name, the first receiver after it
    last_start = -1
    for start, how, end, line in named:
        if start == last_start:
            continue
        last_start = start
        while arguments[following][0] < end:
            following += 1
        opening, last_byte, last_line = arguments[following]
        if last_byte == 0 or (how == _BARE and source[end:opening].strip()):
            last_line, last_byte = line, end
        name = source[start:end].decode(encoding, "replace")
        receiver = ""
        previous = source[start - 1] if start else 0
        if previous in _OPERATORS or previous <= _SPACE:
            while receivers[before][0] < start:
                before += 1
            receiver_end, receiver_start = receivers[before - 1]
            if previous in _OPERATORS and 0 < start - receiver_end <= 2:
                receiver = source[max(receiver_start, receiver_end - MAX_RECEIVER) : receiver_end].decode(
                    encoding, "replace"
                )
            else:
                receiver = _receiver(receivers[before - 1], start, source, encoding)
        rows.append((name + "!" if how == _MACRO else name, receiver, line, last_line, start, last_byte))
    return tuple(map(partial(tuple.__new__, Call), rows))


_OPERATORS = b".:>\\"
_SPACE = 32
_PATH_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:")


def _receiver(receiver: ByteSpan, name_start: int, source: bytes, encoding: str) -> str:
    """The receiver (end, start) if only its operator is between it and the name, else what a path looks like."""
    operator = source[max(name_start - 100, 0) : name_start].rstrip()[-1:]
    if not operator or operator not in _OPERATORS:
        return ""
    end, start = receiver
    if (
        end >= 0
        and name_start - end <= MAX_GAP
        and not _COMMENTS.sub(b"", source[end:name_start]).strip(b".:?&->!\\ \t\r\n")
    ):
        return source[max(start, end - MAX_RECEIVER) : end].decode(encoding, "replace")
    return _path_before(name_start, source).decode(encoding, "replace")


def _path_before(name_start: int, source: bytes) -> bytes:
    """The names that lead to a name: the arguments of a macro are not parsed, so there is no receiver to be found.

    Only `.` and `::` right before the name lead to it: `a ? b:name()`, `x => name()` and `0..name()` have no receiver.
    """
    leading = source[max(name_start - 2, 0) : name_start]
    if leading == b".." or not (leading.endswith(b".") or leading == b"::"):
        return b""
    at = name_start
    while at > max(name_start - MAX_RECEIVER, 0) and source[at - 1] in _PATH_BYTES:
        at -= 1
    return source[at:name_start].strip(b".:")


def _unbound(captures: Mapping[str, Sequence[Node]], source: bytes) -> list[Node]:
    """Ruby's bare names that no assignment, parameter or definition of the file binds: calls without arguments."""
    candidates = captures.get("maybe", ())
    if not candidates:
        return []
    local_names = {source[one.start_byte : one.end_byte] for one in captures.get("local", ())}
    elsewhere = {one.start_byte for one in captures.get("local.not", ())}
    return [
        one
        for one in candidates
        if one.start_byte not in elsewhere and source[one.start_byte : one.end_byte] not in local_names
    ]
