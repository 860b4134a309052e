"""What a file defines: the captures of `definitions.scm` put in order, named and nested."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.model import Definition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node

KINDS = ("class", "module", "function", "method", "enum", "struct", "interface", "trait", "type", "constant", "block")
HOLDERS = frozenset({"class", "module", "enum", "struct", "interface", "trait"})
_FUNCTIONS = frozenset({"function", "method"})
_METHOD_HOLDERS = HOLDERS - {"module"}

REGISTERING = frozenset(
    "scope has_many has_one belongs_to has_and_belongs_to_many task file define_method enum resources resource get post"
    " put patch delete match mount namespace delegate attr_accessor attr_reader attr_writer alias_method validates"
    " group before_action after_action before_save after_save before_create after_create before_destroy after_destroy"
    " helper_method use before after beforeEach afterEach beforeAll afterAll all ready".split()
)
"""Calls that define something without a block (Ruby), or without a name (`app.use(() => {})`)."""

# Ruby calls whose first symbol becomes a name of the class: `scope :open` defines `open`.
_NAMING_CALLS = frozenset(
    {
        "scope", "has_many", "has_one", "belongs_to", "has_and_belongs_to_many", "define_method", "enum", "task",
        "attr_accessor", "attr_reader", "attr_writer", "alias_method", "delegate",
    }
)  # fmt: skip
_ANONYMOUS = frozenset({"lambda", "proc", "loop"})
_LABELS = frozenset(
    {
        "string",
        "string_literal",
        "interpreted_string_literal",
        "raw_string_literal",
        "encapsed_string",
        "simple_symbol",
        "constant",
        "scope_resolution",
        "template_string",
        "delimited_symbol",
        "pair",
        "hash",
    }
)
_COMMENTS = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARED = re.compile(r"[&*(.\s]+(\w+)\)?")
_OPERATOR = re.compile(r"\boperator\b")
_CONVERSION = re.compile(r"(\boperator\s+[^\s(][^(]*?)\s*\(.*", re.DOTALL)
_WORD = re.compile(r"\w")
_SEPARATOR = re.compile(r"::|\\|\.")
_IDENTIFIER = re.compile(r"[^\W\d]\w*[?!=]?")
MAX_LABEL = 80
"""Characters of a block's label that are kept: it is shown in headers."""


class Span(NamedTuple):
    """A node of the tree, reduced to what is needed once the tree is gone."""

    start: int
    end: int
    start_line: int
    end_line: int


class _Found(NamedTuple):
    kind: str
    span: Span
    name: str
    owners: tuple[str, ...]
    """Names written before the own one: `A`, `B` of `class A::B::C`; a Go method's receiver type."""
    name_line: int
    name_start: int
    """Byte of the own name's first letter; -1 when the file has no such token, as for `describe "x"`."""
    parameters: tuple[str, ...]
    weak_in_functions: bool = False
    """A block or a prototype that counts outside of functions alone."""


class DefinitionTable(NamedTuple):
    """The definitions of a file in order of their start, and the bytes at which their names start."""

    definitions: tuple[Definition, ...]
    name_starts: frozenset[int]


def table_of(captures: Mapping[str, Sequence[Node]], source: bytes, encoding: str) -> DefinitionTable:
    """All definitions in the captures of `definitions.scm`; `source` is the file as it is, in `encoding`."""
    wrapping = _wrappers(captures.get("wrapper", ()), captures.get("wrapped", ()))
    attached = sorted(
        (node.start_byte, node.end_byte, node.start_point.row + 1) for node in captures.get("attached", ())
    )
    names = _Nearest(captures.get("name", ()))
    owners = _Nearest(captures.get("owner", ()))
    parameters = _Nearest(captures.get("parameters", ()))
    found: list[_Found] = []
    for kind in KINDS:
        for node in _captured(captures, kind, source):
            span = _span(node)
            if wrapping:
                span = _wrapped(span, wrapping)
            if attached:
                span = _with_attached(span, attached, source)
            if kind == "block":
                named = _block(node, span, source, encoding)
            else:
                named = _named(kind, node, span, (names, owners, parameters), source, encoding)
            if named is not None:
                found.append(named)
    found.sort(key=_order)
    return _nested(found)


def _captured(captures: Mapping[str, Sequence[Node]], kind: str, source: bytes) -> Iterable[Node]:
    nodes = captures.get(kind, ())
    if kind != "block":
        return nodes
    return [*nodes, *(node for node in captures.get("block.named", ()) if registers(node, source))]


def registers(node: Node, source: bytes) -> bool:
    """Whether a call captured as `block.named` defines something: by its name, or by the callback that it is given."""
    call = _call_of(node)
    if call.type != "call":
        if not _has_callback(call):
            return False
        if _first_argument(call) is not None:
            return True
    function = _called(node)
    return function is not None and source[function.start_byte : function.end_byte].decode("latin-1") in REGISTERING


def _called(node: Node) -> Node | None:
    """The last name of the function that a statement calls."""
    function = _first_field(_call_of(node), "method", "function", "name")
    while function is not None and function.type == "call_expression":  # `describe.each(rows)("adds", () => {})`
        function = function.child_by_field_name("function")
    return (_first_field(function, "property", "name", "field") or function) if function is not None else None


def _call_of(node: Node) -> Node:
    """The call of a registering statement: in `get("/x", f).name("y")` the first one, which has the function."""
    call = node if node.type == "call" else node.named_child(0)
    while call.type != "call" and not _has_callback(call):
        callee = call.child_by_field_name("function") or call
        inner = _first_field(callee, "object", "expression")
        if inner is None or not inner.type.endswith(("call_expression", "invocation_expression")):
            break
        call = inner
    return call


def _has_callback(call: Node) -> bool:
    arguments = call.child_by_field_name("arguments")
    for one in arguments.named_children if arguments is not None else ():
        value = one.children[-1] if one.type == "argument" else one  # the last: it may be named
        if value.type in _CALLBACKS:
            return True
    return False


_CALLBACKS = frozenset(
    {"arrow_function", "function_expression", "anonymous_function", "lambda_expression", "anonymous_method_expression",
     "func_literal"}
)  # fmt: skip


def _order(one: _Found) -> tuple[int, int, int]:
    return one.span.start, -one.span.end, one.name_start


class _Nearest:
    """Nodes by their start, to find the first one in a range."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        by_start = {node.start_byte: node for node in nodes}
        self._starts = sorted(by_start)
        self._nodes = [by_start[start] for start in self._starts]

    def first(self, start: int, end: int) -> Node | None:
        index = bisect_left(self._starts, start)
        if index < len(self._starts) and self._starts[index] < end:
            return self._nodes[index]
        return None


def _span(node: Node) -> Span:
    row, column = node.end_point
    start_line = node.start_point.row + 1
    # A node that ends with its line feed ends on that line, not on the next one.
    return Span(node.start_byte, node.end_byte, start_line, max(row + (column > 0), start_line))


def _wrappers(wrappers: Sequence[Node], wrapped: Sequence[Node]) -> dict[tuple[int, int], Span]:
    """For each wrapped node (start, end), the smallest wrapper around it that is not itself."""
    outer = sorted((_span(node) for node in wrappers), key=lambda span: (span.start, -span.end))
    starts = [span.start for span in outer]
    pairs = {}
    for start, end in {node.byte_range for node in wrapped}:
        index = bisect_right(starts, start) - 1
        while index >= 0 and (outer[index].end < end or outer[index][:2] == (start, end)):
            index -= 1
        if index >= 0:
            pairs[start, end] = outer[index]
    return pairs


def _wrapped(span: Span, wrapping: Mapping[tuple[int, int], Span]) -> Span:
    for _ in range(4):  # `export default @decorated class` is three deep
        outer = wrapping.get((span.start, span.end))
        if outer is None:
            break
        span = outer
    return span


def _with_attached(span: Span, attached: list[tuple[int, int, int]], source: bytes) -> Span:
    """The span with the attributes and decorators right before it, where the grammar keeps them apart."""
    index = bisect_left(attached, (span.start,)) - 1
    while index >= 0:
        start, end, line = attached[index]
        if _COMMENTS.sub(b"", source[end : span.start]).strip():
            break
        span = span._replace(start=start, start_line=line)
        index -= 1
    return span


def _named(
    kind: str, node: Node, span: Span, nearest: tuple[_Nearest, _Nearest, _Nearest], source: bytes, encoding: str
) -> _Found | None:
    names, owners, parameter_lists = nearest
    name_node = names.first(node.start_byte, node.end_byte)
    if name_node is None:
        return None
    written = source[name_node.start_byte : name_node.end_byte]
    text = written.decode(encoding, "replace")
    parameters: tuple[str, ...] = ()
    line = name_node.start_point.row + 1
    weak = node.type == "declaration"
    if kind in _FUNCTIONS:
        listed = parameter_lists.first(name_node.start_byte, node.end_byte)
        if listed is not None and text.isupper() and text.isidentifier() and _is_macro(node):
            label = " ".join((text, *(_text(source, *one.byte_range, encoding) for one in listed.named_children)))
            return _Found("block", span, label[:MAX_LABEL], (), line, -1, ())
        parameters = parameter_names(listed, source, encoding) if listed is not None else ()
    if kind != "method" and text.isidentifier() and node.type != "macro_definition":
        return _Found(kind, span, text, (), line, name_node.start_byte, parameters, weak)
    if name_node.type == "parenthesized_declarator":  # `int (*pick(int which))(int)`
        text = text.lstrip("(*& \t\r\n").partition("(")[0].rstrip(") \t\r\n")
    text = plain_name(text)
    *before, own = [part for part in _SEPARATOR.split(text) if part] or [text]
    owner = owners.first(node.start_byte, name_node.start_byte) if kind == "method" else None
    if owner is not None:
        before.insert(0, _text(source, owner.start_byte, owner.end_byte, encoding))
    if node.type == "macro_definition":
        own += "!"
    start = name_node.start_byte + max(written.rfind(own.rstrip("!").encode(encoding, "replace")), 0)
    return _Found(kind, span, own, tuple(before), line, start, parameters, weak)


def _is_macro(node: Node) -> bool:
    """Whether what looks like a function of C without a type is a macro with a body: `TEST(Cart, Adds) { }`.

    In a class it is a constructor.
    """
    if node.child_by_field_name("declarator") is None or node.child_by_field_name("type") is not None:
        return False
    return node.parent is None or node.parent.type != "field_declaration_list"


def plain_name(written: str) -> str:
    """A name as it is spoken of: without quotes and the arguments of templates."""
    text = written.strip("\"'`")
    operator = _OPERATOR.search(text)
    if operator is not None:
        own = _CONVERSION.sub(r"\1", text[operator.start() :])
        return _without_templates(text[: operator.start()]) + own
    return _without_templates(text)


def _without_templates(text: str) -> str:
    """`Shelf<T>::at` is `Shelf::at`; an arrow in a type closes nothing."""
    if "<" not in text:
        return text
    kept: list[str] = []
    depth = 0
    for index, letter in enumerate(text):
        if letter == "<" and (depth or index):
            depth += 1
        elif letter == ">" and depth and text[index - 1] not in "-=":
            depth -= 1
        elif not depth:
            kept.append(letter)
    return "".join(kept) if not depth else text


def _text(source: bytes, start: int, end: int, encoding: str) -> str:
    return source[start:end].decode(encoding, "replace")


RECEIVERS = frozenset({"self", "cls", "this", "&self", "&mut self", "mut self"})


def parameter_names(node: Node, source: bytes, encoding: str) -> tuple[str, ...]:
    """Names of a parameter list, the receiver (`self`, `cls`) left out."""
    if not node.type.endswith(("parameters", "parameter_list", "parameter", "_params")):
        return (_text(source, node.start_byte, node.end_byte, encoding),)  # `x => x + 1`
    names: list[str] = []
    for child in node.named_children:
        kind = child.type
        if kind in _NO_PARAMETER:
            continue
        if kind == "identifier":
            text = source[child.start_byte : child.end_byte].decode(encoding, "replace")
            if names or text not in RECEIVERS:
                names.append(text)
            continue
        if kind == "parameter_declaration" and _first_field(child, "name", "declarator") is None:
            continue  # C and Go: a type alone
        for name in child.children_by_field_name("name") or [_inner_name(child)]:
            text = _text(source, name.start_byte, name.end_byte, encoding)
            declared = _DECLARED.fullmatch(text)  # `*rows` and `(*callback)` in C
            text = declared.group(1) if declared else text
            if text != "void" and _WORD.search(text) and not (text in RECEIVERS and not names):
                names.append(text)
    return tuple(names)


_NO_PARAMETER = frozenset(
    {"comment", "line_comment", "block_comment", "self_parameter", "keyword_separator", "positional_separator",
     "receiver_parameter", "attribute_item", "attribute_list", "modifier", "array_type", "nullable_type", "ERROR"}
)  # fmt: skip


def _inner_name(node: Node) -> Node:
    """The node that names a parameter: its pattern or declarator, else its first identifier, else itself."""
    for _ in range(8):
        inner = _first_field(node, "name", "pattern", "declarator", "left")
        if inner is None and node.type.endswith(("splat_pattern", "rest_pattern", "parameter")):
            children = node.named_children
            inner = next((child for child in children if child.type == "variable_declarator"), None)
            inner = inner or next((child for child in children if child.type.endswith("identifier")), None)
        if inner is None or inner == node:
            return node
        node = inner
    return node


def _block(node: Node, span: Span, source: bytes, encoding: str) -> _Found | None:
    """A registering call: named after its function and its first argument, as in `get /orders`."""
    last = _called(node)
    if last is None:
        return None
    verb = _text(source, last.start_byte, last.end_byte, encoding)
    if verb in _ANONYMOUS or "(" in verb:  # `(function () { })("x", () => {})` names nothing
        return None
    weak = node.type == "call"
    label = _first_argument(_call_of(node))
    if label is None:
        return _Found("block", span, verb, (), last.start_point.row + 1, -1, (), weak)
    text = _text(source, label.start_byte, min(label.end_byte, label.start_byte + 4 * MAX_LABEL + 4), encoding)
    text = " ".join(text.strip("\"'`:").split())[:MAX_LABEL]
    line = label.start_point.row + 1
    if verb in _NAMING_CALLS and label.type in ("simple_symbol", "hash_key_symbol") and _IDENTIFIER.fullmatch(text):
        start = label.start_byte + (label.type == "simple_symbol")
        return _Found("block", span, text, (), line, start, (), weak)
    return _Found("block", span, f"{verb} {text}".strip(), (), line, -1, (), weak)


def _first_field(node: Node, *fields: str) -> Node | None:
    return next(filter(None, map(node.child_by_field_name, fields)), None)


def _first_argument(call: Node) -> Node | None:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if first is not None and first.type == "argument":
        first = first.named_child(0)
    if first is None or first.type not in _LABELS:
        return None
    return first.child_by_field_name("key") or first if first.type == "pair" else first


def _nested(found: Sequence[_Found]) -> DefinitionTable:
    """Each definition with its parent; what only looks like one is dropped on the way."""
    definitions: list[Definition] = []
    starts: list[int] = []
    open_ones: list[int] = []
    previous: Span | None = None
    for one in found:
        while open_ones and definitions[open_ones[-1]].end_byte <= one.span.start:
            open_ones.pop()
        parent = open_ones[-1] if open_ones else None
        holder = definitions[parent] if parent is not None else None
        if (one.kind == "block" and previous == one.span) or _inside_function(definitions, parent, one):
            continue
        previous = one.span
        definitions.append(_definition(one, parent, holder))
        if one.name_start >= 0:
            starts.append(one.name_start)
        if one.kind != "constant":
            open_ones.append(len(definitions) - 1)
    return DefinitionTable(tuple(definitions), frozenset(starts))


def _inside_function(definitions: Sequence[Definition], index: int | None, one: _Found) -> bool:
    """Whether something weak is inside a function, where it defines nothing.

    There a Ruby block registers nothing (`items.each do`, `get :index`), and what looks like a prototype in C++ makes
    an object (`Cart cart(basket);`).
    """
    if not one.weak_in_functions:
        return False
    while index is not None:
        if definitions[index].kind in _FUNCTIONS:
            return True
        if definitions[index].kind in HOLDERS:
            return False
        index = definitions[index].parent
    return False


def _definition(one: _Found, parent: int | None, holder: Definition | None) -> Definition:
    kind = one.kind
    if kind == "function" and holder is not None and holder.kind in _METHOD_HOLDERS:
        kind = "method"
    name = one.name
    qualified = ".".join((*one.owners, name))
    if holder is not None:
        qualified = f"{holder.qualified_name}.{qualified}"[-MAX_QUALIFIED:]
    span = one.span
    return Definition(
        name,
        kind,
        qualified,
        span.start,
        span.end,
        span.start_line,
        span.end_line,
        one.name_line,
        one.parameters,
        parent,
    )


MAX_QUALIFIED = 1_000
"""Characters: definitions nested ten thousand deep must not cost the square of that."""
