"""Decides which tables and columns a Rails database has: `db/schema.rb`, or the migrations replayed in order."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .classes import is_test_path
from .inflect import Inflector
from .values import Arguments, Scope, Value, arguments, bind, children, evaluate, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_SCHEMA = re.compile(r"(^|/)(schema|\w+_schema)\.rb$")
_MIGRATION = re.compile(r"(^|/)migrate/(\d+)_\w+\.rb$")
_TYPES = frozenset(
    "string text integer bigint float decimal numeric datetime timestamp timestamptz time date binary blob boolean "
    "json jsonb uuid hstore inet cidr macaddr citext virtual serial bigserial tsvector xml point money interval bit "
    "enum primary_key smallint tinyint mediumint mediumtext longtext tinytext mediumblob longblob daterange "
    "int4range int8range numrange tsrange tstzrange ltree vector geometry geography oid unsigned_integer".split()
)
_REFERENCES = ("references", "belongs_to")


@dataclass(slots=True)
class Table:
    name: str
    path: str
    start_line: int
    end_line: int
    columns: dict[str, str] = field(default_factory=dict)
    """Type by name, in the order in which they were added."""


def tables_of(sources: Sources, inflector: Inflector | None = None) -> dict[str, Table]:
    """Every table by its name, as it is after the last change."""
    inflector = inflector or Inflector()
    schemas = [
        path
        for path in sources.containing(b"create_table", "ruby")
        if _SCHEMA.search(path) and not is_test_path(path) and b".define" in sources.data(path)
    ]
    found: dict[str, Table] = {}
    folders = {posixpath.dirname(path) for path in schemas}
    for path in schemas:
        replay = _Replay(found, path, inflector)
        replay.statements(_defined(sources.tree(path).root_node), Scope())
    for path in sorted(_migrations(sources), key=_order):
        if posixpath.dirname(posixpath.dirname(path)) not in folders:  # a schema beside them says how they end
            replay = _Replay(found, path, inflector)
            replay.statements(_changes(sources.tree(path).root_node), Scope())
    return found


def _migrations(sources: Sources) -> Iterator[str]:
    for path in sources.of("ruby"):
        if _MIGRATION.search(path) and not is_test_path(path):
            yield path


def _order(path: str) -> tuple[int, str]:
    found = _MIGRATION.search(path)
    return (int(found[2]) if found else 0, path)


def _defined(root: Node) -> Sequence[Node]:
    """The body of `ActiveRecord::Schema.define do`."""
    for node in root.named_children:
        block = node.child_by_field_name("block") if node.type == "call" else None
        if block is not None:
            return list(children(block.child_by_field_name("body")))
    return ()


def _changes(root: Node) -> Sequence[Node]:
    """The body of `change`, `up` or `self.up` of a migration."""
    pending = list(root.named_children)
    while pending:
        node = pending.pop(0)
        if node.type in ("method", "singleton_method"):
            name = node.child_by_field_name("name")
            if name is not None and text_of(name) in ("change", "up"):
                return list(children(node.child_by_field_name("body")))
        elif node.type in ("class", "module", "body_statement"):
            pending.extend(node.named_children)
    return ()


class _Replay:
    """Applies the statements of one file to the tables."""

    def __init__(self, tables: dict[str, Table], path: str, inflector: Inflector) -> None:
        self._tables = tables
        self._path = path
        self._inflector = inflector

    def statements(self, nodes: Sequence[Node], scope: Scope) -> None:
        for node in nodes:
            match node.type:
                case "call":
                    self._call(node, scope)
                case "assignment":
                    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                    if left is not None and right is not None:
                        scope.set(text_of(left), evaluate(right, scope))
                case "if" | "unless" | "then" | "else" | "elsif" | "begin" | "body_statement" | "ensure":
                    condition = node.child_by_field_name("condition")
                    self.statements([child for child in node.named_children if child != condition], scope)
                case "if_modifier" | "unless_modifier":
                    body = node.child_by_field_name("body")
                    if body is not None:
                        self.statements([body], scope)

    def _call(self, node: Node, scope: Scope) -> None:
        name_node, receiver = node.child_by_field_name("method"), node.child_by_field_name("receiver")
        name, block = text_of(name_node) if name_node is not None else "", node.child_by_field_name("block")
        if receiver is not None and name == "each" and block is not None:
            items = evaluate(receiver, scope)
            for item in items if isinstance(items, list) else ():
                inner = scope.inner(bind(block.child_by_field_name("parameters"), (item,)))
                self.statements(list(children(block.child_by_field_name("body"))), inner)
            return
        if receiver is not None and receiver.type in ("constant", "scope_resolution"):
            return
        given = arguments(node, scope)
        rule = _CHANGES.get(name)
        if name in ("create_table", "create_join_table"):
            self._create(name, given, node, block, scope)
        elif name == "change_table" and block is not None and given.positional:
            table = self._table(given.positional[0])
            if table is not None:
                self._body(table, block, scope)
        elif rule is not None and given.positional:
            rule(self, given)
        elif name in ("reversible", "say_with_time", "safety_assured", "transaction", "suppress_messages"):
            if block is not None:
                self.statements(list(children(block.child_by_field_name("body"))), scope.inner())
        elif name == "up" and block is not None:  # `dir.up do` of `reversible`
            self.statements(list(children(block.child_by_field_name("body"))), scope.inner())

    def _table(self, name: Value) -> Table | None:
        return self._tables.get(str(name)) if isinstance(name, str) else None

    def _create(self, kind: str, given: Arguments, node: Node, block: Node | None, scope: Scope) -> None:
        names = [str(name) for name in given.positional if isinstance(name, str)]
        if not names:
            return
        name = names[0]
        if kind == "create_join_table":
            named = given.options.get("table_name")
            name = str(named) if isinstance(named, str) else "_".join(sorted(names[:2]))
        table = Table(name, self._path, node.start_point[0] + 1, node.end_point[0] + 1)
        if kind == "create_join_table":
            table.columns.update({f"{self._inflector.singular(each)}_id": "bigint" for each in names[:2]})
        elif given.options.get("id", True) is not False:
            key = given.options.get("primary_key", "id")
            kind_of_id = given.options.get("id")
            if isinstance(key, str):
                table.columns[str(key)] = str(kind_of_id) if isinstance(kind_of_id, str) else "bigint"
        self._tables[name] = table
        if block is not None:
            self._body(table, block, scope)

    def _body(self, table: Table, block: Node, scope: Scope) -> None:
        for node in children(block.child_by_field_name("body")):
            receiver = node.child_by_field_name("receiver") if node.type == "call" else None
            name = node.child_by_field_name("method") if node.type == "call" else None
            if receiver is not None and name is not None:
                self._column(table, text_of(name), arguments(node, scope))

    def _column(self, table: Table, name: str, given: Arguments) -> None:
        names = [str(each) for each in given.positional if isinstance(each, str)]
        if name == "timestamps":
            table.columns.update({"created_at": "datetime", "updated_at": "datetime"})
        elif name in _REFERENCES:
            for each in names:
                _refer(table, each, given)
        elif name == "column" and len(given.positional) > 1:
            table.columns[names[0]] = str(given.positional[1])
        elif name in ("remove", "remove_columns"):
            for each in names:
                table.columns.pop(each, None)
        elif name == "rename" and len(names) == 2:
            _rename(table.columns, names[0], names[1])
        elif name == "change" and len(names) == 2:
            table.columns[names[0]] = names[1]
        elif name in ("remove_references", "remove_belongs_to"):
            for each in names:
                table.columns.pop(f"{each}_id", None)
        elif name in _TYPES:
            for each in names:
                table.columns[each] = name

    def _add_column(self, given: Arguments) -> None:
        table, rest = self._table(given.positional[0]), given.positional[1:]
        if table is not None and len(rest) >= 2 and isinstance(rest[0], str):
            table.columns[str(rest[0])] = str(rest[1])

    def _remove_column(self, given: Arguments) -> None:
        table = self._table(given.positional[0])
        for each in given.positional[1:] if table is not None else ():
            for name in each if isinstance(each, list) else [each]:
                if table is not None and isinstance(name, str):
                    table.columns.pop(str(name), None)

    def _rename_column(self, given: Arguments) -> None:
        table = self._table(given.positional[0])
        if table is not None and len(given.positional) == 3:
            _rename(table.columns, str(given.positional[1]), str(given.positional[2]))

    def _rename_table(self, given: Arguments) -> None:
        table = self._table(given.positional[0])
        new = given.positional[1] if len(given.positional) > 1 else None
        if table is not None and isinstance(new, str):
            del self._tables[table.name]
            table.name = str(new)
            self._tables[table.name] = table

    def _drop_table(self, given: Arguments) -> None:
        for name in given.positional:
            if isinstance(name, str):
                self._tables.pop(str(name), None)

    def _add_reference(self, given: Arguments) -> None:
        table = self._table(given.positional[0])
        for name in given.positional[1:] if table is not None else ():
            if table is not None and isinstance(name, str):
                _refer(table, str(name), given)

    def _remove_reference(self, given: Arguments) -> None:
        table = self._table(given.positional[0])
        for name in given.positional[1:] if table is not None else ():
            if table is not None and isinstance(name, str):
                table.columns.pop(f"{name}_id", None)
                table.columns.pop(f"{name}_type", None)

    def _add_timestamps(self, given: Arguments) -> None:
        table = self._table(given.positional[0])
        if table is not None:
            table.columns.update({"created_at": "datetime", "updated_at": "datetime"})

    def _remove_timestamps(self, given: Arguments) -> None:
        table = self._table(given.positional[0])
        if table is not None:
            table.columns.pop("created_at", None)
            table.columns.pop("updated_at", None)


def _refer(table: Table, name: str, given: Arguments) -> None:
    kind = given.options.get("type")
    table.columns[f"{name}_id"] = str(kind) if isinstance(kind, str) else "bigint"
    if given.options.get("polymorphic"):
        table.columns[f"{name}_type"] = "string"


def _rename(columns: dict[str, str], old: str, new: str) -> None:
    """The column keeps its place."""
    if old in columns:
        renamed = {new if name == old else name: kind for name, kind in columns.items()}
        columns.clear()
        columns.update(renamed)


_CHANGES: Mapping[str, Callable[[_Replay, Arguments], None]] = {
    "add_column": _Replay._add_column,
    "change_column": _Replay._add_column,
    "remove_column": _Replay._remove_column,
    "remove_columns": _Replay._remove_column,
    "rename_column": _Replay._rename_column,
    "rename_table": _Replay._rename_table,
    "drop_table": _Replay._drop_table,
    "add_reference": _Replay._add_reference,
    "add_belongs_to": _Replay._add_reference,
    "remove_reference": _Replay._remove_reference,
    "remove_belongs_to": _Replay._remove_reference,
    "add_timestamps": _Replay._add_timestamps,
    "remove_timestamps": _Replay._remove_timestamps,
}
