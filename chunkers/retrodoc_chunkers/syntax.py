"""What stands where in a file: its definitions, calls, imports and the kind of every token, from one parse."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.grammars import ParseAbandoned, parse, query
from retrodoc_chunkers.lines import Lines
from retrodoc_chunkers.model import TokenKind
from retrodoc_chunkers.reading import Reading, read_as
from retrodoc_chunkers.shape import tangled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node, QueryCursor, Tree

    from retrodoc_chunkers.counts import Counted, CountIndex
    from retrodoc_chunkers.definitions import DefinitionTable
    from retrodoc_chunkers.model import Call, Definition, Import
    from retrodoc_chunkers.references import ReferenceTable

    Captures = dict[str, list[Node]]

ByteSpan = tuple[int, int]
_NOT_ENCLOSING = frozenset({"constant", "block"})


class Tables(NamedTuple):
    """Everything that is known of a file without its tree: what a cache keeps."""

    language: str | None
    unread_reason: str | None
    definitions: DefinitionTable
    references: ReferenceTable
    counted: tuple[Counted, ...]


def syntax_of(source: bytes, path: str) -> Syntax:
    """What a file is made of. Nothing is parsed before something is asked, and then once.

    Any bytes are accepted: a file that is not read as code has no `language` and says why in `unread_reason`.
    """
    return Syntax(source, path)


class Syntax:
    """A file's definitions, calls, imports and tokens. Read-only; its parts are computed when first asked for."""

    __slots__ = (
        "_captures", "_count_captures", "_counted", "_definitions", "_index", "_known", "_lines",
        "_reading", "_references", "_source", "_tree", "path",
    )  # fmt: skip

    def __init__(self, source: bytes, path: str, tables: Tables | None = None) -> None:
        self.path = path
        self._source = source
        self._reading: Reading | None = None
        self._tree: Tree | None = None
        self._captures: Captures | None = None
        self._count_captures: Captures | None = None
        self._definitions: DefinitionTable | None = None
        self._references: ReferenceTable | None = None
        self._counted: tuple[Counted, ...] | None = None
        self._index: CountIndex | None = None
        self._lines: Lines | None = None
        self._known: Tables | None = None
        if tables is not None:
            self._definitions, self._references, self._counted = tables[2:]
            self._known = tables

    @property
    def language(self) -> str | None:
        """The language that it was read as; None when it was not read as code."""
        return self._known.language if self._known else self._read().language

    @property
    def unread_reason(self) -> str | None:
        """`no-grammar`, `grammar-missing`, `binary`, `too-large`, `minified`, `parse-abandoned` or `tangled`; None when
        it was read."""
        return self._known.unread_reason if self._known else self._read().unread_reason

    @property
    def tree(self) -> Tree | None:
        """The syntax tree, kept once made; None when the file was not read as code.

        Its offsets are those of the file. In a latin-1 file, bytes above 127 stand as `x`: take text from the file.
        """
        return self._parsed()

    def _parsed(self) -> Tree | None:
        if self._tree is None:
            reading = self._settled()
            if reading.language is not None:
                try:
                    tree = parse(reading.text, reading.language)
                except ParseAbandoned:
                    self._reading = Reading(None, "parse-abandoned", b"", reading.encoding)
                else:
                    if tangled(tree.root_node):
                        self._reading = Reading(None, "tangled", b"", reading.encoding)
                    else:
                        self._tree = tree
        return self._tree

    def forget_tree(self) -> None:
        """Give the tree's memory back; it is parsed again if it is asked for."""
        self._tree = self._captures = self._count_captures = self._lines = None

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """In order of their start, an enclosing one before what it holds."""
        return self._definition_table().definitions

    @property
    def calls(self) -> tuple[Call, ...]:
        """In order of their name's start."""
        return self._reference_table().calls

    @property
    def imports(self) -> tuple[Import, ...]:
        """Names that imports bind, in order."""
        return self._reference_table().imports

    @property
    def import_spans(self) -> tuple[ByteSpan, ...]:
        """Byte spans of import statements, sorted."""
        return self._reference_table().import_spans

    @property
    def comments(self) -> tuple[ByteSpan, ...]:
        """Byte spans of comments and docstrings, sorted."""
        return self._reference_table().comments

    @property
    def strings(self) -> tuple[ByteSpan, ...]:
        """Byte spans of quoted text, quotes included, without the substitutions inside; sorted."""
        return self._reference_table().strings

    def kind_at(self, byte: int) -> TokenKind:
        """The kind of the token that starts at a byte of the file: a comment before an import, a string, a name."""
        references = self._reference_table()
        if _holds(references.comments, byte):
            return TokenKind.COMMENT
        if _holds(references.import_spans, byte):
            return TokenKind.IMPORT
        if _holds(references.strings, byte):
            return TokenKind.STRING
        if byte in self._definition_table().name_starts:
            return TokenKind.DEFINITION
        calls = references.calls
        index = bisect_left(calls, byte, key=_start_byte)
        return TokenKind.CALL if index < len(calls) and calls[index].start_byte == byte else TokenKind.USE

    def enclosing(self, line: int) -> tuple[Definition, ...]:
        """The functions and classes whose lines hold `line` (1-based), outermost first, decorators included."""
        definitions = self.definitions
        found: list[Definition] = []
        # The last one that starts above the line, or one around it.
        index: int | None = bisect_right(definitions, line, key=_start_line) - 1
        while index is not None and index >= 0:
            one = definitions[index]
            if one.end_line >= line and one.kind not in _NOT_ENCLOSING:
                found.append(one)
            index = one.parent
        found.reverse()
        return tuple(found)

    def counts(self, start_line: int, end_line: int) -> frozenset[int]:
        """Numbers of members, parameters, fields and definitions that lie wholly within the lines (1-based)."""
        return self._count_index().within(start_line, end_line)

    def may_count(self, number: int) -> bool:
        """False when `counts` holds this number for no lines of the file."""
        return self._count_index().possible(number)

    def _count_index(self) -> CountIndex:
        if self._index is None:
            from retrodoc_chunkers.counts import CountIndex

            self._index = CountIndex(self._counts(), self.definitions)
        return self._index

    def tables(self) -> Tables:
        """All parts at once, counts too, from one walk if none is known yet; the tree is forgotten. For keeping."""
        if self._definitions is None and self._references is None and self._counted is None:
            self._captures = self._count_captures = self._walk_with_top("definitions+references+counts")
        definitions, references, counted = self._definition_table(), self._reference_table(), self._counts()
        reading = self._settled()
        self.forget_tree()
        return Tables(reading.language, reading.unread_reason, definitions, references, counted)

    def _read(self) -> Reading:
        """How the file is read, once a parse has confirmed it."""
        reading = self._settled()
        if reading.language is not None and self._tree is None and self._definitions is None:
            self._parsed()
        return self._settled()

    def _settled(self) -> Reading:
        if self._reading is None:
            self._reading = read_as(self._source, self.path)
        return self._reading

    def _definition_table(self) -> DefinitionTable:
        if self._definitions is None:
            captures, reading = self._captured(), self._settled()
            if captures is None or reading.language is None:
                self._definitions = _makers().no_definitions
            else:
                self._definitions = _makers().definitions(
                    captures, reading.language, reading.encoding, self._in_lines()
                )
        return self._definitions

    def _reference_table(self) -> ReferenceTable:
        if self._references is None:
            captures, reading = self._captured(), self._settled()
            if captures is None or reading.language is None:
                self._references = _makers().no_references
            else:
                tree = self._parsed()
                damaged = tree is not None and tree.root_node.has_error
                self._references = _makers().references(
                    captures, reading.language, reading.encoding, self._in_lines(), damaged
                )
        return self._references

    def _in_lines(self) -> Lines:
        if self._lines is None:
            self._lines = Lines(self._source)
        return self._lines

    def _counts(self) -> tuple[Counted, ...]:
        if self._counted is None:
            captures = self._walk("counts") if self._count_captures is None else self._count_captures
            self._counted = () if captures is None else _makers().counts(captures, self._source)
        return self._counted

    def _captured(self) -> Captures | None:
        """What the queries for definitions and references find."""
        if self._captures is None:
            self._captures = self._walk_with_top("definitions+references")
        return self._captures

    def _walk_with_top(self, queries: str) -> Captures | None:
        """What these queries and those for the top of the file find.

        A pattern for the file's top stays open through the whole walk, so those have a shallow one of their own.
        """
        captures, top = self._walk(queries), self._walk("top", deepest_start=0)
        if captures is not None and top is not None:
            for name, nodes in top.items():
                captures[name] = [*captures.get(name, ()), *nodes]
        return captures

    def _walk(self, queries: str, deepest_start: int | None = None) -> Captures | None:
        """What all these queries find, in one walk over the tree: the walk costs more than what is looked for."""
        tree, reading = self._parsed(), self._settled()
        if tree is None or reading.language is None:
            return None
        cursor = _makers().cursor(query(reading.language, queries))
        if deepest_start is not None:
            cursor.set_max_start_depth(deepest_start)
        return cursor.captures(tree.root_node)


class _Makers(NamedTuple):
    """What makes the tables out of a tree: imported when first needed, for a file that is kept needs none of it."""

    cursor: type[QueryCursor]
    definitions: Callable[[Captures, str, str, Lines], DefinitionTable]
    references: Callable[[Captures, str, str, Lines, bool], ReferenceTable]
    counts: Callable[[Captures, bytes], tuple[Counted, ...]]
    no_definitions: DefinitionTable
    no_references: ReferenceTable


@cache
def _makers() -> _Makers:
    from tree_sitter import QueryCursor

    from retrodoc_chunkers import counts, definitions, references

    return _Makers(
        QueryCursor,
        definitions.table_of,
        references.table_of,
        counts.counts_of,
        definitions.DefinitionTable((), frozenset()),
        references.ReferenceTable((), (), (), (), ()),
    )


def _holds(spans: Sequence[ByteSpan], byte: int) -> bool:
    """Whether one of the sorted spans has this byte."""
    index = bisect_right(spans, byte, key=_first) - 1
    return index >= 0 and byte < spans[index][1]


_first = itemgetter(0)
_start_byte = attrgetter("start_byte")
_start_line = attrgetter("start_line")
