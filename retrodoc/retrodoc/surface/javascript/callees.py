"""Decides which function or class a call of JavaScript means, as scopes, imports and declared types tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from retrodoc.ingest.sources import Sources, once_for_sources

from .model import Class, External, Function, Instance, Place, Value
from .syntax import enclosing_class, parameters, text_of
from .values import Evaluator, evaluator_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc_chunkers import Call

_OPEN_TYPES = frozenset(("any", "unknown", "object"))
_NAMED_TYPES = frozenset(("type_identifier", "nested_type_identifier", "generic_type"))
_MAX_BASES = 6


class Callee(NamedTuple):
    """Where what is called is written; None when it is not in the sources, or when it cannot be told which it is."""

    at: Place | None
    settled: bool
    """Whether that is known: a package's function, or a local that nobody can follow, is no namesake elsewhere."""


_UNKNOWN = Callee(None, settled=False)
_ELSEWHERE = Callee(None, settled=True)


class Callees:
    """Follows calls; keeps what it was asked."""

    def __init__(self, sources: Sources) -> None:
        self._evaluator: Evaluator = evaluator_of(sources)
        self._found: dict[tuple[str, int], Callee] = {}

    def of(self, path: str, call: Call) -> Callee:
        """What `call`, in the file `path`, calls."""
        key = (path, call.start_byte)
        if key not in self._found:
            name = self._evaluator.file(path).root.descendant_for_byte_range(call.start_byte, call.start_byte + 1)
            self._found[key] = self._of(path, name) if name is not None else _UNKNOWN
        return self._found[key]

    def named(self, path: str, name: str) -> Callee:
        """What a name that is written at the top of the file stands for: a base class."""
        return _one_of(self._evaluator.named(path, self._evaluator.file(path).root, name))

    def _of(self, path: str, name: Node) -> Callee:
        member = name.parent if name.parent is not None and name.parent.type == "member_expression" else None
        holder = member.child_by_field_name("object") if member is not None else None
        if member is None or holder is None or holder == name:
            found = _one_of(self._evaluator.values(path, name))
            declared = name.type == "identifier" and self._evaluator.declaring(path, name) is not None
            return _ELSEWHERE if declared and not found.settled else found
        found = _one_of(self._evaluator.values(path, member))
        return found if found.settled else self._of_member(path, holder, text_of(name))

    def _of_member(self, path: str, holder: Node, name: str) -> Callee:
        """A method whose holder is not known by its value: by its declared type, when it has one."""
        if any(not isinstance(value, Instance) for value in self._evaluator.values(path, holder)):
            return _ELSEWHERE
        declared = self._declared_type(path, holder)
        if declared is None:
            return _UNKNOWN
        place, written = declared
        if written.type not in _NAMED_TYPES:
            return _UNKNOWN if text_of(written) in _OPEN_TYPES or "|" in text_of(written) else _ELSEWHERE
        kinds = self._of_type(place, written)
        if len(kinds) == 1 and isinstance(kinds[0], Class):
            return _one_of(self._evaluator.member(Instance(kinds[0]), name), none=_ELSEWHERE)
        return _ELSEWHERE if any(isinstance(kind, External) for kind in kinds) else _UNKNOWN

    def _of_type(self, path: str, written: Node) -> Sequence[Value]:
        """The class that a type names; an interface is no value, and so none."""
        if written.type == "generic_type":
            named = written.child_by_field_name("name") or written.named_children[0]
            return self._of_type(path, named) if named.type != "generic_type" else ()
        first, _, rest = text_of(written).partition(".")
        values = self._evaluator.named(path, written, first)
        for key in rest.split(".") if rest else ():
            values = tuple(found for value in values for found in self._evaluator.member(value, key))
        return values

    def _declared_type(self, path: str, holder: Node) -> tuple[str, Node] | None:
        """The type that the declaration of a variable, a parameter or a field gives, and the file where it stands."""
        if holder.type == "identifier":
            declaration = self._evaluator.declaring(path, holder)
            return _annotated(path, declaration) if declaration is not None else None
        target = holder.child_by_field_name("object") if holder.type == "member_expression" else None
        around = enclosing_class(holder)
        if target is None or target.type != "this" or around is None:
            return None
        name = text_of(holder.child_by_field_name("property"))
        classes = [Class(Place(path, around, around.start_byte, around.end_byte))]
        for _ in range(_MAX_BASES):
            for each in classes:
                for declaration in _fields(each.at.node, name):
                    return _annotated(each.at.path, declaration)
            classes = [base for each in classes for base in self._evaluator.superclasses(each)]
        return None


def _one_of(values: Sequence[Value], none: Callee = _UNKNOWN) -> Callee:
    """The one place that all values mean; `none` when there is no value at all."""
    if not values:
        return none
    places = {value.at if isinstance(value, Function | Class) else None for value in values}
    return Callee(places.pop(), settled=True) if len(places) == 1 else _ELSEWHERE


def _annotated(path: str, declaration: Node) -> tuple[str, Node] | None:
    annotation = declaration.child_by_field_name("type")
    return (path, annotation.named_children[0]) if annotation is not None and annotation.named_children else None


def _fields(kind: Node, name: str) -> Iterator[Node]:
    """What declares a field of a class: its own statement, or a parameter of the constructor that is kept."""
    body = kind.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        if child.type == "public_field_definition" and text_of(child.child_by_field_name("name")) == name:
            yield child
        elif child.type == "method_definition" and text_of(child.child_by_field_name("name")) == "constructor":
            for parameter in parameters(child):
                kept = any(mark.type in ("accessibility_modifier", "readonly") for mark in parameter.children)
                if kept and text_of(parameter.child_by_field_name("pattern")) == name:
                    yield parameter


@once_for_sources
def callees_of(sources: Sources) -> Callees:
    """One for all that look at the same sources."""
    return Callees(sources)
