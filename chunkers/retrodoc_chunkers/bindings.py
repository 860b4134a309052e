"""What binds a function or a class that has no name of its own: a declaration, an assignment, a registering call.

The value is captured, not the statement around it: a pattern whose first node is captured holds back everything that
is found inside that node, and `describe("x", () => { ... })` is often the whole file. That took a seventh of a parse.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.nodes import first_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

_MEMBERS = frozenset({"member_expression"})


class Bound(NamedTuple):
    """A value with the name that it gets, and the statement that is the definition."""

    kind: str
    """`class` or `function`."""
    statement: Node
    name: Node
    value: Node


def bound_values(values: Sequence[Node]) -> list[Bound]:
    """What the values that are captured as `bound` are bound to; those without a plain name are left out.

    Of several that one statement binds, the first: the statement is one definition.
    """
    by_statement: dict[int, Bound] = {}
    for value in sorted(values, key=attrgetter("start_byte")):
        one = _bound(value)
        if one is not None:
            by_statement.setdefault(one.statement.start_byte, one)
    return list(by_statement.values())


def _bound(value: Node) -> Bound | None:
    binding = value.parent
    statement = binding.parent if binding is not None else None
    if binding is None or statement is None:
        return None
    name = first_field(binding, "name", "left")
    if name is not None and name.type in _MEMBERS:
        name = name.child_by_field_name("property")
    elif name is not None and name.type != "identifier":
        name = None
    if name is None:
        return None
    return Bound("class" if value.type == "class" else "function", statement, name, value)


def statement_of(callback: Node) -> Node | None:
    """The statement that is a call with this argument."""
    node: Node | None = callback
    for _ in range(3):  # the arguments, the call, the statement
        node = node.parent if node is not None else None
    return node
