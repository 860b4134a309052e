"""Decides which SQLAlchemy models and tables a project keeps: columns, relations, allowed values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.python.classes import classes_in, entity_of
from retrodoc.surface.python.evaluate import Evaluator, Frame
from retrodoc.surface.python.fields import allowed, is_enum, members, written
from retrodoc.surface.python.modules import Module, is_test_path, project_of
from retrodoc.surface.python.places import first_line, keyword, last_line, last_name
from retrodoc.surface.python.values import ClassRef
from retrodoc_runs.models import Entity, Field

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_NEEDLES = (b"db.Model", b"Column(", b"mapped_column(")
_COLUMNS = frozenset({"Column", "mapped_column"})
_RELATIONS = frozenset({"relationship", "backref", "dynamic_loader"})


def entities(sources: Sources) -> Iterable[Entity]:
    """Each class with columns, and each `Table(...)`."""
    project = project_of(sources)
    evaluator = Evaluator(project)
    paths = [
        path
        for path in sorted({path for needle in _NEEDLES for path in project.containing(needle)})
        if not is_test_path(path) and "/migrations/" not in path and "/versions/" not in path
    ]
    found: list[Entity] = []
    for cls in classes_in(evaluator, paths):
        fields = tuple(_fields(evaluator, cls))
        if any(field.type and not field.type.startswith("relationship") for field in fields):
            found.append(entity_of(cls, "sqlalchemy-model", fields=fields))
    for path in paths:
        module = evaluator.module(path)
        if module:
            found.extend(_tables(evaluator, module))
    return found


def _fields(evaluator: Evaluator, cls: ClassRef) -> Iterator[Field]:
    for node in cls.node.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if last_name(node.value) in _COLUMNS:
                yield _column(evaluator, Frame(cls.module, cls.closure), name, node.value)
            elif last_name(node.value) in _RELATIONS and node.value.args:
                yield Field(name=name, type=f"relationship({_target(node.value.args[0])})", line=node.lineno)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Subscript):
            if last_name(node.annotation) != "Mapped" or not isinstance(node.target, ast.Name):
                continue
            relation = isinstance(node.value, ast.Call) and last_name(node.value) in _RELATIONS
            kind = written(node.annotation.slice)
            values = () if relation else allowed(evaluator, cls, node.annotation.slice)
            shown = f"relationship({kind})" if relation else kind
            yield Field(name=node.target.id, type=shown, values=values, line=node.lineno)


def _column(evaluator: Evaluator, frame: Frame, name: str, call: ast.Call) -> Field:
    given = [arg for arg in call.args if not isinstance(arg, ast.Constant)]
    kind = next((arg for arg in given if last_name(arg) != "ForeignKey"), None) or keyword(call, "type_")
    key = next((arg for arg in given if isinstance(arg, ast.Call) and last_name(arg) == "ForeignKey"), None)
    values: tuple[str, ...] = ()
    if isinstance(kind, ast.Call) and last_name(kind).endswith("Enum"):
        values = _enum_values(evaluator, frame, kind)
    shown = _type(kind) if kind is not None else None
    if key is not None and key.args:
        shown = f"{shown or 'ForeignKey'} -> {_target(key.args[0])}"
    return Field(name=name, type=shown, values=values, line=call.lineno)


def _type(kind: ast.expr) -> str:
    """`String(50)` of `sa.String(50)`, `Integer` of `db.Integer`."""
    name = last_name(kind)
    if isinstance(kind, ast.Call) and kind.args and all(isinstance(arg, ast.Constant) for arg in kind.args):
        return f"{name}({', '.join(written(arg) for arg in kind.args)})"
    return name


def _enum_values(evaluator: Evaluator, frame: Frame, call: ast.Call) -> tuple[str, ...]:
    found: list[str] = []
    for arg in call.args:
        value = evaluator.evaluate(arg, frame)
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, ClassRef) and is_enum(evaluator, value):
            found.extend(members(evaluator, value))
    return tuple(found)


def _target(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else last_name(node)


def _tables(evaluator: Evaluator, module: Module) -> Iterator[Entity]:
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call) or last_name(node.func) != "Table" or len(node.args) < 3:
            continue
        name = node.args[0]
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            continue
        columns = [arg for arg in node.args[2:] if isinstance(arg, ast.Call) and last_name(arg) == "Column"]
        fields = tuple(
            _column(evaluator, Frame(module, ()), str(column.args[0].value), column)
            for column in columns
            if column.args and isinstance(column.args[0], ast.Constant)
        )
        if fields:
            yield Entity(
                name=name.value,
                kind="table",
                path=module.path,
                start_line=first_line(node),
                end_line=last_line(node),
                fields=fields,
            )
