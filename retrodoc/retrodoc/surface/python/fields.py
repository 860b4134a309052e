"""Decides the fields of a class: names, types as written, and the values that are allowed where code lists them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from retrodoc_runs.models import Field

from . import operations
from .evaluate import Evaluator, Frame
from .places import last_name
from .values import ClassRef, ExternalObject, ExternalRef, Instance, Value

ENUM_BASES = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices", "Choices"})
MAX_TYPE = 120
"""Characters of a type that are kept."""


def is_enum(evaluator: Evaluator, cls: ClassRef) -> bool:
    """Whether a class is an enumeration: of the standard library, of Django, or derived from one."""
    return any(base.rpartition(".")[2] in ENUM_BASES for base in evaluator.linear(cls)[1])


def members(evaluator: Evaluator, cls: ClassRef) -> tuple[str, ...]:
    """What an enumeration may be: each member's text, or its name when its value is no text."""
    found: list[str] = []
    for node in cls.node.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if name.startswith("_") or isinstance(node.value, ast.Lambda):
            continue
        value = evaluator.evaluate(node.value, Frame(cls.module, cls.closure))
        if isinstance(value, tuple) and value:
            value = value[0]
        found.append(value if isinstance(value, str) else name)
    return tuple(found)


def annotated_fields(evaluator: Evaluator, cls: ClassRef) -> tuple[Field, ...]:
    """`name: type = default` of a class body, those of its bases in the repository first."""
    found: dict[str, Field] = {}
    for base in reversed(evaluator.linear(cls)[0]):
        for node in base.node.body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                continue
            if last_name(node.annotation) == "ClassVar" or node.target.id == "model_config":
                continue
            found[node.target.id] = Field(
                name=node.target.id,
                type=written(node.annotation),
                values=allowed(evaluator, base, node.annotation),
                line=node.lineno if base.module.path == cls.module.path else None,
            )
    return tuple(found.values())


def allowed(evaluator: Evaluator, cls: ClassRef, annotation: ast.expr) -> tuple[str, ...]:
    """The values of a `Literal[...]` or of an enumeration, also inside `Optional`, `|`, `list` and the like."""
    values: list[str] = []
    for part in _parts(annotation):
        if isinstance(part, ast.Subscript) and last_name(part.value) == "Literal":
            inner = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
            values.extend(str(one.value) for one in inner if isinstance(one, ast.Constant))
        elif isinstance(part, ast.Name | ast.Attribute):
            found = evaluator.evaluate(part, Frame(cls.module, cls.closure))
            if isinstance(found, ClassRef) and is_enum(evaluator, found):
                values.extend(members(evaluator, found))
    return tuple(dict.fromkeys(values))


def _parts(annotation: ast.expr) -> Iterator[ast.expr]:
    if isinstance(annotation, ast.BinOp):
        yield from _parts(annotation.left)
        yield from _parts(annotation.right)
    elif isinstance(annotation, ast.Subscript) and last_name(annotation.value) != "Literal":
        inner = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        for part in inner:
            yield from _parts(part)
    elif isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            yield from _parts(ast.parse(annotation.value, mode="eval").body)
        except (SyntaxError, ValueError, RecursionError):
            return
    else:
        yield annotation


def choices(evaluator: Evaluator, value: Value) -> tuple[str, ...]:
    """The stored values of `choices=`: pairs, groups of pairs, a dict, an enumeration or its `.choices`."""
    if isinstance(value, ClassRef):
        return members(evaluator, value) if is_enum(evaluator, value) else ()
    if isinstance(value, dict):
        return tuple(str(key) for key in value)
    found: list[str] = []
    for item in operations.items_of(value) or []:
        if isinstance(item, list | tuple) and len(item) == 2:
            if isinstance(item[1], list | tuple) and item[1] and isinstance(item[1][0], list | tuple):
                found.extend(choices(evaluator, item[1]))
            elif isinstance(item[0], str | int):
                found.append(str(item[0]))
        elif isinstance(item, str):
            found.append(item)
    return tuple(found)


def written(node: ast.expr) -> str:
    """An expression as the source writes it, on one line."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value[:MAX_TYPE]
    return ast.unparse(node)[:MAX_TYPE]


def target_of(value: Value, fallback: str = "") -> str:
    """The name of the class that a relation points to."""
    if isinstance(value, str):
        return value
    if isinstance(value, ClassRef):
        return value.node.name
    if isinstance(value, ExternalRef):
        return value.dotted.rpartition(".")[2]
    if isinstance(value, Instance):
        return value.cls.node.name
    if isinstance(value, ExternalObject):
        names = [arg for arg in value.args if isinstance(arg, str)]
        return ".".join(names) or fallback
    return fallback
