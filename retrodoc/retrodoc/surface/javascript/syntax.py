"""Decides what a node of a JavaScript tree declares, names or is given: the grammar, and nothing that it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    (
        "function_declaration",
        "function_expression",
        "arrow_function",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    )
)
SCOPES = FUNCTIONS | {"program", "statement_block", "for_statement", "for_in_statement", "switch_case", "catch_clause"}


def text_of(node: Node | None) -> str:
    """The source text of a node; bytes that are not UTF-8 are replaced."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def parameters(function: Node) -> list[Node]:
    """A function's parameters, in order."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [single]
    listed = function.child_by_field_name("parameters")
    return [child for child in listed.named_children if child.type != "comment"] if listed is not None else []


def arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    if listed is None or listed.type != "arguments":
        return []
    return [child for child in listed.named_children if child.type != "comment"]


def key_of(node: Node | None) -> str:
    if node is None:
        return ""
    return string_of(node) if node.type == "string" else text_of(node)


def string_of(node: Node) -> str:
    return "".join(
        text_of(child) if child.type == "string_fragment" else _escape(text_of(child)) for child in node.named_children
    )


def _escape(text: str) -> str:
    return {"\\n": "\n", "\\t": "\t", "\\r": "\r"}.get(text, text[1:])


def declarations(scope: Node) -> Iterator[tuple[str, Node]]:
    """The names that a block, function or file declares itself."""
    if scope.type in FUNCTIONS:
        for parameter in parameters(scope):
            for name in _pattern_names(parameter):
                yield name, parameter
        own = scope.child_by_field_name("name")
        if own is not None and scope.type == "function_expression":
            yield text_of(own), scope
        return
    if scope.type == "for_in_statement":
        left = scope.child_by_field_name("left")
        if left is not None:
            for name in _pattern_names(left):
                yield name, scope
        return
    for child in scope.named_children:
        if child.type == "export_statement":
            inner = child.child_by_field_name("declaration") or child.child_by_field_name("value")
            if inner is not None:
                yield from declared_by(inner)
        else:
            yield from declared_by(child)
    if scope.type == "program" or (scope.parent is not None and scope.parent.type in FUNCTIONS):
        yield from _hoisted(scope)


def declared_by(node: Node) -> Iterator[tuple[str, Node]]:
    match node.type:
        case "lexical_declaration" | "variable_declaration":
            for declarator in node.named_children:
                if declarator.type == "variable_declarator":
                    pattern = declarator.child_by_field_name("name")
                    for name in _pattern_names(pattern) if pattern is not None else ():
                        yield name, declarator
        case "import_statement":
            for name in _imported_names(node):
                yield name, node
        case (
            "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "abstract_class_declaration"
        ):
            yield text_of(node.child_by_field_name("name")), node


def _hoisted(scope: Node) -> Iterator[tuple[str, Node]]:
    """`var` in the blocks of a function belongs to the function."""
    pending = [child for child in scope.named_children if child.type not in FUNCTIONS]
    while pending:
        node = pending.pop()
        for child in node.named_children:
            if child.type == "variable_declaration":
                yield from declared_by(child)
            elif child.type.endswith(("_statement", "_block", "_clause", "_case", "_body", "_default")):
                pending.append(child)


def _pattern_names(node: Node) -> Iterator[str]:
    if node.type in ("identifier", "shorthand_property_identifier_pattern"):
        yield text_of(node)
        return
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("left")
    if pattern is not None:
        yield from _pattern_names(pattern)
        return
    for child in node.named_children:
        if child.type == "pair_pattern":
            value = child.child_by_field_name("value")
            if value is not None:
                yield from _pattern_names(value)
        elif child.type not in ("type_annotation", "accessibility_modifier", "decorator"):
            yield from _pattern_names(child)


def _imported_names(node: Node) -> Iterator[str]:
    for clause in node.named_children:
        if clause.type == "import_require_clause" and clause.named_children:
            yield text_of(clause.named_children[0])
        if clause.type != "import_clause":
            continue
        for child in clause.named_children:
            if child.type == "identifier":
                yield text_of(child)
            elif child.type == "namespace_import":
                yield text_of(child.named_children[-1])
            elif child.type == "named_imports":
                for specifier in child.named_children:
                    yield text_of(specifier.child_by_field_name("alias") or specifier.child_by_field_name("name"))


def returns(body: Node) -> Iterator[Node]:
    """The return statements of a function, not those of the functions in it."""
    pending = [body]
    while pending:
        node = pending.pop()
        if node.type == "return_statement":
            yield node
        elif node.type.endswith(("_statement", "_block", "_clause", "_case", "_body", "_default")):
            pending.extend(reversed(node.named_children))


def enclosing_class(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type not in ("class", "class_declaration", "abstract_class_declaration"):
        around = around.parent
    return around


@dataclass(slots=True)
class Exports:
    """What the `export` statements of a file say: the nodes behind each name, and the `export * from`."""

    named: dict[str, list[Node]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


def read_export(node: Node, found: Exports) -> None:
    source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    if value is not None or any(child.type == "default" for child in node.children):
        target = value or declaration
        if target is not None:
            found.named.setdefault("default", []).append(target)
    elif declaration is not None:
        for name, inner in declared_by(declaration):
            found.named.setdefault(name, []).append(inner)
    elif clause is not None:
        for specifier in clause.named_children:
            visible = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
            found.named.setdefault(key_of(visible), []).append(specifier)
    elif source is not None and not any(child.type == "namespace_export" for child in node.children):
        found.stars.append(string_of(source))


def list_of_loop(node: Node) -> Node | None:
    """The list that a loop's variable goes through, `node` being the `for` or the callback's first parameter."""
    if node.type == "for_in_statement":
        return node.child_by_field_name("right") if text_of(node.child_by_field_name("operator")) == "of" else None
    function = node.parent
    while function is not None and function.type not in FUNCTIONS:
        function = function.parent
    call = function.parent.parent if function is not None and function.parent is not None else None
    if call is None or call.type != "call_expression" or function is None:
        return None
    callee, first = call.child_by_field_name("function"), parameters(function)[:1]
    if callee is None or callee.type != "member_expression" or not first or first[0].start_byte != node.start_byte:
        return None
    looping = text_of(callee.child_by_field_name("property")) in ("forEach", "map", "flatMap")
    return callee.child_by_field_name("object") if looping else None
