"""What a source file is made of: definitions, calls, imports and the kind of every token. Frozen data.

Offsets are bytes from the start of the file; lines are 1-based and inclusive.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class TokenKind(StrEnum):
    DEFINITION = "definition"
    CALL = "call"
    USE = "use"
    IMPORT = "import"
    COMMENT = "comment"
    STRING = "string"


class Definition(NamedTuple):
    """A named piece of code. Decorators and attributes belong to it; leading comments do not."""

    name: str
    kind: str
    """`class`, `module`, `function`, `method`, `enum`, `struct`, `interface`, `trait`, `type`, `constant`, `block`."""
    qualified_name: str
    """Names of the enclosing definitions and its own, joined by dots: `Cart.total`."""
    start_byte: int
    end_byte: int
    start_line: int
    """First line, decorators included."""
    end_line: int
    name_line: int
    parameters: tuple[str, ...] = ()
    parent: int | None = None
    """Index of the enclosing definition in `Syntax.definitions`."""


class Call(NamedTuple):
    """`receiver.name(...)` at a line. `new X()` and decorators are calls; a Rust macro is one, named with its `!`."""

    name: str
    receiver: str
    """The text before the name, such as `self.basket`; empty when there is none, its last 200 bytes when longer."""
    line: int
    """Of the name."""
    end_line: int
    """Of the closing parenthesis."""
    start_byte: int
    """Of the name."""
    end_byte: int
    """Of the whole call."""


class Import(NamedTuple):
    """A name that an import binds in this file: `from shutil import move as mv` is (`mv`, `shutil`, `move`)."""

    name: str
    module: str
    imported: str | None
    """None when the module itself is bound."""
    line: int
