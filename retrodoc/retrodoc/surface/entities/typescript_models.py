"""Decides which classes of TypeScript an object mapper keeps.

TypeORM, MikroORM, sequelize-typescript, and Mongoose as Nest declares it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.javascript.model import Class, External, place
from retrodoc.surface.javascript.modules import is_test_path
from retrodoc.surface.javascript.syntax import text_of
from retrodoc.surface.javascript.values import Evaluator, evaluator_of
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import Entity, Field

from .typescript import field_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"@(?:Entity|Table|Schema)\b")
_KINDS = {
    "typeorm.Entity": "typeorm-entity",
    "@mikro-orm/core.Entity": "mikro-orm-entity",
    "sequelize-typescript.Table": "sequelize-model",
    "@nestjs/mongoose.Schema": "mongoose-schema",
}
"""What decorates a class, as `package.member`."""
_CLASSES = ("class_declaration", "abstract_class_declaration")
_MAX_BASES = 6


def entities(sources: Sources) -> Iterable[Entity]:
    """Each such class that has columns; those of its base classes in the repository come last."""
    evaluator = evaluator_of(sources)
    for path in sources.containing(_NEEDLE, "typescript", "tsx", "javascript"):
        if is_test_path(path):
            continue
        for node in descendants(evaluator.file(path).root, *_CLASSES):
            kind = _kind(evaluator, path, node)
            fields = tuple(_columns(evaluator, path, node)) if kind else ()
            if kind and fields:
                yield Entity(
                    name=text_of(node.child_by_field_name("name")),
                    kind=kind,
                    path=path,
                    start_line=node.start_point[0] + 1,
                    end_line=node.end_point[0] + 1,
                    fields=fields,
                )


def _kind(evaluator: Evaluator, path: str, node: Node) -> str | None:
    exported = node.parent is not None and node.parent.type == "export_statement"
    for holder in (node.parent, node) if exported else (node,):
        for child in holder.named_children if holder is not None else ():
            if child.type != "decorator" or not child.named_children:
                continue
            named = child.named_children[0].child_by_field_name("function") or child.named_children[0]
            for value in evaluator.values(path, named):
                if isinstance(value, External) and value.name in _KINDS:
                    return _KINDS[value.name]
    return None


def _columns(evaluator: Evaluator, path: str, node: Node) -> Iterator[Field]:
    """The properties that carry a decorator: what has none is not kept."""
    seen: set[str] = set()
    waiting = [Class(place(path, node))]
    for _ in range(_MAX_BASES):
        for one in waiting:
            for field in _own(one.at.node):
                if field.name not in seen:
                    seen.add(field.name)
                    yield field
        waiting = [base for one in waiting for base in evaluator.superclasses(one)]


def _own(node: Node) -> Iterator[Field]:
    body = node.child_by_field_name("body")
    decorated = False
    for child in body.named_children if body is not None else ():
        if child.type == "decorator":
            decorated = True
            continue
        if child.type == "public_field_definition":
            own = decorated or any(each.type == "decorator" for each in child.named_children)
            name = child.child_by_field_name("name")
            if own and name is not None:
                yield field_of(child, name)
        if child.type != "comment":
            decorated = False
