"""Decides what a Ruby expression is worth when that can be told from the text alone.

Nothing is run. What depends on anything but literals, local names bound to literals, and constants of the same
kind is `UNKNOWN`, and a caller never turns an unknown into a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tree_sitter import Node

Value = Any
"""`str`, `Symbol`, `int`, `float`, `bool`, `None`, `list`, `dict`, or one of the classes below."""


class Symbol(str):
    """`:name`. It equals the string of the same letters, so that options are looked up by either."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Regexp:
    source: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant that is not a literal: a class, a module, or a value that somebody else computes."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A block or lambda and the names that it sees."""

    node: Node
    scope: Scope


class _Unknown:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        return False


UNKNOWN: Final = _Unknown()


@dataclass(slots=True)
class Scope:
    """The local names of a block, and those of the blocks around it."""

    names: dict[str, Value] = field(default_factory=dict)
    outer: Scope | None = None
    constant: Callable[[str], Value] | None = None
    """Looks a constant up by its whole name; None knows no constant."""

    def get(self, name: str) -> Value:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return UNKNOWN

    def set(self, name: str, value: Value) -> None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                scope.names[name] = value
                return
            scope = scope.outer
        self.names[name] = value

    def look_up(self, name: str) -> Value:
        scope: Scope | None = self
        while scope is not None:
            if scope.constant is not None:
                return scope.constant(name)
            scope = scope.outer
        return Constant(name)

    def inner(self, names: Mapping[str, Value] | None = None) -> Scope:
        return Scope(dict(names or {}), self)


def text_of(node: Node) -> str:
    """The source text of a node; bytes that are not UTF-8 are replaced."""
    return (node.text or b"").decode("utf-8", "replace")


def evaluate(node: Node, scope: Scope) -> Value:
    """What an expression is worth, or `UNKNOWN`."""
    rule = _RULES.get(node.type)
    return rule(node, scope) if rule is not None else UNKNOWN


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call is given, in order; braces-less pairs become the last positional hash, as in Ruby."""

    positional: tuple[Value, ...] = ()
    options: dict[str, Value] = field(default_factory=dict)
    """Keys are strings; a key that is a class, as in `mount Engine => "/path"`, is a `Constant` all the same."""
    nodes: tuple[Node, ...] = ()
    """The nodes of `positional`."""
    option_nodes: dict[str, Node] = field(default_factory=dict)
    block: Value = None
    """`&name`."""


def arguments(call: Node, scope: Scope) -> Arguments:
    """The arguments of a call, folded. A trailing literal hash counts as options, with or without braces."""
    listed = call.child_by_field_name("arguments")
    if listed is None:
        return Arguments()
    positional: list[Value] = []
    nodes: list[Node] = []
    options: dict[str, Value] = {}
    option_nodes: dict[str, Node] = {}
    block: Value = None
    for child in listed.named_children:
        if child.type == "pair":
            _add_pair(child, scope, options, option_nodes)
        elif child.type == "hash_splat_argument":
            merged = evaluate(child.named_children[0], scope) if child.named_children else UNKNOWN
            if isinstance(merged, dict):
                options.update(merged)
        elif child.type == "splat_argument":
            spread = evaluate(child.named_children[0], scope) if child.named_children else UNKNOWN
            for value in spread if isinstance(spread, list) else [UNKNOWN]:
                positional.append(value)
                nodes.append(child)
        elif child.type == "block_argument":
            block = evaluate(child.named_children[0], scope) if child.named_children else UNKNOWN
        elif child.type not in ("comment", "heredoc_body"):
            positional.append(evaluate(child, scope))
            nodes.append(child)
    if positional and isinstance(positional[-1], dict) and not options:
        options = dict(positional.pop())
        _add_hash_nodes(nodes.pop(), option_nodes)
    return Arguments(tuple(positional), options, tuple(nodes), option_nodes, block)


def _add_hash_nodes(node: Node, found: dict[str, Node]) -> None:
    while node.type == "parenthesized_statements" and node.named_children:
        node = node.named_children[0]
    for pair in node.named_children:
        key = pair.child_by_field_name("key") if pair.type == "pair" else None
        value = pair.child_by_field_name("value") if pair.type == "pair" else None
        if key is not None and value is not None:
            name = evaluate(key, Scope())
            if isinstance(name, str):
                found[name] = value


def _add_pair(pair: Node, scope: Scope, options: dict[str, Value], nodes: dict[str, Node]) -> None:
    key_node, value_node = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    if key_node is None:
        return
    key = evaluate(key_node, scope)
    if isinstance(key, list):
        key = tuple(key)
    try:
        hash(key)
    except TypeError:
        return
    if value_node is None:  # `f(name:)` passes the local of that name
        options[key] = scope.get(str(key)) if isinstance(key, str) else UNKNOWN
        return
    options[key] = evaluate(value_node, scope)
    if isinstance(key, str):
        nodes[key] = value_node


def bind(parameters: Node | None, values: tuple[Value, ...]) -> dict[str, Value]:
    """Names of a block's or method's parameters, each with the value that it is given (or its literal default)."""
    if parameters is None:
        return {}
    named = [child for child in parameters.named_children if child.type not in ("comment", "block_parameter")]
    if len(values) == 1 and isinstance(values[0], list) and len(named) > 1:
        values = tuple(values[0])
    bound: dict[str, Value] = {}
    for index, child in enumerate(named):
        given = values[index] if index < len(values) else None
        if child.type == "identifier":
            bound[text_of(child)] = given if index < len(values) else UNKNOWN
        elif child.type == "destructured_parameter":
            bound.update(bind(child, tuple(given) if isinstance(given, list) else ()))
        elif child.type == "splat_parameter" and child.named_children:
            bound[text_of(child.named_children[0])] = list(values[index:])
        else:
            name, default = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is None:
                continue
            keywords = values[-1] if values and isinstance(values[-1], dict) else {}
            if child.type == "keyword_parameter" and text_of(name) in keywords:
                bound[text_of(name)] = keywords[text_of(name)]
            elif child.type == "optional_parameter" and index < len(values):
                bound[text_of(name)] = given
            else:
                bound[text_of(name)] = evaluate(default, Scope()) if default is not None else UNKNOWN
    return bound


def children(body: Node | None) -> Iterator[Node]:
    """The statements of a body, whatever wraps them."""
    if body is None:
        return
    if body.type in ("body_statement", "block_body", "begin_block", "then", "program", "parenthesized_statements"):
        yield from body.named_children
    else:
        yield body


def _string(node: Node, scope: Scope) -> Value:
    pieces: list[str] = []
    for child in node.named_children:
        if child.type in ("string_content", "heredoc_content"):
            pieces.append(text_of(child))
        elif child.type == "escape_sequence":
            pieces.append(_ESCAPES.get(text_of(child), text_of(child)[1:]))
        elif child.type == "interpolation":
            inner = evaluate(child.named_children[0], scope) if child.named_children else ""
            if not isinstance(inner, str | int) or isinstance(inner, bool):
                return UNKNOWN
            pieces.append(str(inner))
    return "".join(pieces)


_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\s": " ", "\\e": "\x1b", "\\r": "\r"}


def _quoted_symbol(node: Node, scope: Scope) -> Value:
    value = _string(node, scope)
    return Symbol(value) if isinstance(value, str) else UNKNOWN


def _chained(node: Node, scope: Scope) -> Value:
    pieces = [evaluate(child, scope) for child in node.named_children]
    return "".join(pieces) if all(isinstance(piece, str) for piece in pieces) else UNKNOWN


def _hash(node: Node, scope: Scope) -> Value:
    found: dict[str, Value] = {}
    for child in node.named_children:
        if child.type == "pair":
            _add_pair(child, scope, found, {})
        elif child.type == "hash_splat_argument" and child.named_children:
            merged = evaluate(child.named_children[0], scope)
            if isinstance(merged, dict):
                found.update(merged)
    return found


def _array(node: Node, scope: Scope) -> Value:
    found: list[Value] = []
    for child in node.named_children:
        if child.type == "splat_argument" and child.named_children:
            spread = evaluate(child.named_children[0], scope)
            found.extend(spread if isinstance(spread, list) else [UNKNOWN])
        elif child.type == "pair":
            pair: dict[str, Value] = {}
            _add_pair(child, scope, pair, {})
            found.append(pair)
        elif child.type != "comment":
            found.append(evaluate(child, scope))
    return found


def _only_child(node: Node, scope: Scope) -> Value:
    inner = [child for child in node.named_children if child.type != "comment"]
    return evaluate(inner[-1], scope) if inner else None


def _conditional(node: Node, scope: Scope) -> Value:
    chosen = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    first, second = (evaluate(part, scope) if part is not None else None for part in chosen)
    condition = node.child_by_field_name("condition")
    decided = evaluate(condition, scope) if condition is not None else UNKNOWN
    if isinstance(decided, bool):
        return first if decided else second
    return first if first is not UNKNOWN and first == second and type(first) is type(second) else UNKNOWN


def _binary(node: Node, scope: Scope) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return UNKNOWN
    first, second = evaluate(left, scope), evaluate(right, scope)
    match operator.type:
        case "+" if isinstance(first, str) and isinstance(second, str):
            return str(first) + str(second)
        case "+" if isinstance(first, list) and isinstance(second, list):
            return first + second
        case "-" if isinstance(first, list) and isinstance(second, list):
            return [item for item in first if item not in second]
        case "|" if isinstance(first, list) and isinstance(second, list):
            return first + [item for item in second if item not in first]
        case "==" | "!=" if _comparable(first) and _comparable(second):
            return (first == second) is (operator.type == "==")
        case "||" if first not in (UNKNOWN, None, False):
            return first
        case _:
            return UNKNOWN


def _comparable(value: Value) -> bool:
    return value is None or isinstance(value, str | int | bool)


def _call(node: Node, scope: Scope) -> Value:
    name_node, receiver = node.child_by_field_name("method"), node.child_by_field_name("receiver")
    name = text_of(name_node) if name_node is not None else ""
    block = node.child_by_field_name("block")
    if receiver is None:
        return Code(block, scope) if name in ("lambda", "proc") and block is not None else UNKNOWN
    value = evaluate(receiver, scope)
    if isinstance(value, Constant):
        if value.name in ("Proc", "Hash", "Array", "Set") and name == "new":
            return {"Proc": Code(block, scope) if block else UNKNOWN, "Hash": {}, "Array": [], "Set": []}[value.name]
        if name == "class_name" or name == "name":
            return value.name
        return UNKNOWN
    rule = _METHODS.get(name)
    if rule is None:
        return UNKNOWN
    given = arguments(node, scope)
    try:
        return rule(value, given)
    except (TypeError, AttributeError, IndexError, KeyError):
        return UNKNOWN


def _merged(value: Value, given: Arguments) -> Value:
    if not isinstance(value, dict):
        return UNKNOWN
    found = dict(value)
    for other in given.positional:
        if isinstance(other, dict):
            found.update(other)
    found.update(given.options)
    return found


def _indexed(node: Node, scope: Scope) -> Value:
    if len(node.named_children) != 2:
        return UNKNOWN
    value, key = (evaluate(child, scope) for child in node.named_children)
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key, UNKNOWN)
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return UNKNOWN


def _text_or_unknown(change: Callable[[str], str]) -> Callable[[Value, Arguments], Value]:
    return lambda value, _: change(value) if isinstance(value, str) else UNKNOWN


_METHODS: Mapping[str, Callable[[Value, Arguments], Value]] = {
    "freeze": lambda value, _: value,
    "dup": lambda value, _: value,
    "to_a": lambda value, _: [list(pair) for pair in value.items()] if isinstance(value, dict) else value,
    "to_h": lambda value, _: value if isinstance(value, dict) else UNKNOWN,
    "to_s": lambda value, _: str(value) if isinstance(value, str | int) else UNKNOWN,
    "to_sym": lambda value, _: Symbol(value) if isinstance(value, str) else UNKNOWN,
    "deep_dup": lambda value, _: value,
    "presence": lambda value, _: value,
    "html_safe": lambda value, _: value,
    "squish": _text_or_unknown(lambda value: " ".join(value.split())),
    "strip": _text_or_unknown(str.strip),
    "downcase": _text_or_unknown(str.lower),
    "upcase": _text_or_unknown(str.upper),
    "tr": lambda value, given: value.replace(*given.positional),
    "compact": lambda value, _: [item for item in value if item is not None],
    "uniq": lambda value, _: list(dict.fromkeys(value)),
    "sort": lambda value, _: sorted(value),
    "flatten": lambda value, _: [part for item in value for part in (item if isinstance(item, list) else [item])],
    "first": lambda value, _: value[0] if isinstance(value, list) else UNKNOWN,
    "last": lambda value, _: value[-1] if isinstance(value, list) else UNKNOWN,
    "keys": lambda value, _: list(value.keys()),
    "values": lambda value, _: list(value.values()),
    "join": lambda value, given: (given.positional[0] if given.positional else "").join(value),
    "merge": _merged,
    "reverse_merge": lambda value, given: {**given.options, **value},
    "except": lambda value, given: {key: kept for key, kept in value.items() if key not in given.positional},
    "slice": lambda value, given: {key: value[key] for key in given.positional if key in value},
    "without": lambda value, given: [item for item in value if item not in given.positional],
    "excluding": lambda value, given: [item for item in value if item not in given.positional],
    "index_with": lambda value, _: dict.fromkeys(value, UNKNOWN),
    "index_by": lambda value, _: dict.fromkeys(value, UNKNOWN),
    "collect": lambda value, given: _mapped(value, given),  # noqa: PLW0108 - defined below
    "map": lambda value, given: _mapped(value, given),  # noqa: PLW0108 - defined below
}


def _mapped(value: Value, given: Arguments) -> Value:
    """`.map(&:to_s)` and the like; a block is not followed."""
    if not isinstance(value, list) or not isinstance(given.block, Symbol):
        return UNKNOWN
    rule = _METHODS.get(given.block)
    return [rule(item, Arguments()) for item in value] if rule is not None else UNKNOWN


def _integer(node: Node, _: Scope) -> Value:
    try:
        return int(text_of(node).replace("_", ""), 0)
    except ValueError:
        return UNKNOWN


_RULES: Mapping[str, Callable[[Node, Scope], Value]] = {
    "string": _string,
    "bare_string": _string,
    "heredoc_beginning": lambda _, __: UNKNOWN,
    "chained_string": _chained,
    "character": lambda node, _: text_of(node)[1:],
    "simple_symbol": lambda node, _: Symbol(text_of(node)[1:]),
    "bare_symbol": _quoted_symbol,
    "delimited_symbol": _quoted_symbol,
    "hash_key_symbol": lambda node, _: Symbol(text_of(node)),
    "string_array": _array,
    "symbol_array": _array,
    "array": _array,
    "hash": _hash,
    "integer": _integer,
    "true": lambda _, __: True,
    "false": lambda _, __: False,
    "nil": lambda _, __: None,
    "regex": lambda node, _: Regexp(text_of(node)),
    "identifier": lambda node, scope: scope.get(text_of(node)),
    "constant": lambda node, scope: scope.look_up(text_of(node)),
    "scope_resolution": lambda node, scope: scope.look_up(text_of(node).removeprefix("::")),
    "parenthesized_statements": _only_child,
    "then": _only_child,
    "else": _only_child,
    "conditional": _conditional,
    "if": _conditional,
    "binary": _binary,
    "call": _call,
    "element_reference": _indexed,
    "lambda": Code,
}
