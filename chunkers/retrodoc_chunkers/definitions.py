"""What a file defines: the captures of `definitions.scm` put in order, named and nested."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from retrodoc_chunkers.bindings import bound_values, statement_of
from retrodoc_chunkers.lines import FAR
from retrodoc_chunkers.model import Definition
from retrodoc_chunkers.nodes import first_field
from retrodoc_chunkers.parameters import names_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from retrodoc_chunkers.bindings import Bound
    from retrodoc_chunkers.lines import Lines

KINDS = ("class", "module", "function", "method", "enum", "struct", "interface", "trait", "type", "constant", "block")
HOLDERS = frozenset({"class", "module", "enum", "struct", "interface", "trait"})
_FUNCTIONS = frozenset({"function", "method"})
_WITH_PROTOTYPES = frozenset({"c", "cpp"})
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
_GAP = re.compile(rb"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
"""What may stand between an attribute and its definition."""
_OPERATOR = re.compile(r"\boperator\b")
_CONVERSION = re.compile(r"(\boperator\s+[^\s(][^(]*?)\s*\(.*", re.DOTALL)
_SEPARATOR = re.compile(r"::|\\|\.")
_IDENTIFIER = re.compile(r"[^\W\d]\w*[?!=]?")
MAX_LABEL = 80
"""Characters of a block's label that are kept: it is shown in headers."""


_Span = tuple[int, int]
"""First byte and end of a node."""


_Found = tuple[int, int, int, str, str, tuple[str, ...], int, tuple[str, ...], bool]
"""What is known of a definition before its neighbours are; plain, because there are many:

first byte; end, negative; byte of the own name's first letter, -1 when the file has no such token, as for
`describe "x"`; kind; name; names written before it, as `A`, `B` of `class A::B::C` or a Go method's receiver type; a
byte on the line of the name; parameters; whether it is a block or a prototype that counts outside of functions alone.
"""


class DefinitionTable(NamedTuple):
    """The definitions of a file in order of their start, and the bytes at which their names start."""

    definitions: tuple[Definition, ...]
    name_starts: frozenset[int]


def table_of(captures: Mapping[str, Sequence[Node]], language: str, encoding: str, lines: Lines) -> DefinitionTable:
    """All definitions in the captures of `definitions.scm`; `lines` are those of the file as it is, in `encoding`."""
    source = lines.source
    wrapping = _wrappers(captures["wrapper"], captures.get("wrapped", ())) if "wrapper" in captures else {}
    attached = sorted(node.byte_range for node in captures["attached"]) if "attached" in captures else []
    file = _File(captures, language, source, encoding)
    found: list[_Found] = []
    for kind, node, bound in _captured(captures, source):
        span = node.byte_range
        if span in wrapping:
            span = _wrapped(span, wrapping)
        if attached:
            span = _with_attached(span, attached, source)
        named = _block(node, span, source, encoding) if kind == "block" else _named(kind, node, span, file, bound)
        if named is not None:
            found.append(named)
    found.sort(key=_ORDER)
    return _nested(found, lines)


_ORDER = itemgetter(0, 1, 2)


def _captured(captures: Mapping[str, Sequence[Node]], source: bytes) -> list[tuple[str, Node, Bound | None]]:
    """The kind and the node of each definition, and what binds it where that is not the node itself."""
    found: list[tuple[str, Node, Bound | None]] = []
    for kind in KINDS:
        if kind in captures:
            found += zip(repeat(kind), captures[kind], repeat(None))
    found += [("block", node, None) for node in registering(captures, source)]
    if "bound" in captures:
        found += [(one.kind, one.statement, one) for one in bound_values(captures["bound"])]
    return found


def registering(captures: Mapping[str, Sequence[Node]], source: bytes) -> list[Node]:
    """The calls among the captures that define something, besides those captured as `block`."""
    found = [node for node in captures.get("block.named", ()) if registers(node, source)]
    if "callback" in captures:
        statements = map(statement_of, captures["callback"])
        by_start = {node.start_byte: node for node in statements if node is not None}
        found += [node for node in by_start.values() if _calls_back(node, source)]
    return found


def _calls_back(node: Node, source: bytes) -> bool:
    """Whether a call with a callback defines something: `it("x", () => {})`, `app.use(() => {})`."""
    call = node.named_child(0)
    if _first_argument(call) is not None:
        return True
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or function.type not in ("identifier", "member_expression"):
        return False
    return arguments.named_children[0].type in _CALLBACKS and registers(node, source)


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
    function = first_field(_call_of(node), "method", "function", "name")
    while function is not None and function.type == "call_expression":  # `describe.each(rows)("adds", () => {})`
        function = function.child_by_field_name("function")
    return (first_field(function, "property", "name", "field") or function) if function is not None else None


def _call_of(node: Node) -> Node:
    """The call of a registering statement: in `get("/x", f).name("y")` the first one, which has the function."""
    call = node if node.type == "call" else node.named_child(0)
    while call.type != "call" and not _has_callback(call):
        callee = call.child_by_field_name("function") or call
        inner = first_field(callee, "object", "expression")
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


class _Nearest:
    """Nodes by their start, to find the first one in a range."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        by_start = {node.start_byte: node for node in nodes}
        self._starts = sorted(by_start)
        self.at = by_start
        """The node that starts at a byte."""

    def first(self, start: int, end: int) -> Node | None:
        index = bisect_left(self._starts, start)
        if index < len(self._starts) and self._starts[index] < end:
            return self.at[self._starts[index]]
        return None


def _wrappers(wrappers: Sequence[Node], wrapped: Sequence[Node]) -> dict[_Span, _Span]:
    """For each wrapped node (start, end), the smallest wrapper around it that is not itself."""
    outer = sorted(node.byte_range for node in wrappers)
    starts = [start for start, _ in outer]
    pairs = {}
    for start, end in {node.byte_range for node in wrapped}:
        index = bisect_right(starts, start) - 1
        while index >= 0 and (outer[index][1] < end or outer[index] == (start, end)):
            index -= 1
        if index >= 0:
            pairs[start, end] = outer[index]
    return pairs


def _wrapped(span: _Span, wrapping: Mapping[_Span, _Span]) -> _Span:
    for _ in range(4):  # `export default @decorated class` is three deep
        outer = wrapping.get(span)
        if outer is None:
            break
        span = outer
    return span


def _with_attached(span: _Span, attached: list[_Span], source: bytes) -> _Span:
    """The span with the attributes and decorators right before it, where the grammar keeps them apart."""
    start, end = span
    index = bisect_left(attached, (start,)) - 1
    while index >= 0:
        first, last = attached[index]
        gap = _GAP.match(source, last, start)
        if gap is None or gap.end() < start:
            break
        start = first
        index -= 1
    return start, end


_NONE = _Nearest(())


class _File:
    """A file and what is captured apart from its definitions, because no field of theirs leads there."""

    def __init__(self, captures: Mapping[str, Sequence[Node]], language: str, source: bytes, encoding: str) -> None:
        self.language = language
        self.source = source
        self.encoding = encoding
        self.names, self.owners, self.parameters = (
            _Nearest(captures[name]) if name in captures else _NONE for name in ("name", "owner", "parameters")
        )


def _named(kind: str, node: Node, span: _Span, file: _File, bound: Bound | None) -> _Found | None:
    start, end = span
    source, encoding = file.source, file.encoding
    name_node = bound.name if bound is not None else file.names.at.get(start) or node.child_by_field_name("name")
    if name_node is None and kind == "method":
        name_node = first_field(node, "key", "property")
    if name_node is None:
        within = node.child_by_field_name("declarator") or node  # C: a type that is defined before it has a name too
        name_node = file.names.first(within.start_byte, node.end_byte)
    if name_node is None:
        return None
    name_start, name_end = name_node.byte_range
    written = source[name_start:name_end]
    text = written.decode(encoding, "replace")
    parameters: tuple[str, ...] = ()
    weak = file.language in _WITH_PROTOTYPES and node.type == "declaration"
    if kind in _FUNCTIONS:
        listed = _parameter_list(node, name_start, file, bound)
        if listed is not None and text.isupper() and text.isidentifier() and _is_macro(node):
            label = " ".join((text, *(_text(source, *one.byte_range, encoding) for one in listed.named_children)))
            return start, -end, -1, "block", label[:MAX_LABEL], (), name_start, (), False
        parameters = names_of(listed, file.language, source, encoding) if listed is not None else ()
    if kind != "method" and text.isidentifier() and not (kind == "function" and node.type == "macro_definition"):
        return start, -end, name_start, kind, text, (), name_start, parameters, weak
    if name_node.type == "parenthesized_declarator":  # `int (*pick(int which))(int)`
        text = text.lstrip("(*& \t\r\n").partition("(")[0].rstrip(") \t\r\n")
    text = plain_name(text)
    *before, own = [part for part in _SEPARATOR.split(text) if part] or [text]
    owner = file.owners.first(node.start_byte, name_start) if kind == "method" else None
    if owner is not None:
        before.insert(0, _text(source, owner.start_byte, owner.end_byte, encoding))
    if node.type == "macro_definition":
        own += "!"
    own_start = name_start + max(written.rfind(own.rstrip("!").encode(encoding, "replace")), 0)
    return start, -end, own_start, kind, own, tuple(before), name_start, parameters, weak


def _parameter_list(node: Node, name_start: int, file: _File, bound: Bound | None) -> Node | None:
    listed = node.child_by_field_name("parameters")
    if listed is not None:
        return listed
    function = node.child_by_field_name("value") if bound is None else bound.value
    if function is not None:  # `x => x + 1` has one `parameter`
        return first_field(function, "parameters", "parameter")
    return file.parameters.first(name_start, node.end_byte)


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


def _block(node: Node, span: _Span, source: bytes, encoding: str) -> _Found | None:
    """A registering call: named after its function and its first argument, as in `get /orders`."""
    last = _called(node)
    if last is None:
        return None
    verb = _text(source, last.start_byte, last.end_byte, encoding)
    if verb in _ANONYMOUS or "(" in verb:  # `(function () { })("x", () => {})` names nothing
        return None
    start, end = span
    weak = node.type == "call"
    label = _first_argument(_call_of(node))
    if label is None:
        return start, -end, -1, "block", verb, (), last.start_byte, (), weak
    label_start = label.start_byte
    text = _text(source, label_start, min(label.end_byte, label_start + 4 * MAX_LABEL + 4), encoding)
    text = " ".join(text.strip("\"'`:").split())[:MAX_LABEL]
    if verb in _NAMING_CALLS and label.type in ("simple_symbol", "hash_key_symbol") and _IDENTIFIER.fullmatch(text):
        name_start = label_start + (label.type == "simple_symbol")
        return start, -end, name_start, "block", text, (), label_start, (), weak
    return start, -end, -1, "block", f"{verb} {text}".strip(), (), label_start, (), weak


def _first_argument(call: Node) -> Node | None:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if first is not None and first.type == "argument":
        first = first.named_child(0)
    if first is None or first.type not in _LABELS:
        return None
    return first.child_by_field_name("key") or first


def _nested(found: Sequence[_Found], lines: Lines) -> DefinitionTable:
    """Each definition with its parent; what only looks like one is dropped on the way."""
    definitions: list[Definition] = []
    starts: list[int] = []
    open_ones: list[int] = []
    count = lines.source.count
    line, counted = 1, 0
    previous: _Span | None = None
    for start, minus_end, name_start, kind, name, owners, named_at, parameters, weak in found:
        while open_ones and definitions[open_ones[-1]].end_byte <= start:
            open_ones.pop()
        parent = open_ones[-1] if open_ones else None
        holder = definitions[parent] if parent is not None else None
        if (kind == "block" and previous == (start, minus_end)) or (weak and _inside_function(definitions, parent)):
            continue
        previous = start, minus_end
        if kind == "function" and holder is not None and holder.kind in _METHOD_HOLDERS:
            kind = "method"
        qualified = ".".join((*owners, name)) if owners else name
        if holder is not None:
            qualified = f"{holder.qualified_name}.{qualified}"[-MAX_QUALIFIED:]
        line += count(b"\n", counted, start)
        counted = start
        last = -minus_end - 1  # a node that ends with its line feed ends on that line, not on the next one
        last_line = line + count(b"\n", start, last) if last - start < FAR else lines.of(last)
        name_line = line + count(b"\n", start, named_at) if named_at - start < FAR else lines.of(named_at)
        fields = name, kind, qualified, start, -minus_end, line, last_line, name_line, parameters, parent
        definitions.append(_new(Definition, fields))
        if name_start >= 0:
            starts.append(name_start)
        if kind != "constant":
            open_ones.append(len(definitions) - 1)
    return DefinitionTable(tuple(definitions), frozenset(starts))


_new = tuple.__new__
"""`Definition(*fields)` without its checks: twice as fast."""


def _inside_function(definitions: Sequence[Definition], index: int | None) -> bool:
    """Whether something weak is inside a function, where it defines nothing.

    There a Ruby block registers nothing (`items.each do`, `get :index`), and what looks like a prototype in C++ makes
    an object (`Cart cart(basket);`).
    """
    while index is not None:
        if definitions[index].kind in _FUNCTIONS:
            return True
        if definitions[index].kind in HOLDERS:
            return False
        index = definitions[index].parent
    return False


MAX_QUALIFIED = 1_000
"""Characters: definitions nested ten thousand deep must not cost the square of that."""
