"""Where a parsed file may be cut: between the children of every node over the budget, from the outside in.

Only nodes over the budget are opened, so most of the tree is never visited, and nothing that fits is ever cut.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

from retrodoc_chunkers.bindings import bound_values
from retrodoc_chunkers.cuts import DEFINITION, LINE, PARAGRAPH, STATEMENT, Cut, Limit, Ruler
from retrodoc_chunkers.definitions import registering
from retrodoc_chunkers.grammars import grammar, query
from retrodoc_chunkers.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

_LISTS = re.compile(
    r"(?:block|body|body_statement|compound_statement|begin|program|module|source_file|unit|list|array|object"
    r"|dictionary|hash|set|tuple|literal_value|array_creation_expression|cases?|arguments|statements|switch|then|else"
    r"|preproc_if|preproc_ifdef|preproc_elif|preproc_else)\Z"
)
_COMMENT, _ATTACHED, _STARTS, _MAY_START, _CLASS, _LISTING = 1, 2, 4, 8, 16, 32
_LEADING = _COMMENT | _ATTACHED
_WRAPPING = _STARTS | _MAY_START


_BROKEN = 65_535
"""The number of what does not parse, in every grammar."""


@cache
def _roles(language: str) -> defaultdict[int, int]:
    """What nodes of each kind are, by the grammar's number for the kind."""
    entry, loaded = LANGUAGES[language], grammar(language)
    roles = defaultdict(int, {_BROKEN: _LISTING})
    for kind in range(loaded.node_kind_count):
        name = loaded.node_kind_for_id(kind) or ""
        role = _COMMENT if name.endswith("comment") else 0
        role |= _ATTACHED if name in entry.attached else 0
        role |= _STARTS if name in entry.starts else 0
        role |= _MAY_START if name in entry.may_start else 0
        role |= _CLASS if name in entry.classes else 0
        role |= _LISTING if _LISTS.search(name) else 0
        if role and loaded.node_kind_is_named(kind):
            roles[kind] = role
    return roles


class TreeCuts:
    """The places where the file under `root` may be cut. Keeps the tree: ask, then let go."""

    def __init__(self, root: Node, language: str, source: bytes, ruler: Ruler, max_chars: int) -> None:
        self._language = language
        self._roles = _roles(language)
        self._source = source
        self._ruler = ruler
        self._max_chars = max_chars
        self.cuts: list[Cut] = []
        """At line starts, in no order; those of one place may repeat."""
        self._opened: list[tuple[Node, int]] = []
        self._uncertain: dict[int, Node] = {}
        self._class_starts: list[int] = []
        self._cut_classes: list[tuple[int, int]] = []
        waiting = [(root, 0)]
        while waiting:
            node, depth = waiting.pop()
            self._opened.append((node, depth))
            waiting.extend((child, depth + 1) for child in self._open(node, depth))

    def limits(self) -> list[Limit]:
        """For each class that is cut: a chunk that starts inside it stops at the next class."""
        starts = sorted(self._class_starts)
        found = []
        for start, end in self._cut_classes:
            following = next((one for one in starts if one >= end), None)
            if following is not None:
                found.append(Limit(start, end, following))
        return found

    def rank_of(self, cut: Cut) -> int:
        """The rank of a cut, once `definitions.scm` was asked about a statement that may be a definition."""
        node = self._uncertain.get(cut[0])
        if node is None or cut[1] == DEFINITION:
            return cut[1]
        return DEFINITION if _defines(node, self._language, self._source) else cut[1]

    def in_need(self, start: int, end: int) -> list[Cut]:
        """More places strictly between two bytes, ascending: within lines, and between a definition and its comments.

        Between two neighbours there is then one node that fits, or nothing but white space and one large token.
        """
        found: dict[int, Cut] = {}
        for node, depth in self._opened:
            if node.start_byte < end and node.end_byte > start:
                for cut in self._all_places(node, depth):
                    if start < cut[0] < end:
                        found[cut[0]] = min(cut, found.get(cut[0], cut))
        return [found[offset] for offset in sorted(found)]

    def _open(self, node: Node, depth: int) -> list[Node]:
        """Note the cuts before the children of a node over the budget; give those that are over it too."""
        source, roles, max_chars, cuts = self._source, self._roles, self._max_chars, self.cuts
        listing = depth == 0 or roles[node.kind_id] & _LISTING
        wrapped = self._wrapped(node)
        over: list[Node] = []
        head: int | None = None  # the comments and attributes right above, while there are any
        tail = 0
        first = depth > 0
        for child in node.named_children:
            start, end = child.start_byte, child.end_byte
            if end - start > max_chars and not self._ruler.fits(start, end, max_chars):
                over.append(child)
            line_start = source.rfind(b"\n", 0, start) + 1
            if line_start != start and source[line_start:start].strip():
                first = False
                continue
            role = roles[child.kind_id]
            if head is not None and source.count(b"\n", tail - 1, start) > 1:
                cuts.append((head, self._set_apart(head), depth))  # comments of their own, a blank line below
                head = None
            if role & _LEADING:
                head, tail = (line_start if head is None else head), end
                continue
            place = line_start if head is None else head
            head = None
            if role & _STARTS:
                cuts.append((place, LINE if child == wrapped else DEFINITION, depth))
            elif listing and not first:
                cuts.append((place, self._set_apart(place), depth))
                if role & _MAY_START:
                    self._uncertain[place] = child
            else:
                cuts.append((place, LINE, depth))
            first = False
            if role & _CLASS or (role & _WRAPPING and self._wraps_class(child)):
                self._class_starts.append(place)
                if over and over[-1] == child:
                    self._cut_classes.append((start, end))
        if head is not None:
            cuts.append((head, self._set_apart(head), depth))
        return over

    def _set_apart(self, place: int) -> int:
        apart = self._source[place - 2 : place] == b"\n\n" or self._source[place - 3 : place] == b"\n\r\n"
        return PARAGRAPH if apart else STATEMENT

    def _wraps_class(self, node: Node) -> bool:
        """`export class`, `@decorated class`: a class is its last child."""
        count = node.named_child_count
        return 1 <= count <= 3 and bool(self._roles[node.named_child(count - 1).kind_id] & _CLASS)

    def _wrapped(self, node: Node) -> Node | None:
        """The definition that belongs to what stands before it in the node: decorators, a template's parameters."""
        if not self._roles[node.kind_id] & _STARTS:
            return None
        starting = [child for child in node.named_children if self._roles[child.kind_id] & _STARTS]
        return starting[0] if len(starting) == 1 and starting[0].start_byte > node.start_byte else None

    def _all_places(self, node: Node, depth: int) -> Iterator[Cut]:
        wrapped = self._wrapped(node)
        before: list[Node] = []  # attributes, and comments below them: parts of the definition that follows
        for child in node.children:
            start, end = child.start_byte, child.end_byte
            role = self._roles[child.kind_id]
            if role & _ATTACHED or (before and role & _LEADING):
                before.append(child)
                continue
            yield end, LINE, depth
            own = before[0].start_byte if before else start
            if not self._ruler.fits(own, end, self._max_chars):
                yield start, LINE, depth
                yield from ((one.end_byte, LINE, depth) for one in before)
            rank = DEFINITION if role & _STARTS and child != wrapped else LINE
            yield own, rank, depth
            line_start = self._source.rfind(b"\n", 0, own) + 1
            if not self._source[line_start:own].strip():
                yield line_start, rank, depth
            before = []
        yield from ((one.end_byte, LINE, depth) for one in before)


def _defines(node: Node, language: str, source: bytes) -> bool:
    """Whether `definitions.scm` calls the node, or what it wraps, a definition other than a constant."""
    from tree_sitter import QueryCursor

    cursor = QueryCursor(query(language, "definitions"))
    cursor.set_max_start_depth(2)  # a declarator in the declaration that is exported
    captures = cursor.captures(node)
    own = {node.start_byte}
    if any(one.start_byte in own for one in registering(captures, source)):
        return True
    own.update(one.start_byte for one in captures.get("wrapped", ()))
    if any(one.statement.start_byte in own for one in bound_values(captures.get("bound", ()))):
        return True
    return any(one.start_byte in own for kind in _DEFINING for one in captures.get(kind, ()))


_DEFINING: Sequence[str] = (
    "class", "module", "function", "method", "enum", "struct", "interface", "trait", "type", "block", "cut",
)  # fmt: skip
