"""Where a file is cut into chunks that fit a budget of characters: at definitions, and never inside one that fits.

A file under the budget is one chunk and is not parsed. Otherwise the tree says where; without a tree a pattern, the
blank lines, the lines, and in the end the characters do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc_chunkers.blank import cuts_between
from retrodoc_chunkers.cuts import DEFINITION, HOW, Cut, Ruler
from retrodoc_chunkers.grammars import ParseAbandoned, parse
from retrodoc_chunkers.packing import choose
from retrodoc_chunkers.reading import Reading, read_as
from retrodoc_chunkers.syntax import Syntax, syntax_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retrodoc_chunkers.model import Definition
    from retrodoc_chunkers.pattern import Pattern
    from retrodoc_chunkers.tree_cuts import TreeCuts

Place = tuple[int, int]
"""A cut that is made: byte offset and rank."""

MAX_CHARS = 6_000
"""The default budget, in characters: about 2,000 tokens of source, a size that a model was seen to read whole."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes `start_byte` to `end_byte` of a file. Chunks join to the file; lines are 1-based and inclusive."""

    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    how: str
    """What the chunk starts at: `file`, `definition`, `statement`, `pattern`, `blank-line`, `line`, `character`."""
    part: int
    """Its place among the file's chunks, from 1."""
    parts: int
    _file: _File = field(repr=False, compare=False)

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The outermost definitions that lie wholly in the chunk. Parses the file when first asked."""
        found: list[Definition] = []
        for one in self._file.definitions():
            inside = self.start_byte <= one.start_byte and one.end_byte <= self.end_byte
            if inside and not (found and one.end_byte <= found[-1].end_byte):
                found.append(one)
        return tuple(found)

    @property
    def enclosing(self) -> tuple[Definition, ...]:
        """The definitions that lie partly in the chunk, outermost first: what its header must name."""
        return tuple(
            one
            for one in self._file.definitions()
            if one.start_byte < self.end_byte
            and one.end_byte > self.start_byte
            and not (self.start_byte <= one.start_byte and one.end_byte <= self.end_byte)
        )

    @property
    def unread_reason(self) -> str | None:
        """Why the file was not read as code, as in `Syntax.unread_reason`."""
        return self._file.syntax().unread_reason


ChunkTuple = tuple[int, int, int, int, str, int, int]
"""A chunk's own fields, for sending it to another process without the file."""


def chunks_to(chunks: Iterable[Chunk]) -> list[ChunkTuple]:
    """Chunks without their file."""
    return [
        (one.start_byte, one.end_byte, one.start_line, one.end_line, one.how, one.part, one.parts) for one in chunks
    ]


def chunks_from(tuples: Iterable[ChunkTuple], source: bytes, path: str) -> list[Chunk]:
    """Chunks of a file again."""
    file = _File(source, path)
    return [Chunk(*fields, file) for fields in tuples]


class _File:
    """What all chunks of a file share; parsed again only if somebody asks for definitions."""

    __slots__ = ("_path", "_source", "_syntax")

    def __init__(self, source: bytes, path: str) -> None:
        self._source = source
        self._path = path
        self._syntax: Syntax | None = None

    def syntax(self) -> Syntax:
        if self._syntax is None:
            self._syntax = syntax_of(self._source, self._path)
        return self._syntax

    def definitions(self) -> tuple[Definition, ...]:
        definitions = self.syntax().definitions
        self.syntax().forget_tree()
        return definitions


def chunk_source(
    source: bytes, path: str, max_chars: int = MAX_CHARS, *, pattern: Pattern | None = None
) -> list[Chunk]:
    """Cut a file into chunks of at most `max_chars` characters.

    `path` only names the language. `pattern` finds definition starts where no grammar does. Any bytes are accepted;
    an empty file has no chunk. ValueError when `max_chars` is less than 1.
    """
    if max_chars < 1:
        raise ValueError("max_chars must be at least 1")
    if not source:
        return []
    file = _File(source, path)
    whole = [(0, DEFINITION), (len(source), DEFINITION)]
    if len(source) <= max_chars:
        return list(_chunks(source, whole, file, pattern=False))
    reading = read_as(source, path)
    ruler = Ruler(source, reading.encoding)
    if ruler.fits(0, len(source), max_chars):
        return list(_chunks(source, whole, file, pattern=False))
    chosen = _cut_by_tree(source, reading, ruler, max_chars)
    if chosen is not None:
        return list(_chunks(source, chosen, file, pattern=False))
    return list(_chunks(source, _cut_as_text(source, ruler, max_chars, pattern), file, pattern=pattern is not None))


def _cut_by_tree(source: bytes, reading: Reading, ruler: Ruler, max_chars: int) -> list[Place] | None:
    """The cuts to make where a grammar reads the file; None where none does."""
    if reading.language is None:
        return None
    from retrodoc_chunkers.tree_cuts import TreeCuts

    try:
        tree = parse(reading.text, reading.language)
    except ParseAbandoned:
        return None
    found = TreeCuts(tree.root_node, reading.language, source, ruler, max_chars)
    cuts = _filled(source, _best_at_each_place(found.cuts, len(source)), found, ruler, max_chars)
    chosen = choose(cuts, ruler.positions(cuts), max_chars, found.limits(), found.rank_of)
    return [(cut[0], found.rank_of(cut)) for cut in chosen]


def _cut_as_text(source: bytes, ruler: Ruler, max_chars: int, pattern: Pattern | None) -> list[Place]:
    """The cuts to make without a grammar: at the pattern's matches, else at blank lines."""
    starts = pattern.definition_starts(source) if pattern is not None else ()
    cuts = _best_at_each_place(
        [*map(_start, starts), *cuts_between(source, 0, len(source), ruler, max_chars)], len(source)
    )
    return [(cut[0], cut[1]) for cut in choose(cuts, ruler.positions(cuts), max_chars)]


def _start(place: int) -> Cut:
    """A cut before something outermost."""
    return place, DEFINITION, 0


def _best_at_each_place(cuts: Iterable[Cut], end: int) -> list[Cut]:
    """One cut a place, ascending, from the start of the file to its end."""
    best = {cut[0]: cut for cut in sorted(cuts, reverse=True)}
    best |= {place: _start(place) for place in (0, end)}
    return [best[offset] for offset in sorted(best)]


def _filled(source: bytes, cuts: list[Cut], found: TreeCuts, ruler: Ruler, max_chars: int) -> list[Cut]:
    """The cuts, with more of them wherever two are further apart than the budget."""
    filled = [cuts[0]]
    for cut in cuts[1:]:
        if ruler.fits(filled[-1][0], cut[0], max_chars):
            filled.append(cut)
            continue
        for between in (*found.in_need(filled[-1][0], cut[0]), cut):
            edge = filled[-1][0]
            if not ruler.fits(edge, between[0], max_chars):
                filled.extend(cuts_between(source, edge, between[0], ruler, max_chars, cut[2]))
            filled.append(between)
    return filled


def _chunks(source: bytes, chosen: Sequence[Place], file: _File, *, pattern: bool) -> Iterator[Chunk]:
    """Chunks between neighbouring cuts, with an editor's line numbers."""
    line = 1
    parts = len(chosen) - 1
    for part in range(1, parts + 1):
        start, end = chosen[part - 1][0], chosen[part][0]
        line_feeds = source.count(b"\n", start, end)
        last_line = line + line_feeds - source.endswith(b"\n", start, end)
        how = HOW[chosen[part - 1][1]] if part > 1 else "file"
        if pattern and how == "definition":
            how = "pattern"
        yield Chunk(start, end, line, last_line, how, part, parts, file)
        line += line_feeds
