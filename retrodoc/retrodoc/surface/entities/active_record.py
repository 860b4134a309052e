"""Decides which records a Rails application keeps: columns of the schema, associations, enums and allowed values.

A model has the columns of its table; a subclass that shares its parent's table has only what it adds. A table that
no model stands for is an entity of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import Macro, RubyClass, RubyIndex, index_of, is_test_path
from retrodoc.surface.ruby.inflect import Inflector, inflector_of, underscore
from retrodoc.surface.ruby.schema import Table, tables_of
from retrodoc.surface.ruby.values import Symbol, Value
from retrodoc_runs.models import Entity, Field

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_BASES = ("ActiveRecord::Base", "ApplicationRecord")
_ASSOCIATIONS = ("belongs_to", "has_one", "has_many", "has_and_belongs_to_many")
_NEEDLE = re.compile(rb"ActiveRecord::Base|ApplicationRecord")
_MODEL_PATH = re.compile(r"(^|/)models/")
_TABLE_NAME = re.compile(r"^\s*self\.table_name\s*=\s*[\"':](?:#\{[^}]*\})?(\w+)", re.MULTILINE)
_BOOKKEEPING = frozenset(("schema_migrations", "ar_internal_metadata"))


def entities(sources: Sources) -> Iterable[Entity]:
    index = index_of(sources)
    inflector = inflector_of(sources)
    models = list(_models(sources, index))
    tables = tables_of(sources, inflector) if models or sources.containing(b"create_table", "ruby") else {}
    used: set[str] = set()
    for model in models:
        table = _table(sources, model, tables, inflector)
        if table is not None:
            used.add(table.name)
        yield _entity(index, model, table, inflector)
    for table in tables.values():
        if table.name not in used and table.name not in _BOOKKEEPING:
            yield Entity(
                name=table.name,
                kind="table",
                path=table.path,
                start_line=table.start_line,
                end_line=table.end_line,
                fields=tuple(Field(name=name, type=kind) for name, kind in table.columns.items()),
            )


@dataclass(frozen=True, slots=True)
class _Model:
    statement: RubyClass
    parents: tuple[str, ...]
    """The models that it derives from, nearest first."""


def _models(sources: Sources, index: RubyIndex) -> Iterator[_Model]:
    paths = set(sources.containing(_NEEDLE, "ruby")) | {path for path in sources.of("ruby") if _MODEL_PATH.search(path)}
    seen: set[str] = set()
    for path in sorted(paths):
        if is_test_path(path) or "/migrate/" in path:
            continue
        for statement in index.in_file(path):
            if statement.kind != "class" or statement.superclass is None or statement.name in seen:
                continue
            chain = list(index.superclass_names((statement,)))
            base = next((place for place, name in enumerate(chain) if name in _BASES), None)
            if base is not None and statement.name not in _BASES:
                seen.add(statement.name)
                yield _Model(statement, tuple(chain[:base]))


def _table(sources: Sources, model: _Model, tables: dict[str, Table], inflector: Inflector) -> Table | None:
    """The table of a model that has one of its own."""
    statement = model.statement
    lines = sources.data(statement.path).decode("utf-8", "replace").split("\n")
    named = _TABLE_NAME.search("\n".join(lines[statement.start_line - 1 : statement.end_line]))
    if named:
        return tables.get(named[1])
    parts = underscore(statement.name).split("/")
    plural = inflector.plural(parts[-1])
    for candidate in ("_".join([*parts[:-1], plural]), *([plural] if not model.parents else [])):
        if candidate in tables:
            return tables[candidate]
    return None


def _entity(index: RubyIndex, model: _Model, table: Table | None, inflector: Inflector) -> Entity:
    statement = model.statement
    macros = [macro for each in index.named(statement.name) for macro in each.macros if not is_test_path(each.path)]
    allowed: dict[str, tuple[tuple[str, ...], int]] = {}
    for macro in macros:
        for name, values in _allowed(macro):
            allowed.setdefault(name, (values, macro.start_line))
    fields: dict[str, Field] = {}
    for name, kind in (table.columns if table is not None else {}).items():
        values, line = allowed.pop(name, ((), None))
        fields[name] = Field(name=name, type=kind, values=values, line=line)
    for name, (values, line) in allowed.items():
        fields[name] = Field(name=name, values=values, line=line)
    for macro in statement.macros:
        for found in _associations(macro, inflector):
            fields[found.name] = found
    return Entity(
        name=statement.name,
        kind="active-record",
        path=statement.path,
        start_line=statement.start_line,
        end_line=statement.end_line,
        fields=tuple(fields.values()),
    )


def _associations(macro: Macro, inflector: Inflector) -> Iterator[Field]:
    if macro.name not in _ASSOCIATIONS:
        return
    for name in macro.args.positional:
        if not isinstance(name, Symbol | str):
            continue
        target = macro.args.options.get("class_name")
        if not isinstance(target, str):
            one = str(name) if macro.name in ("belongs_to", "has_one") else inflector.singular(str(name))
            target = "".join(word[:1].upper() + word[1:] for word in one.split("_"))
        kind = f"{macro.name} {target}"
        if macro.args.options.get("polymorphic") is True:
            kind = f"{macro.name} (any)"
        yield Field(name=str(name), type=kind, line=macro.start_line)


def _allowed(macro: Macro) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What an `enum`, a `validates ... inclusion` or a `validates_inclusion_of` lets a field be."""
    options = macro.args.options
    names = [str(name) for name in macro.args.positional if isinstance(name, str)]
    match macro.name:
        case "enum":
            positional = macro.args.positional
            if names and len(positional) > 1:  # `enum :status, [...]`
                yield names[0], _keys(positional[1])
            elif names and options:  # `enum :status, draft: 0, done: 1`
                yield names[0], tuple(key for key in map(str, options) if key not in _ENUM_OPTIONS)
            else:
                for name, values in options.items():
                    if str(name).lstrip("_") not in _ENUM_OPTIONS:
                        yield str(name), _keys(values)
        case "validates" | "validates_inclusion_of":
            inclusion = options.get("inclusion") if macro.name == "validates" else options
            if isinstance(inclusion, dict):
                inclusion = inclusion.get("in", inclusion.get("within"))
            values = _keys(inclusion) if isinstance(inclusion, list) else ()
            if values:
                for name in names:
                    yield name, values


_ENUM_OPTIONS = frozenset(("prefix", "suffix", "default", "scopes", "validate", "instance_methods"))


def _keys(value: Value) -> tuple[str, ...]:
    if isinstance(value, dict | list):
        listed = [each for each in value if isinstance(each, str | int) and not isinstance(each, bool)]
        return tuple(str(each) for each in listed) if len(listed) == len(value) else ()
    return ()
