"""How many members, parameters and fields stand where: what a number in a sentence may refer to."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from retrodoc_chunkers.model import Definition

_NOT_MEMBERS = frozenset(
    {
        "comment",
        "line_comment",
        "block_comment",
        "ERROR",
        "attribute_item",
        "decorator",
        "empty_statement",
        "enum_body_declarations",
    }
)
_LISTING_CALLS = frozenset({b"attr_accessor", b"attr_reader", b"attr_writer", b"validates_presence_of"})
_RECEIVERS = frozenset({"self_parameter", "receiver_parameter"})
_FIELD_TYPES = frozenset(
    {"field_declaration", "public_field_definition", "field_definition", "property_signature", "property_declaration",
     "constant_declaration", "property_element", "const_declaration"}
)  # fmt: skip


class Counted(NamedTuple):
    """`number` things of one kind, from the line of the first to that of the last."""

    first_line: int
    last_line: int
    number: int


def counts_of(captures: Mapping[str, Sequence[Node]], source: bytes) -> tuple[Counted, ...]:
    """Every list, parameter list and set of fields that the captures of `counts.scm` hold, sorted by line."""
    return tuple(sorted(set(_counted(captures, source))))


def _counted(captures: Mapping[str, Sequence[Node]], source: bytes) -> Iterator[Counted]:
    for node in captures.get("members", ()):
        yield from _spanning(child for child in node.named_children if child.type not in _NOT_MEMBERS)
    for node in captures.get("members.named", ()):
        yield from _spanning(_listed_arguments(node, source))
    for node in captures.get("counted", ()):
        yield from _spanning(_parameters(node, source))
    for node in captures.get("fields", ()):
        yield from _fields(node)
    for node in captures.get("group", ()):
        yield from _spanning(child for child in node.named_children if child.type.endswith("_spec"))
    for node in captures.get("tokens", ()):
        yield from _separated(node)
    for node in captures.get("union", ()):
        yield _union(node)


def _listed_arguments(node: Node, source: bytes) -> list[Node]:
    """The arguments of a Ruby call that lists names, such as `attr_reader :a, :b`."""
    method, arguments = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    if method is None or arguments is None or source[method.start_byte : method.end_byte] not in _LISTING_CALLS:
        return []
    return arguments.named_children


def _spanning(nodes: Iterable[Node]) -> Iterator[Counted]:
    listed = list(nodes)
    if listed:
        yield Counted(listed[0].start_point.row + 1, listed[-1].end_point.row + 1, len(listed))


def _parameters(node: Node, source: bytes) -> list[Node]:
    children = [child for child in node.named_children if child.type not in _NOT_MEMBERS | _RECEIVERS]
    if children and source[children[0].start_byte : children[0].end_byte] in (b"self", b"cls"):
        children = children[1:]
    # Go and C group names: `a, b int` is one declaration of two parameters.
    named: list[Node] = []
    for child in children:
        names = child.children_by_field_name("name")
        named.extend(names if len(names) > 1 else [child])
    return named


def _fields(node: Node) -> Iterator[Counted]:
    """Fields of a class body: those with a type, and all of them."""
    typed: list[Node] = []
    assigned: list[Node] = []
    for child in node.named_children:
        if child.type in _FIELD_TYPES:
            typed.extend(_declared(child))
        elif child.named_child_count:
            statement = child.named_child(0)
            if statement.type == "assignment":
                assigned.append(child)
                if statement.child_by_field_name("type") is not None:
                    typed.append(child)
    yield from _spanning(typed)
    yield from _spanning(assigned)


def _declared(field: Node) -> list[Node]:
    """What a field declaration declares: `int a, b;` two fields, and the prototype of a method none."""
    children = field.named_children
    # C# has a node more.
    children = next((child.named_children for child in children if child.type == "variable_declaration"), children)
    names = [child for child in children if child.type.endswith(_NAMING)]
    if any(map(_is_prototype, names)):
        return []
    return names if len(names) > 1 else [field]


_NAMING = ("field_identifier", "declarator", "_element")


def _is_prototype(declarator: Node | None) -> bool:
    """Whether a declarator of C++ is that of a method: a pointer to a function is a field."""
    while declarator is not None and declarator.type.endswith("declarator"):
        inner = declarator.child_by_field_name("declarator")
        if declarator.type == "function_declarator":
            return inner is not None and inner.type != "parenthesized_declarator"
        declarator = inner or (declarator.named_child(0) if declarator.type == "reference_declarator" else None)
    return False


def _separated(node: Node) -> Iterator[Counted]:
    """Members of a Rust macro such as `vec![1, 2]`: its tokens are not parsed, so commas are counted."""
    tokens = node.children[1:-1]
    if tokens and any(child.type == "," for child in tokens):
        commas = sum(child.type == "," for child in tokens[:-1])
        yield Counted(tokens[0].start_point.row + 1, tokens[-1].end_point.row + 1, commas + 1)


def _union(node: Node) -> Counted:
    count = 1
    inner: Node | None = node
    while inner is not None and inner.type == "union_type":
        count += inner.named_child_count > 1
        inner = inner.named_child(0)
    return Counted(node.start_point.row + 1, node.end_point.row + 1, count)


class CountIndex:
    """Answers which counts lie within some lines."""

    def __init__(self, counted: Sequence[Counted], definitions: Sequence[Definition]) -> None:
        self._counted = counted
        self._first_lines = [one.first_line for one in counted]
        self._definitions = definitions
        self._start_lines = [one.start_line for one in definitions]
        siblings = Counter((one.parent, one.kind) for one in definitions)
        self._numbers = frozenset(one.number for one in counted)
        self._most_siblings = max(siblings.values(), default=0)

    def possible(self, number: int) -> bool:
        """False when no lines of the file count to this number."""
        return number in self._numbers or number <= self._most_siblings

    def within(self, start_line: int, end_line: int) -> frozenset[int]:
        """Counts of what lies wholly within the lines, and of the definitions there that share a parent and a kind."""
        found: set[int] = set()
        index = bisect_left(self._first_lines, start_line)
        while index < len(self._counted) and self._counted[index].first_line <= end_line:
            one = self._counted[index]
            if one.last_line <= end_line:
                found.add(one.number)
            index += 1
        found.update(self._siblings(start_line, end_line))
        return frozenset(found)

    def _siblings(self, start_line: int, end_line: int) -> set[int]:
        groups: dict[tuple[int | None, str], int] = {}
        index = bisect_left(self._start_lines, start_line)
        while index < len(self._definitions) and self._start_lines[index] <= end_line:
            one = self._definitions[index]
            if one.end_line <= end_line:
                key = one.parent, one.kind
                groups[key] = groups.get(key, 0) + 1
            index += 1
        return set(groups.values())
