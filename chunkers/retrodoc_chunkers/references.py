"""What a file calls, imports, comments on and quotes: the captures of `references.scm` put in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter, itemgetter, le
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.callees import CallRow, read_calls
from retrodoc_chunkers.imports import read_imports
from retrodoc_chunkers.lines import FAR
from retrodoc_chunkers.model import Call, Import
from retrodoc_chunkers.receivers import MAY_FOLLOW_RECEIVER, receiver_before

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node

    from retrodoc_chunkers.lines import Lines

ByteSpan = tuple[int, int]


class ReferenceTable(NamedTuple):
    """Everything in a file that is not a definition; spans are sorted and do not overlap within one field."""

    calls: tuple[Call, ...]
    imports: tuple[Import, ...]
    import_spans: tuple[ByteSpan, ...]
    comments: tuple[ByteSpan, ...]
    strings: tuple[ByteSpan, ...]


def table_of(
    captures: Mapping[str, Sequence[Node]],
    language: str,
    encoding: str,
    lines: Lines,
    damaged: bool,
) -> ReferenceTable:
    """All references in the captures of `references.scm`; `lines` are those of the file as it is, in `encoding`.

    `damaged` says that the file has syntax errors.
    """
    source = lines.source
    comments = _spans(captures.get("comment", ()))
    quoted = _spans(captures.get("string", ()))
    docstrings = set(_spans(captures.get("docstring", ())))
    if docstrings:
        comments = sorted([*comments, *docstrings])
        quoted = [span for span in quoted if span not in docstrings]  # they are captured as both
    import_nodes = [
        *captures.get("import", ()),
        *(one for one in captures.get("import.named", ()) if _loads(one, source)),
    ]
    return ReferenceTable(
        _calls(captures, language, encoding, lines, damaged=damaged),
        tuple(read_imports(import_nodes, language, source, encoding)),
        outermost(_spans(import_nodes)),
        outermost(comments),
        without_holes(quoted, _spans(captures.get("hole", ()))),
    )


_byte_range = attrgetter("byte_range")


def _spans(nodes: Iterable[Node]) -> list[ByteSpan]:
    return sorted(map(_byte_range, nodes))


def outermost(spans: Sequence[ByteSpan]) -> tuple[ByteSpan, ...]:
    """Sorted spans without those that lie inside another."""
    if len(spans) < 2:
        return tuple(spans)
    starts, ends = zip(*spans, strict=True)
    if all(map(le, ends, starts[1:])):
        return tuple(spans)
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
    outer = outermost(quoted)
    if not holes:
        return outer
    pieces: list[ByteSpan] = []
    done = 0
    for hole, _ in holes:
        index = bisect_right(outer, hole, done, key=_start) - 1
        if index < done or hole >= outer[index][1]:
            continue  # in no quoted text, or in the one that was cut last
        start, end = outer[index]
        pieces += outer[done:index]
        pieces += _cut_out(_within(quoted, start, end), _within(holes, start, end))
        done = index + 1
    pieces += outer[done:]
    return tuple(pieces)


_start = itemgetter(0)


def _within(spans: Sequence[ByteSpan], start: int, end: int) -> Sequence[ByteSpan]:
    """Those of the sorted spans that start between two bytes."""
    first = bisect_left(spans, start, key=_start)
    return spans[first : bisect_left(spans, end, first, key=_start)]


def _cut_out(quoted: Sequence[ByteSpan], holes: Sequence[ByteSpan]) -> list[ByteSpan]:
    """The text of one quoted span, given with those inside it and with the holes of all of them."""
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
    return pieces


def _loads(node: Node, source: bytes) -> bool:
    """Whether a call, or the call that a declaration binds, loads a module."""
    value = node.child_by_field_name("value") or node
    name = value.child_by_field_name("method") or value.child_by_field_name("function")
    return name is not None and source[name.start_byte : name.end_byte] in _LOADING


_LOADING = frozenset({b"require", b"require_relative", b"load", b"autoload"})
_MACRO, _SURE, _BARE = 0, 1, 2
"""A macro; a callee that has arguments; a callee that may have none. The first that a name is captured as counts."""


def _calls(
    captures: Mapping[str, Sequence[Node]],
    language: str,
    encoding: str,
    lines: Lines,
    *,
    damaged: bool,
) -> tuple[Call, ...]:
    source = lines.source
    rows = read_calls(captures.get("call.whole", ()), language, source, encoding, damaged=damaged)
    apart = _written_apart(captures, source, encoding)
    if apart:
        rows += apart
    rows.sort(key=_NAME_START)
    return _with_lines(rows, lines)


_NAME_START = itemgetter(0)
_new = tuple.__new__
"""`Call(*fields)` without its checks: twice as fast."""


def _with_lines(rows: Sequence[CallRow], lines: Lines) -> tuple[Call, ...]:
    """The calls of rows that are sorted by their name's start; of two rows for one name, the first."""
    calls: list[Call] = []
    count, find = lines.source.count, lines.source.find
    line, feed = 1, -1  # the line that was last looked at, and the byte of the line feed that ends it
    counted = 0
    previous = -1
    for start, name, receiver, end in rows:
        if start == previous:
            continue
        previous = start
        if start > feed:
            line += count(b"\n", counted, start)
            counted = start
            feed = find(b"\n", start)
            if feed < 0:
                feed = len(lines.source)
        if end <= feed:
            last_line = line
        else:
            last_line = line + count(b"\n", start, end) if end - start < FAR else lines.of(end)
        calls.append(_new(Call, (name, receiver, line, last_line, start, end)))
    return tuple(calls)


def _written_apart(captures: Mapping[str, Sequence[Node]], source: bytes, encoding: str) -> list[CallRow]:
    """Calls whose name, receiver and arguments are captured apart; of two for one name, the surer first."""
    named = [(*one.byte_range, _SURE) for one in captures.get("call", ())]
    named += [(*one.byte_range, _MACRO) for one in captures.get("macro", ())]
    named += [(*one.byte_range, _BARE) for one in captures.get("call.bare", ())]
    if "maybe" in captures:
        named += [(start, end, _BARE) for start, end in _unbound(captures, source, {start for start, _, _ in named})]
    if not named:
        return []
    named.sort(key=itemgetter(0, 2))
    arguments = _spans(captures.get("args", ()))
    receivers = sorted([(one.end_byte, one.start_byte) for one in captures.get("receiver", ())])
    rows: list[CallRow] = []
    for start, end, how in named:
        last_byte = end
        following = bisect_left(arguments, (end,))
        if following < len(arguments):
            opening, closing = arguments[following]
            if how != _BARE or _after_space(source, end) == opening:
                last_byte = closing
        name = source[start:end].decode(encoding, "replace")
        receiver = ""
        if start and source[start - 1] in MAY_FOLLOW_RECEIVER:
            ended = bisect_left(receivers, (start,))
            last = receivers[ended - 1][::-1] if ended else None
            receiver = receiver_before(start, last, source, encoding)
        rows.append((start, name + "!" if how == _MACRO else name, receiver, last_byte))
    return rows


def _after_space(source: bytes, at: int) -> int:
    while source[at : at + 1].isspace():
        at += 1
    return at


def _unbound(captures: Mapping[str, Sequence[Node]], source: bytes, known: set[int]) -> list[ByteSpan]:
    """Ruby's bare names that no assignment, parameter or definition of the file binds: calls without arguments.

    `known` are the bytes at which the names of other calls start.
    """
    local_names = {source[one.start_byte : one.end_byte] for one in captures.get("local", ())}
    known.update(map(attrgetter("start_byte"), captures.get("local.not", ())))
    spans = map(_byte_range, captures["maybe"])
    return [(start, end) for start, end in spans if start not in known and source[start:end] not in local_names]
