"""Decides which commands a clap program builds in code: `Command::new("x").subcommand(...)`, and functions that do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc.surface.trees import descendants

from .functions import Functions, RustFunction
from .syntax import enclosing, in_test_module, string_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MAKERS = re.compile(
    r"^(?:clap::)?(?:(?:App|Command)(?:::<.*>)?::new|SubCommand::with_name|Command::with_name)$", re.DOTALL
)
_CLAP_METHODS = frozenset(
    "about subcommand subcommands version author long_about long_version override_usage subcommand_required "
    "arg_required_else_help after_help before_help group alias visible_alias hide disable_help_subcommand "
    "propagate_version help_template setting settings display_order next_line_help bin_name term_width".split()
)
_MAX_DEPTH = 12


@dataclass(slots=True)
class Command:
    name: str | None
    """None when only the running program knows it."""
    path: str
    node: Node
    children: list[Command] = field(default_factory=list)
    chained: bool = False
    """Built with methods that only clap has."""
    required: bool = False
    """It only runs with a subcommand."""
    declared: tuple[str, Node] | None = None
    """The call that names it, when a function makes commands of the names that it is given."""


class Builder:
    """Evaluates expressions that build commands."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._used: set[tuple[str, int]] = set()

    def roots(self, paths: Sequence[str]) -> Iterator[Command]:
        """The commands that are no other's subcommand."""
        found: list[Command] = []
        for path in paths:
            root = self._functions.sources.tree(path).root_node
            for call in descendants(root, "call_expression"):
                if _MAKERS.match(text_of(call.child_by_field_name("function"))) and not in_test_module(call):
                    command = self._whole(path, call)
                    if command is not None:
                        found.append(command)
        for command in found:
            given = _arguments(command.node)
            told = command.name is not None or (bool(given) and given[0].type != "identifier")
            if told and (command.path, command.node.start_byte) not in self._used and _is_clap(command):
                yield command

    def _whole(self, path: str, maker: Node) -> Command | None:
        """The command that a maker call becomes, with the methods chained on it or on the name it is bound to."""
        node = maker
        while True:
            parent = node.parent
            if parent is None or parent.type != "field_expression" or parent.child_by_field_name("value") != node:
                break
            call = parent.parent
            if call is None or call.type != "call_expression":
                break
            node = call
        command = self.command(path, node, {}, 0)
        declaration = node.parent
        if command is not None and declaration is not None and declaration.type == "let_declaration":
            self._bound(path, declaration, command)
        return command

    def _bound(self, path: str, declaration: Node, command: Command) -> None:
        """`let mut app = Command::new(..); app = app.subcommand(..);`"""
        name = text_of(declaration.child_by_field_name("pattern")).removeprefix("mut ")
        block = enclosing(declaration, "block")
        seen = {child.node.start_byte for child in command.children}
        for call in descendants(block, "call_expression") if block is not None else ():
            callee = call.child_by_field_name("function")
            if callee is None or callee.type != "field_expression" or call.start_byte <= declaration.start_byte:
                continue
            if text_of(callee.child_by_field_name("field")) not in ("subcommand", "subcommands"):
                continue
            if _base_name(call) == name and call.start_byte not in seen and call.end_byte > declaration.end_byte:
                self._method(path, call, command, {}, 0)

    def command(self, path: str, node: Node, names: dict[str, str], depth: int) -> Command | None:
        """The command that an expression builds; None when it builds none, or it cannot be told."""
        if depth > _MAX_DEPTH:
            return None
        if node.type in ("parenthesized_expression", "block", "try_expression", "reference_expression"):
            inner = [child for child in node.named_children if child.type != "line_comment"]
            return self.command(path, inner[-1], names, depth + 1) if inner else None
        if node.type == "identifier":
            return self._local(path, node, names, depth)
        if node.type != "call_expression":
            return None
        callee = node.child_by_field_name("function")
        if callee is None:
            return None
        if callee.type == "field_expression":
            return self._chain(path, node, names, depth)
        written = text_of(callee)
        if _MAKERS.match(written):
            return Command(self._text(_arguments(node)[:1], names), path, node)
        return self._from_function(path, node, written, names, depth)

    def _chain(self, path: str, node: Node, names: dict[str, str], depth: int) -> Command | None:
        """`maker().a().b()`: the methods in the order in which they are called."""
        calls: list[Node] = []
        current: Node | None = node
        while current is not None and current.type == "call_expression":
            callee = current.child_by_field_name("function")
            if callee is None or callee.type != "field_expression":
                break
            calls.append(current)
            current = callee.child_by_field_name("value")
        command = self.command(path, current, names, depth + 1) if current is not None else None
        if command is not None:
            for call in reversed(calls):
                self._method(path, call, command, names, depth)
        return command

    def _from_function(self, path: str, call: Node, written: str, names: dict[str, str], depth: int) -> Command | None:
        function = self._functions.resolve(written, path)
        if function is None or not re.search(r"\b(?:App|Command|Self)\b", _returned_type(function)):
            return None
        body = function.node.child_by_field_name("body")
        passed = {
            text_of(parameter.child_by_field_name("pattern")): value
            for parameter, argument in zip(_parameters(function.node), _arguments(call), strict=False)
            if (value := self._text([argument], names)) is not None
        }
        command = self.command(function.path, body, passed, depth + 1) if body is not None else None
        if command is not None and passed and command.declared is None:
            command.declared = (path, call)
        return command

    def _local(self, path: str, node: Node, names: dict[str, str], depth: int) -> Command | None:
        function = enclosing(node, "function_item")
        for declaration in descendants(function, "let_declaration") if function is not None else ():
            if text_of(declaration.child_by_field_name("pattern")).removeprefix("mut ") == text_of(node):
                value = declaration.child_by_field_name("value")
                command = self.command(path, value, names, depth + 1) if value is not None else None
                if command is not None:
                    self._bound(path, declaration, command)
                    return command
        return None

    def _method(self, path: str, call: Node, command: Command, names: dict[str, str], depth: int) -> None:
        callee = call.child_by_field_name("function")
        name = text_of(callee.child_by_field_name("field")) if callee is not None else ""
        command.chained = command.chained or name in _CLAP_METHODS
        given = _arguments(call)
        if name == "name" and given:
            command.name = self._text(given[:1], names) or command.name
        elif name in ("subcommand_required", "arg_required_else_help", "setting", "settings") and given:
            said = text_of(given[0])
            command.required = command.required or said == "true" or "SubcommandRequired" in said
            command.required = command.required or "ArgRequiredElseHelp" in said
        elif name == "subcommand" and given:
            self._adopt(command, self.command(path, given[0], names, depth + 1))
        elif name == "subcommands" and given:
            for each in self._listed(path, given[0], names, depth + 1):
                self._adopt(command, each)

    def _adopt(self, parent: Command, child: Command | None) -> None:
        if child is not None:
            self._used.add((child.path, child.node.start_byte))
            parent.children.append(child)

    def _listed(self, path: str, node: Node, names: dict[str, str], depth: int) -> Iterator[Command]:
        """The commands of `[a(), b()]`, `vec![...]`, or a function that returns such a list."""
        if depth > _MAX_DEPTH:
            return
        match node.type:
            case "array_expression":
                for child in node.named_children:
                    found = self.command(path, child, names, depth + 1)
                    if found is not None:
                        yield found
            case "macro_invocation":
                listed = self._parsed(node)
                if listed is not None:
                    yield from self._listed(path, listed, names, depth + 1)
            case "reference_expression" | "block" | "parenthesized_expression" if node.named_children:
                yield from self._listed(path, node.named_children[-1], names, depth + 1)
            case "call_expression":
                callee = node.child_by_field_name("function")
                if callee is not None and callee.type == "field_expression":
                    value = callee.child_by_field_name("value")
                    if value is not None:
                        yield from self._listed(path, value, names, depth + 1)
                    return
                function = self._functions.resolve(text_of(callee), path)
                body = function.node.child_by_field_name("body") if function is not None else None
                if function is not None and body is not None:
                    yield from self._listed(function.path, body, names, depth + 1)

    def _parsed(self, macro: Node) -> Node | None:
        """The list inside `vec![...]`, which the grammar leaves as tokens; lines stay what they were."""
        from retrodoc_chunkers.grammars import parse

        tokens = next((child for child in macro.named_children if child.type == "token_tree"), None)
        if tokens is None:
            return None
        source = b"\n" * tokens.start_point[0] + b"const X: () = [" + (tokens.text or b"[]")[1:-1] + b"];"
        return next(descendants(parse(source, "rust").root_node, "array_expression"), None)

    def _text(self, nodes: Sequence[Node], names: dict[str, str]) -> str | None:
        for node in nodes:
            if node.type == "string_literal":
                return string_of(node)
            if node.type == "identifier":
                return names.get(text_of(node))
            if node.type == "reference_expression" and node.named_children:
                return self._text(node.named_children[-1:], names)
        return None


def _base_name(call: Node) -> str:
    """What a chain of methods starts from: `app` in `app.subcommand(a).subcommand(b)`."""
    node: Node | None = call
    while node is not None and node.type in ("call_expression", "field_expression"):
        node = node.child_by_field_name("function") or node.child_by_field_name("value")
    return text_of(node)


def _is_clap(command: Command) -> bool:
    return command.chained or bool(command.children)


def _arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    skipped = ("line_comment", "block_comment", "attribute_item")
    return [child for child in listed.named_children if child.type not in skipped] if listed is not None else []


def _parameters(function: Node) -> list[Node]:
    listed = function.child_by_field_name("parameters")
    return [child for child in listed.named_children if child.type == "parameter"] if listed is not None else []


def _returned_type(function: RustFunction) -> str:
    return text_of(function.node.child_by_field_name("return_type"))
