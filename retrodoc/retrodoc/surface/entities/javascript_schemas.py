"""Decides which models JavaScript code builds by a call: schemas of Mongoose, models of Sequelize."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.javascript.model import Array, External, Object, place
from retrodoc.surface.javascript.modules import LANGUAGES, is_test_path
from retrodoc.surface.javascript.syntax import arguments, key_of, string_of, text_of
from retrodoc.surface.javascript.values import Evaluator, evaluator_of
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import Entity, Field

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"mongoose|sequelize")
_SCHEMA = "mongoose.Schema"
_LONGEST_TYPE = 120
"""Characters of a field's type that are kept; longer ones are schemas in place."""


def entities(sources: Sources) -> Iterable[Entity]:
    """Each schema or model that has fields."""
    evaluator = evaluator_of(sources)
    for path in sources.containing(_NEEDLE, *LANGUAGES):
        if not is_test_path(path):
            yield from _in_file(evaluator, path)


def _in_file(evaluator: Evaluator, path: str) -> Iterator[Entity]:
    calls = list(descendants(evaluator.file(path).root, "call_expression", "new_expression"))
    names = dict(_model_names(calls))
    for call in calls:
        callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        given = arguments(call)
        if callee is None or not given:
            continue
        method = text_of(callee.child_by_field_name("property"))
        holder = text_of(callee.child_by_field_name("object"))
        if External(_SCHEMA) in evaluator.values(path, callee):
            variable = _variable(call)
            yield from _entity(evaluator, path, call, "mongoose-schema", names.get(variable, variable), given[0])
        elif method == "define" and len(given) > 1 and given[0].type == "string" and "sequelize" in holder.lower():
            yield from _entity(evaluator, path, call, "sequelize-model", string_of(given[0]), given[1])
        elif method == "init" and len(given) > 1 and re.search(r"\bsequelize\b", text_of(given[1])):
            yield from _entity(evaluator, path, call, "sequelize-model", holder, given[0])


def _model_names(calls: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """`model('User', userSchema)`: the schema's variable, and what the model is called."""
    for call in calls:
        callee, given = call.child_by_field_name("function"), arguments(call)
        method = text_of(callee).rpartition(".")[2] if callee is not None else ""
        if method == "model" and len(given) > 1 and given[0].type == "string" and given[1].type == "identifier":
            yield text_of(given[1]), string_of(given[0])


def _variable(call: Node) -> str:
    around = call.parent
    while around is not None and around.type in ("as_expression", "satisfies_expression"):
        around = around.parent
    if around is None or around.type != "variable_declarator":
        return ""
    return text_of(around.child_by_field_name("name"))


def _entity(evaluator: Evaluator, path: str, call: Node, kind: str, name: str, shape: Node) -> Iterator[Entity]:
    fields = tuple(_fields(evaluator, path, shape)) if shape.type == "object" and name.isidentifier() else ()
    if fields:
        start, end = call.start_point[0] + 1, call.end_point[0] + 1
        yield Entity(name=name, kind=kind, path=path, start_line=start, end_line=end, fields=fields)


def _fields(evaluator: Evaluator, path: str, shape: Node) -> Iterator[Field]:
    for pair in shape.named_children:
        value = pair.child_by_field_name("value") if pair.type == "pair" else None
        if value is None:
            continue
        written, values = value, tuple[str, ...]()
        if value.type == "object":
            options = {key_of(each.child_by_field_name("key")): each for each in value.named_children}
            typed = options["type"].child_by_field_name("value") if "type" in options else None
            written = typed if typed is not None else value
            values = tuple(_allowed(evaluator, Object(place(path, value))))
        told = " ".join(text_of(written).split())
        yield Field(
            name=key_of(pair.child_by_field_name("key")),
            type=told if len(told) <= _LONGEST_TYPE else None,
            values=values,
            line=pair.start_point[0] + 1,
        )


def _allowed(evaluator: Evaluator, options: Object) -> Iterator[str]:
    """The strings of `enum: [...]`, in place or behind a name; none when any of them is not known."""
    for value in evaluator.member(options, "enum"):
        if isinstance(value, Array) and all(isinstance(each, str) for each in value.items):
            yield from (each for each in value.items if isinstance(each, str))
