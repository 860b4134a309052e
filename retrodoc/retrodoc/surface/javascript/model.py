"""What a JavaScript expression can stand for. Frozen data; a place is a node of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node


class _Unknown:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a file; two places are equal when they are the same text of the same file."""

    path: str
    node: Node = field(compare=False)
    start: int = 0
    end: int = 0

    @property
    def start_line(self) -> int:
        return self.node.start_point[0] + 1

    @property
    def end_line(self) -> int:
        return self.node.end_point[0] + 1


def place(path: str, node: Node) -> Place:
    return Place(path, node, node.start_byte, node.end_byte)


@dataclass(frozen=True, slots=True)
class Function:
    at: Place
    name: str = ""


@dataclass(frozen=True, slots=True)
class Class:
    at: Place
    name: str = ""


@dataclass(frozen=True, slots=True)
class Instance:
    of: Class


@dataclass(frozen=True, slots=True)
class Object:
    at: Place
    name: str = ""


@dataclass(frozen=True, slots=True)
class Module:
    path: str


@dataclass(frozen=True, slots=True)
class External:
    """Something of another package: `express`, `express.Router`."""

    name: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a call of another package gives back, and what it was given: `pipeline(require('./posts'))`."""

    of: External
    at: Place
    given: tuple[Value, ...]
    options: Place | None = None
    """The first argument, when it is an object literal."""
    through: tuple[Place, ...] = ()
    """The calls of the repository's own functions that handed it out, innermost first."""


@dataclass(frozen=True, slots=True)
class Array:
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, as it is written."""

    source: str


Value = Function | Class | Instance | Object | Module | External | Result | Array | Pattern | str | _Unknown
