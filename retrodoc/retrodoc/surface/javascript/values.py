"""Decides what a JavaScript expression stands for: a function, an object, a module, another package, or text.

Names are followed through scopes, imports and `require`, exports, object literals, classes and the values that a
function returns. Nothing is run, and an expression whose value depends on more than that is `UNKNOWN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from .model import (
    UNKNOWN,
    Array,
    Class,
    External,
    Function,
    Instance,
    Module,
    Object,
    Pattern,
    Place,
    Result,
    Value,
    place,
)
from .modules import Modules, modules_of
from .syntax import (
    FUNCTIONS,
    SCOPES,
    Exports,
    arguments,
    declarations,
    descendants,
    enclosing_class,
    key_of,
    list_of_loop,
    read_export,
    returns,
    string_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from retrodoc.ingest.sources import Sources

_WRAPPERS = frozenset(
    (
        "parenthesized_expression",
        "await_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "expression_statement",
    )
)
_FLUENT = frozenset(("get", "post", "put", "patch", "delete", "all", "use", "route", "register", "prefix", "basePath"))
"""Methods of routers that give back the router."""

_MAX_DEPTH = 40
"""Of names followed one to the next; a cycle ends here."""


@dataclass(slots=True)
class _File:
    path: str
    root: Node
    tree: Tree
    scopes: dict[int, dict[str, list[Node]]] = field(default_factory=dict)
    assignments: dict[str, list[Node]] | None = None
    exports: Exports | None = None


class Evaluator:
    """Follows names among the sources. Every answer is kept, so that asking twice costs nothing."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.modules: Modules = modules_of(sources)
        self._files: dict[str, _File] = {}
        self._values: dict[tuple[str, int, int], tuple[Value, ...]] = {}
        self._exports: dict[tuple[str, str], tuple[Value, ...]] = {}
        self._pending: set[tuple[str, int, int]] = set()
        self._asked: set[tuple[Value, str]] = set()
        self._depth = 0
        self.bound: dict[tuple[str, int], list[Value]] = {}
        """What is known to be passed as a parameter, by file and start of the parameter's node."""
        self.pinned: dict[tuple[str, int], Value] = {}
        """The item that a loop's variable stands for just now, by file and start of what declares it."""
        self._members_of_class: dict[tuple[str, int], dict[str, list[Node]]] = {}

    def file(self, path: str) -> _File:
        if path not in self._files:
            tree = self.sources.tree(path)
            self._files[path] = _File(path, tree.root_node, tree)
        return self._files[path]

    def forget(self) -> None:
        """Answers change when more becomes known of parameters."""
        self._values.clear()
        self._exports.clear()

    # --- expressions

    def value(self, path: str, node: Node) -> Value:
        """The first thing that an expression is known to stand for."""
        return next(iter(self.values(path, node)), UNKNOWN)

    def values(self, path: str, node: Node) -> tuple[Value, ...]:
        """Everything that an expression may stand for, as far as is known; empty when nothing is."""
        key = (path, node.start_byte, node.end_byte)
        if key in self._values:
            return self._values[key]
        if key in self._pending or self._depth > _MAX_DEPTH:
            return ()
        self._pending.add(key)
        self._depth += 1
        try:
            found = tuple(dict.fromkeys(each for each in self._values_of(path, node) if each is not UNKNOWN))
        finally:
            self._depth -= 1
            self._pending.discard(key)
        if self._depth == 0 or found:
            self._values[key] = found
        return found

    def _values_of(self, path: str, node: Node) -> Iterator[Value]:
        kind = node.type
        if kind in _WRAPPERS:
            inner = [child for child in node.named_children if child.type != "comment"]
            if inner:
                yield from self.values(path, inner[0])
        elif kind == "identifier" or kind == "shorthand_property_identifier":
            yield from self._named(path, node, text_of(node))
        elif kind == "string":
            yield string_of(node)
        elif kind == "template_string":
            yield from self._template(path, node)
        elif kind in FUNCTIONS:
            yield Function(place(path, node), text_of(node.child_by_field_name("name")))
        elif kind in ("class", "class_declaration", "abstract_class_declaration"):
            yield Class(place(path, node), text_of(node.child_by_field_name("name")))
        elif kind == "object":
            yield Object(place(path, node))
        elif kind == "array":
            yield Array(tuple(self.value(path, child) for child in node.named_children if child.type != "comment"))
        elif kind == "regex":
            yield Pattern(text_of(node))
        elif kind == "member_expression":
            yield from self._member(path, node)
        elif kind in ("call_expression", "new_expression"):
            yield from self._call(path, node)
        else:
            yield from self._operation(path, node)

    def _operation(self, path: str, node: Node) -> Iterator[Value]:
        match node.type:
            case "assignment_expression":
                yield from self._field(path, node, "right")
            case "ternary_expression":
                yield from self._field(path, node, "consequence")
                yield from self._field(path, node, "alternative")
            case "binary_expression":
                operator = text_of(node.child_by_field_name("operator"))
                if operator == "+":
                    yield from self._joined(path, node)
                elif operator in ("||", "??"):
                    yield from self._field(path, node, "left")
                    yield from self._field(path, node, "right")
            case "sequence_expression" if node.named_children:
                yield from self.values(path, node.named_children[-1])
            case "subscript_expression":
                index = node.child_by_field_name("index")
                holder = node.child_by_field_name("object")
                key = self.value(path, index) if index is not None else UNKNOWN
                if holder is not None and isinstance(key, str):
                    for value in self.values(path, holder):
                        yield from self.member(value, key)
            case "this":
                around = enclosing_class(node)
                if around is not None:
                    yield Instance(Class(place(path, around), text_of(around.child_by_field_name("name"))))

    def _field(self, path: str, node: Node, name: str) -> Iterator[Value]:
        child = node.child_by_field_name(name)
        if child is not None:
            yield from self.values(path, child)

    def _joined(self, path: str, node: Node) -> Iterator[Value]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        first, second = self.text(path, left), self.text(path, right)
        if first is not None and second is not None:
            yield first + second

    def text(self, path: str, node: Node) -> str | None:
        """A string, with `${...}` in place of what is not known; None when nothing of it is."""
        value = self.value(path, node)
        if isinstance(value, str):
            return value
        if node.type == "template_string" or value is not UNKNOWN:
            return None
        written = re.sub(r"\s+", " ", text_of(node))
        return "${" + written + "}" if len(written) <= 60 else None

    def _template(self, path: str, node: Node) -> Iterator[Value]:
        pieces: list[str] = []
        for child in node.named_children:
            if child.type == "template_substitution" and child.named_children:
                piece = self.text(path, child.named_children[0])
                if piece is None:
                    return
                pieces.append(piece)
            else:
                pieces.append(text_of(child))
        yield "".join(pieces)

    # --- names

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
            yield from _named_after(self.values(path, value), name)
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
                yield from _named_after(tuple(self._field(path, node, "right")), name)
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

    # --- members and calls

    def _member(self, path: str, node: Node) -> Iterator[Value]:
        holder, key = node.child_by_field_name("object"), text_of(node.child_by_field_name("property"))
        if holder is None:
            return
        if text_of(holder) == "module" and key == "exports":
            yield Module(path)
            return
        for value in self.values(path, holder):
            yield from self.member(value, key)
        if holder.type == "identifier":  # `handlers.list = function () {}` after `const handlers = {}`
            for assignment in self.assignments(path).get(f"{text_of(holder)}.{key}", ()):
                if assignment.start_byte != node.start_byte:
                    yield from self._field(path, assignment, "right")

    def member(self, holder: Value, key: str) -> tuple[Value, ...]:
        """What `holder.key` stands for."""
        asked = (holder, key)
        if asked in self._asked or len(self._asked) > _MAX_DEPTH:  # `x = { ...x }` and classes that extend each other
            return ()
        self._asked.add(asked)
        try:
            return tuple(dict.fromkeys(self._members(holder, key)))
        finally:
            self._asked.discard(asked)

    def _members(self, holder: Value, key: str) -> Iterator[Value]:
        match holder:
            case Module(path):
                found = self.exported(path, key)
                yield from found
                if not found and key != "default":
                    for value in self.exported(path, "default"):
                        if value != holder:
                            yield from self.member(value, key)
            case External(name):
                yield External(name if key == "default" else f"{name}.{key}")
            case Object(at, name):
                yield from self._property(at, key)
                yield from self._added(at.path, name, key)
            case Instance(of):
                yield from self._instance_member(of, key, static=False)
            case Class(at, _):
                yield from self._instance_member(holder, key, static=True)
            case Function(at, name):
                yield from self._added(at.path, name, key)
            case Result(_, _, given):
                for value in given:
                    yield from self.member(value, key)
            case _:
                return

    def _added(self, path: str, name: str, key: str) -> Iterator[Value]:
        """`handlers.list = ...`, after `const handlers = {}` or `function handlers() {}`."""
        for left in (f"{name}.{key}", f"module.exports.{key}") if name else (f"module.exports.{key}",):
            for node in self.assignments(path).get(left, ()):
                yield from _named_after(tuple(self._field(path, node, "right")), key)

    def _property(self, at: Place, key: str) -> Iterator[Value]:
        for child in at.node.named_children:
            if child.type == "pair" and key_of(child.child_by_field_name("key")) == key:
                yield from _named_after(tuple(self._field(at.path, child, "value")), key)
            elif child.type == "method_definition" and key_of(child.child_by_field_name("name")) == key:
                if any(mark.type == "get" for mark in child.children):
                    yield from self.returned(Function(place(at.path, child)))
                else:
                    yield Function(place(at.path, child), key)
            elif child.type == "shorthand_property_identifier" and text_of(child) == key:
                yield from self._named(at.path, child, key)
            elif child.type == "spread_element" and child.named_children:
                for value in self.values(at.path, child.named_children[0]):
                    yield from self.member(value, key)

    def _class_members(self, of: Class) -> dict[str, list[Node]]:
        key = (of.at.path, of.at.start)
        if key not in self._members_of_class:
            found: dict[str, list[Node]] = {}
            body = of.at.node.child_by_field_name("body")
            for child in body.named_children if body is not None else ():
                named = child.child_by_field_name("name") or child.child_by_field_name("property")
                if named is not None:
                    found.setdefault(text_of(named).lstrip("#"), []).append(child)
            self._members_of_class[key] = found
        return self._members_of_class[key]

    def _instance_member(self, of: Class, key: str, static: bool) -> Iterator[Value]:
        path, found = of.at.path, False
        for child in self._class_members(of).get(key.lstrip("#"), ()):
            if any(mark.type == "static" for mark in child.children) != static:
                continue
            if child.type == "method_definition":
                found = True
                if any(mark.type == "get" for mark in child.children):
                    yield from self.returned(Function(place(path, child)))
                else:
                    yield Function(place(path, child), f"{of.name}.{key}" if of.name else key)
            elif child.type in ("field_definition", "public_field_definition"):
                for value in _named_after(tuple(self._field(path, child, "value")), f"{of.name}.{key}"):
                    found = True
                    yield value
        for node in self.assignments(path).get(f"this.{key}", ()):
            if of.at.start <= node.start_byte < of.at.end:
                for value in self._field(path, node, "right"):
                    found = True
                    yield value
        if not found:
            for parent in self.superclasses(of):
                yield from self.member(parent if static else Instance(parent), key)

    def superclasses(self, of: Class) -> Iterator[Class]:
        """The classes of the repository that a class extends directly."""
        heritage = next((child for child in of.at.node.named_children if child.type == "class_heritage"), None)
        for clause in heritage.named_children if heritage is not None else ():
            target = clause.child_by_field_name("value") if clause.type == "extends_clause" else clause
            if target is not None and target.type != "implements_clause":
                for value in self.values(of.at.path, target):
                    if isinstance(value, Class) and value != of:
                        yield value

    def _call(self, path: str, node: Node) -> Iterator[Value]:
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if callee is None:
            return
        given = arguments(node)
        if callee.type == "import" or (callee.type == "identifier" and text_of(callee) == "require"):
            specifier = self.value(path, given[0]) if given else UNKNOWN
            if isinstance(specifier, str):
                yield self.module(path, specifier)
            return
        if callee.type == "member_expression" and text_of(callee.child_by_field_name("property")) in ("bind", "freeze"):
            inner = callee.child_by_field_name("object")
            if text_of(inner) == "Object" and given:
                yield from self.values(path, given[0])
            elif inner is not None:
                yield from self.values(path, inner)
            return
        if callee.type == "member_expression" and text_of(callee.child_by_field_name("property")) in _FLUENT:
            yield from (value for value in self._field(path, callee, "object") if isinstance(value, Result))
        for value in self.values(path, callee):
            yield from self._called(path, node, value, given)

    def _called(self, path: str, node: Node, value: Value, given: Sequence[Node]) -> Iterator[Value]:
        match value:
            case External():
                options = place(path, given[0]) if given and given[0].type == "object" else None
                passed = tuple(self.value(path, each) for each in given)
                yield Result(value, place(path, node), passed, options)
            case Function():
                passed_on = place(path, node)
                answers = self.returned(value)
                if any(isinstance(each, Function) and _inside(each.at, value.at) for each in answers):
                    # `wrap(handler)`: the closure only wraps what it is given
                    yield from (
                        each for argument in given for each in self.values(path, argument) if isinstance(each, Function)
                    )
                for returned in answers:
                    if isinstance(returned, Result):
                        yield Result(
                            returned.of, returned.at, returned.given, returned.options, (*returned.through, passed_on)
                        )
                    else:
                        yield returned
            case Class():
                yield Instance(value)
            case Module(target):
                for exported in self.exported(target, "default"):
                    if exported != value:
                        yield from self._called(path, node, exported, given)
            case _:
                return

    def returned(self, function: Function) -> tuple[Value, ...]:
        """What a function may give back."""
        body = function.at.node.child_by_field_name("body")
        if body is None:
            return ()
        if body.type != "statement_block":
            return self.values(function.at.path, body)
        found: list[Value] = []
        for statement in returns(body):
            if statement.named_children:
                found.extend(self.values(function.at.path, statement.named_children[0]))
        return tuple(dict.fromkeys(found))


def _inside(inner: Place, outer: Place) -> bool:
    return inner.path == outer.path and outer.start < inner.start and inner.end <= outer.end


def _named_after(values: Sequence[Value], name: str) -> Iterator[Value]:
    """Functions, classes and objects without a name take that of what holds them."""
    for value in values:
        if isinstance(value, Function | Class | Object) and not value.name:
            yield type(value)(value.at, name)
        else:
            yield value


_EVALUATORS: WeakKeyDictionary[Sources, Evaluator] = WeakKeyDictionary()


def evaluator_of(sources: Sources) -> Evaluator:
    """One evaluator for all rules that look at the same sources."""
    found = _EVALUATORS.get(sources)
    if found is None:
        found = _EVALUATORS[sources] = Evaluator(sources)
    return found
