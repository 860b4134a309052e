"""What an expression can be known to be without running the program: the values that the evaluator passes around.

Strings, numbers, lists, tuples and dicts are themselves. Everything else is one of the classes below.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .modules import Module

Value = Any
Env = dict[str, Any]
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not known; `text` is how the source writes it, when that helps a reader."""

    text: str = ""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class ExternalRef:
    """Something that another package defines, by its dotted name."""

    dotted: str


@dataclass(eq=False, slots=True)
class ModuleRef:
    """A module of the repository."""

    module: Module


@dataclass(frozen=True, slots=True)
class LazyImport:
    """A name bound by an import, followed only when it is used."""

    module: str
    name: str | None
    level: int = 0


@dataclass(eq=False, slots=True)
class ClassRef:
    """A class of the repository. `closure` is the scope of the function around it, if any."""

    module: Module
    node: ast.ClassDef
    qualname: str
    closure: tuple[Env, ...] = ()
    namespace: Env | None = None

    @property
    def symbol(self) -> str:
        return f"{self.module.name}.{self.qualname}"


@dataclass(eq=False, slots=True)
class FunctionRef:
    """A function or method of the repository; `bound` is the instance it was taken from."""

    module: Module
    node: FunctionNode
    qualname: str
    closure: tuple[Env, ...] = ()
    owner: ClassRef | None = None
    bound: Value = None

    @property
    def symbol(self) -> str:
        return f"{self.module.name}.{self.qualname}"


@dataclass(eq=False, slots=True)
class Instance:
    """An object of a class of the repository; its attributes are filled when one is missed."""

    cls: ClassRef
    args: tuple[Value, ...] = ()
    kwargs: dict[str, Value] = field(default_factory=dict)
    attrs: Env = field(default_factory=dict)
    set_up: bool = False


@dataclass(eq=False, slots=True)
class ExternalObject:
    """What a call of something external returned: the call is all that is known of it."""

    dotted: str
    args: tuple[Value, ...] = ()
    kwargs: dict[str, Value] = field(default_factory=dict)
    attrs: Env = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Member:
    """An attribute of an object whose class is external: a bound method, as far as anybody can tell."""

    owner: Value
    name: str


@dataclass(eq=False, slots=True)
class Super:
    """`super()` inside a method of `after`, on `instance`."""

    instance: Value
    after: ClassRef


@dataclass(frozen=True, slots=True)
class Builtin:
    """A builtin that the evaluator knows how to apply."""

    name: str
