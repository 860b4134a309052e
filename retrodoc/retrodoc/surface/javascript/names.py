"""Decides what a name of JavaScript stands for where it is written: its scope, its import, what a module exports."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc.surface.trees import descendants

from .model import Array, Class, External, Function, Module, Object, Value
from .modules import Modules, modules_of
from .syntax import (
    FUNCTIONS,
    SCOPES,
    Exports,
    declarations,
    key_of,
    list_of_loop,
    read_export,
    string_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from retrodoc.ingest.sources import Sources


@dataclass(slots=True)
class File:
    path: str
    root: Node
    tree: Tree
    scopes: dict[int, dict[str, list[Node]]] = field(default_factory=dict)
    assignments: dict[str, list[Node]] | None = None
    exports: Exports | None = None


class Names(ABC):
    """Follows names; what expressions and members stand for is the evaluator's to say."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.modules: Modules = modules_of(sources)
        self._files: dict[str, File] = {}
        self._exports: dict[tuple[str, str], tuple[Value, ...]] = {}
        self.bound: dict[tuple[str, int], list[Value]] = {}
        """What is known to be passed as a parameter, by file and start of the parameter's node."""
        self.pinned: dict[tuple[str, int], Value] = {}
        """The item that a loop's variable stands for just now, by file and start of what declares it."""

    @abstractmethod
    def values(self, path: str, node: Node) -> tuple[Value, ...]:
        """Everything that an expression may stand for."""

    @abstractmethod
    def member(self, holder: Value, key: str) -> tuple[Value, ...]:
        """What `holder.key` stands for."""

    def file(self, path: str) -> File:
        if path not in self._files:
            tree = self.sources.tree(path)
            self._files[path] = File(path, tree.root_node, tree)
        return self._files[path]

    def _field(self, path: str, node: Node, name: str) -> Iterator[Value]:
        child = node.child_by_field_name(name)
        if child is not None:
            yield from self.values(path, child)

    # --- names

    def named(self, path: str, at: Node, name: str) -> tuple[Value, ...]:
        """What a name stands for where the node `at` is: for types and base classes, which are no expressions."""
        inside = at.named_children[0] if at.type == "program" and at.named_children else at
        return tuple(dict.fromkeys(self._named(path, inside, name)))

    def _named(self, path: str, node: Node, name: str) -> Iterator[Value]:
        scope: Node | None = node.parent
        while scope is not None:
            if scope.type in SCOPES:
                declared = self._declared(path, scope).get(name)
                if declared:
                    for declaration in declared:
                        yield from self._declaration(path, declaration, name)
                    yield from self._assigned(path, name, node, scope)
                    return
            scope = scope.parent

    def _assigned(self, path: str, name: str, node: Node, scope: Node) -> Iterator[Value]:
        """What is assigned, within the scope that declares it, to a variable after its declaration."""
        for assignment in self.assignments(path).get(name, ()):
            inside = scope.start_byte <= assignment.start_byte < scope.end_byte
            if inside and not (assignment.start_byte <= node.start_byte < assignment.end_byte):
                yield from self._field(path, assignment, "right")

    def _declared(self, path: str, scope: Node) -> dict[str, list[Node]]:
        """The names that a scope declares, each with the nodes that declare it."""
        file = self.file(path)
        if scope.id not in file.scopes:
            found: dict[str, list[Node]] = {}
            for name, node in declarations(scope):
                found.setdefault(name, []).append(node)
            file.scopes[scope.id] = found
        return file.scopes[scope.id]

    def _declaration(self, path: str, node: Node, name: str) -> Iterator[Value]:
        match node.type:
            case "variable_declarator":
                yield from self._declarator(path, node, name)
            case "import_statement":
                yield from self._imported(path, node, name)
            case "for_in_statement":
                yield from self.items(path, node)
            case kind if kind in FUNCTIONS or kind.endswith("class_declaration") or kind == "class":
                yield from self.values(path, node)
            case _:
                yield from self._parameter(path, node)

    def _declarator(self, path: str, node: Node, name: str) -> Iterator[Value]:
        pattern, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if pattern is None or value is None:
            return
        if pattern.type == "identifier":
            yield from named_after(self.values(path, value), name)
            return
        for holder in self.values(path, value):
            yield from self._destructured(path, pattern, holder, name)

    def _destructured(self, path: str, pattern: Node, holder: Value, name: str) -> Iterator[Value]:
        for child in pattern.named_children:
            if child.type == "shorthand_property_identifier_pattern" and text_of(child) == name:
                yield from self.member(holder, name)
            elif child.type == "pair_pattern":
                key, inner = child.child_by_field_name("key"), child.child_by_field_name("value")
                if inner is None:
                    continue
                if text_of(inner) == name:
                    yield from self.member(holder, key_of(key))
                elif inner.type == "object_pattern":
                    for value in self.member(holder, key_of(key)):
                        yield from self._destructured(path, inner, value, name)
            elif child.type == "object_assignment_pattern":
                left = child.child_by_field_name("left")
                if text_of(left) == name:
                    yield from self.member(holder, name)

    def _parameter(self, path: str, node: Node) -> Iterator[Value]:
        """What callers are known to pass; for a callback of `list.forEach`, the list's items."""
        yield from self.bound.get((path, node.start_byte), ())
        yield from self.items(path, node)
        default = node.child_by_field_name("value") or node.child_by_field_name("right")
        if default is not None and node.type not in FUNCTIONS:
            yield from self.values(path, default)

    def items(self, path: str, node: Node) -> Iterator[Value]:
        """What the variable of a `for (const x of list)` or of `list.forEach(x => ...)` goes through."""
        if (path, node.start_byte) in self.pinned:
            yield self.pinned[path, node.start_byte]
            return
        listed = list_of_loop(node)
        for value in self.values(path, listed) if listed is not None else ():
            if isinstance(value, Array):
                yield from value.items

    def declaring(self, path: str, name: Node) -> Node | None:
        """What declares the name that an identifier stands for: a declarator, an import, a parameter, a `for`."""
        scope: Node | None = name.parent
        while scope is not None:
            declared = self._declared(path, scope).get(text_of(name)) if scope.type in SCOPES else None
            if declared:
                return declared[0]
            scope = scope.parent
        return None

    def loop_variable(self, path: str, name: Node) -> Node | None:
        """The `for` or the callback's parameter that an identifier stands for, None when it is no loop's variable."""
        declared = self.declaring(path, name)
        return declared if declared is not None and list_of_loop(declared) is not None else None

    # --- modules

    def _imported(self, path: str, node: Node, name: str) -> Iterator[Value]:
        source = node.child_by_field_name("source")
        clause = next((child for child in node.named_children if child.type == "import_clause"), None)
        required = next((child for child in node.named_children if child.type == "import_require_clause"), None)
        if required is not None:
            source = required.child_by_field_name("source")
        if source is None:
            return
        module = self.module(path, string_of(source))
        if clause is None:
            yield module
            return
        for child in clause.named_children:
            if child.type == "identifier" and text_of(child) == name:
                yield from self.member(module, "default")
            elif child.type == "namespace_import" and text_of(child.named_children[-1]) == name:
                yield module
            elif child.type == "named_imports":
                for specifier in child.named_children:
                    imported = specifier.child_by_field_name("name")
                    local = specifier.child_by_field_name("alias") or imported
                    if text_of(local) == name:
                        yield from self.member(module, key_of(imported))

    def module(self, importer: str, specifier: str) -> Module | External:
        """The file that a specifier means, or the package."""
        target = self.modules.resolve(specifier, importer)
        return Module(target) if target is not None else External(specifier.removeprefix("node:"))

    def assignments(self, path: str) -> dict[str, list[Node]]:
        """Every assignment of a file by the text of its left side, spaces removed."""
        file = self.file(path)
        if file.assignments is None:
            found: dict[str, list[Node]] = {}
            for node in descendants(file.root, "assignment_expression"):
                left = text_of(node.child_by_field_name("left"))
                if len(left) < 200:
                    found.setdefault(re.sub(r"\s+", "", left), []).append(node)
            file.assignments = found
        return file.assignments

    def exported(self, path: str, name: str) -> tuple[Value, ...]:
        """What a module exports under a name; `default` is also what `module.exports` itself is."""
        key = (path, name)
        if key not in self._exports:
            self._exports[key] = ()
            self._exports[key] = tuple(dict.fromkeys(self._exported(path, name)))
        return self._exports[key]

    def _exported(self, path: str, name: str) -> Iterator[Value]:
        found = False
        for value in self._es_exports(path, name):
            found = True
            yield value
        assigned = self.assignments(path)
        whole = [*assigned.get("module.exports", ()), *assigned.get("exports", ())]
        if name == "default":
            for node in whole:
                found = True
                yield from self._field(path, node, "right")
            if not found and any(left.startswith(("exports.", "module.exports.")) for left in assigned):
                yield Module(path)
            return
        for left in (f"exports.{name}", f"module.exports.{name}"):
            for node in assigned.get(left, ()):
                yield from named_after(tuple(self._field(path, node, "right")), name)
        for node in whole:
            right = node.child_by_field_name("right")
            for value in self.values(path, right) if right is not None else ():
                if value != Module(path):
                    yield from self.member(value, name)

    def _es_exports(self, path: str, name: str) -> Iterator[Value]:
        table = self._export_table(path)
        for node in table.named.get(name, ()):
            if node.type == "export_specifier":
                clause = node.parent
                source = clause.parent.child_by_field_name("source") if clause is not None and clause.parent else None
                yield from self._export_specifier(path, node, source)
            elif name == "default" and node.type not in ("variable_declarator", "import_statement"):
                yield from self.values(path, node)
            else:
                yield from self._declaration(path, node, name)
        for specifier in table.stars if name != "default" else ():
            module = self.module(path, specifier)
            if isinstance(module, Module):
                yield from self.exported(module.path, name)

    def _export_table(self, path: str) -> Exports:
        file = self.file(path)
        if file.exports is None:
            file.exports = Exports()
            for node in file.root.named_children:
                if node.type == "export_statement":
                    read_export(node, file.exports)
        return file.exports

    def _export_specifier(self, path: str, specifier: Node, source: Node | None) -> Iterator[Value]:
        local = specifier.child_by_field_name("name")
        if local is None:
            return
        if source is not None:
            yield from self.member(self.module(path, string_of(source)), text_of(local))
        else:
            yield from self._named(path, local, text_of(local))


def named_after(values: Sequence[Value], name: str) -> Iterator[Value]:
    """Functions, classes and objects without a name take that of what holds them."""
    for value in values:
        if isinstance(value, Function | Class | Object) and not value.name:
            yield type(value)(value.at, name)
        else:
            yield value
