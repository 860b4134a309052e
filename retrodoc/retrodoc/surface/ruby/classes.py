"""Decides what the classes of a Ruby application hold, and in which of them a method is found.

Files are read when a name leads to them: one pass over the bytes says which file may define `Foo`, and only those
files are parsed. What a class says in its body (`has_many :orders`, `before_action :x`) is kept as `Macro`s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc.ingest.sources import Sources, once_for_sources

from .values import UNKNOWN, Arguments, Constant, Scope, Symbol, Value, arguments, children, evaluate, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_DEFINED = re.compile(rb"^[ \t]*(?:class|module)[ \t]+(?:::)?((?:[A-Z]\w*::)*[A-Z]\w*)", re.MULTILINE)
_BY_CALL = re.compile(rb"^[ \t]*([A-Z]\w*)[ \t]*=[ \t]*(?:Class|Module|Struct|Data)\.(?:new|define)\b", re.MULTILINE)
_VISIBILITIES = frozenset({"public", "private", "protected", "module_function", "private_class_method"})
_MIXINS = frozenset({"include", "prepend", "extend"})


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    owner: str
    """Qualified name of the class or module that defines it."""
    path: str
    start_line: int
    end_line: int
    visibility: str = "public"
    alias_of: str | None = None


@dataclass(frozen=True, slots=True)
class Macro:
    """A call in a class's body, with its arguments folded."""

    name: str
    args: Arguments
    start_line: int
    end_line: int
    body: Node | None = None
    """The block that it is given."""


@dataclass(slots=True)
class RubyClass:
    """One `class` or `module` statement; a class that is reopened has several."""

    name: str
    kind: str
    path: str
    start_line: int
    end_line: int
    superclass: str | None = None
    methods: dict[str, Method] = field(default_factory=dict)
    class_methods: dict[str, Method] = field(default_factory=dict)
    mixins: list[str] = field(default_factory=list)
    macros: list[Macro] = field(default_factory=list)
    constants: dict[str, Value] = field(default_factory=dict)
    constant_lines: dict[str, int] = field(default_factory=dict)
    queue: Value = None
    """What `@queue = ...` in the body says, as Resque reads it."""

    @property
    def nesting(self) -> tuple[str, ...]:
        """`A::B::C`, `A::B`, `A`: where a name that is written in the body is looked for."""
        parts = self.name.split("::")
        return tuple("::".join(parts[:length]) for length in range(len(parts), 0, -1))


class RubyIndex:
    """The classes of the Ruby files among `sources`, read on demand."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._files: dict[str, tuple[RubyClass, ...]] = {}
        self._defining: dict[str, list[str]] | None = None
        self._found: dict[str, tuple[RubyClass, ...]] = {}

    def in_file(self, path: str) -> tuple[RubyClass, ...]:
        """Every class and module of a file, outermost first."""
        if path not in self._files:
            root = self.sources.tree(path).root_node
            self._files[path] = tuple(_Reader(path).read(root))
        return self._files[path]

    def _paths_defining(self, last_name: str) -> Sequence[str]:
        if self._defining is None:
            self._defining = {}
            for path in self.sources.of("ruby"):
                data = self.sources.data(path)
                names = {found.rpartition(b"::")[2] for found in _DEFINED.findall(data)}
                names.update(_BY_CALL.findall(data))
                for name in names:
                    self._defining.setdefault(name.decode(), []).append(path)
        return self._defining.get(last_name, ())

    def named(self, qualified: str) -> tuple[RubyClass, ...]:
        """Every statement that defines or reopens exactly this name; the application's before its tests'."""
        if qualified not in self._found:
            found = [
                each
                for path in self._paths_defining(qualified.rpartition("::")[2])
                for each in self.in_file(path)
                if each.name == qualified
            ]
            found.sort(key=lambda each: (is_test_path(each.path), each.superclass is None, each.path))
            self._found[qualified] = tuple(found)
        return self._found[qualified]

    def resolve(self, name: str, nesting: Sequence[str] = ()) -> tuple[RubyClass, ...]:
        """What a name means inside `nesting` (innermost first), as Ruby looks it up; empty when it is nowhere."""
        if name.startswith("::"):
            return self.named(name[2:])
        for around in nesting:
            found = self.named(f"{around}::{name}")
            if found:
                return found
        return self.named(name)

    def ancestors(self, statements: Sequence[RubyClass]) -> Iterator[RubyClass]:
        """Those statements, what they mix in, and their superclasses, nearest first; each statement once."""
        seen: set[tuple[str, str, int]] = set()

        def walk(group: Sequence[RubyClass]) -> Iterator[RubyClass]:
            fresh = [each for each in group if (each.name, each.path, each.start_line) not in seen]
            seen.update((each.name, each.path, each.start_line) for each in fresh)
            yield from fresh
            for each in fresh:
                for mixin in reversed(each.mixins):
                    yield from walk(self.resolve(mixin, each.nesting))
            for each in fresh:
                if each.superclass:
                    outer = each.nesting[1:] if len(each.nesting) > 1 else ()
                    yield from walk(self.resolve(each.superclass, outer))
                    break

        yield from walk(statements)

    def method(self, statements: Sequence[RubyClass], name: str) -> Method | None:
        """The public instance method that a call would reach, also inherited, mixed in or aliased."""
        wanted = name
        for _ in range(4):  # an alias of an alias ends somewhere
            for each in self.ancestors(statements):
                found = each.methods.get(wanted)
                if found is None or (found.visibility != "public" and wanted == name):
                    continue
                if found.alias_of is None:
                    return found
                wanted = found.alias_of
                break
            else:
                return None
        return None

    def superclass_names(self, statements: Sequence[RubyClass]) -> Iterator[str]:
        """The names of all superclasses, nearest first, up to the first that is not in the repository (included)."""
        seen: set[str] = set()
        current = statements
        while current:
            named = next((each for each in current if each.superclass), None)
            if named is None or named.superclass is None or named.superclass in seen:
                return
            seen.add(named.superclass)
            outer = named.nesting[1:] if len(named.nesting) > 1 else ()
            following = self.resolve(named.superclass, outer)
            yield following[0].name if following else named.superclass.removeprefix("::")
            current = following


@once_for_sources
def index_of(sources: Sources) -> RubyIndex:
    """One index for all rules that look at the same sources."""
    return RubyIndex(sources)


def is_test_path(path: str) -> bool:
    """Whether a file belongs to tests, dummy applications or generator templates, which expose nothing."""
    return bool(_TEST_PATH.search(path))


_TEST_PATH = re.compile(r"(^|/)(tests?|specs?|features|dummy|fixtures|templates|generators)/|_(spec|test)\.rb$")


class _Reader:
    """Reads one file's statements."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._found: list[RubyClass] = []

    def read(self, root: Node) -> list[RubyClass]:
        self._statements(root.named_children, (), None)
        return self._found

    def _statements(self, nodes: Sequence[Node], around: tuple[str, ...], inside: RubyClass | None) -> None:
        visibility = "public"
        for node in nodes:
            match node.type:
                case "class" | "module":
                    self._class(node, around)
                case "method" | "singleton_method" if inside is not None:
                    self._method(node, inside, visibility)
                case "singleton_class" if inside is not None:
                    self._singleton(node, inside)
                case "identifier" if text_of(node) in _VISIBILITIES:
                    visibility = text_of(node)
                case "call":
                    visibility = self._call(node, around, inside, visibility)
                case "alias" if inside is not None and len(node.named_children) == 2:
                    new, old = (text_of(child).lstrip(":") for child in node.named_children)
                    self._alias(inside, new, old, node)
                case "assignment":
                    self._assignment(node, around, inside)
                case "if" | "unless" | "begin" | "if_modifier" | "unless_modifier" | "else" | "then" | "body_statement":
                    self._statements(node.named_children, around, inside)

    def _class(self, node: Node, around: tuple[str, ...]) -> None:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return
        written = text_of(name_node)
        name = written[2:] if written.startswith("::") else "::".join((*around, written))
        parent = node.child_by_field_name("superclass")
        superclass = None
        if parent is not None and parent.named_children:
            superclass = re.sub(r"[\[(].*", "", text_of(parent.named_children[0]), flags=re.DOTALL)
        statement = RubyClass(
            name, node.type, self._path, node.start_point[0] + 1, node.end_point[0] + 1, superclass=superclass
        )
        self._found.append(statement)
        body = node.child_by_field_name("body")
        if body is not None:
            self._statements(body.named_children, tuple(name.split("::")), statement)

    def _method(self, node: Node, inside: RubyClass, visibility: str) -> None:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return
        name = text_of(name_node)
        singleton = node.type == "singleton_method"
        table = inside.class_methods if singleton else inside.methods
        table[name] = Method(
            name,
            inside.name,
            self._path,
            node.start_point[0] + 1,
            node.end_point[0] + 1,
            "public" if singleton else visibility,
        )
        if not singleton and visibility == "module_function":
            self._as_function(inside, name)

    def _as_function(self, inside: RubyClass, name: str) -> None:
        """`module_function` makes the method callable on the module itself, and private elsewhere."""
        known = inside.methods[name]
        place = (known.path, known.start_line, known.end_line)
        inside.class_methods[name] = Method(name, known.owner, *place)
        inside.methods[name] = Method(name, known.owner, *place, "private", known.alias_of)

    def _alias(self, inside: RubyClass, new: str, old: str, node: Node) -> None:
        line = node.start_point[0] + 1
        inside.methods.setdefault(new, Method(new, inside.name, self._path, line, line, "public", old))

    def _singleton(self, node: Node, inside: RubyClass) -> None:
        holder = RubyClass(inside.name, inside.kind, self._path, inside.start_line, inside.end_line)
        body = node.child_by_field_name("body")
        if body is not None:
            self._statements(body.named_children, tuple(inside.name.split("::")), holder)
        inside.class_methods.update(holder.methods)
        inside.macros.extend(holder.macros)

    def _assignment(self, node: Node, around: tuple[str, ...], inside: RubyClass | None) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        if inside is not None and text_of(left) == "@queue":
            inside.queue = evaluate(right, _names_of(inside))
        if left.type != "constant":
            return
        if right.type == "call" and re.match(r"(?:Class|Struct|Data)\.(?:new|define)\b", text_of(right)):
            self._constructed(text_of(left), right, around)
        elif inside is not None:
            inside.constants[text_of(left)] = evaluate(right, _names_of(inside))
            inside.constant_lines[text_of(left)] = node.start_point[0] + 1

    def _constructed(self, written: str, node: Node, around: tuple[str, ...]) -> None:
        """`Point = Struct.new(:x) do ... end` and `Sub = Class.new(Base)`."""
        given = arguments(node, Scope())
        parent = given.positional[0].name if given.positional and isinstance(given.positional[0], Constant) else None
        name = "::".join((*around, written))
        statement = RubyClass(
            name, "class", self._path, node.start_point[0] + 1, node.end_point[0] + 1, superclass=parent
        )
        self._found.append(statement)
        block = node.child_by_field_name("block")
        if block is not None:
            self._statements(list(_block_statements(block)), tuple(name.split("::")), statement)

    def _call(self, node: Node, around: tuple[str, ...], inside: RubyClass | None, visibility: str) -> str:
        name_node = node.child_by_field_name("method")
        name = text_of(name_node) if name_node is not None else ""
        block = node.child_by_field_name("block")
        if inside is None:  # a class may stand in a block, as in `ActiveSupport.on_load(:x) do`
            if block is not None:
                self._statements(list(_block_statements(block)), around, None)
            return visibility
        receiver = node.child_by_field_name("receiver")
        if receiver is not None and receiver.type != "self":
            return visibility
        if name in ("included", "class_methods", "prepended") and block is not None:
            self._concern_block(name, block, around, inside)
            return visibility
        given = arguments(node, _names_of(inside))
        if name in _VISIBILITIES:
            return self._visibility(name, given, inside, visibility)
        if name in _MIXINS:
            if name != "extend":
                inside.mixins.extend(value.name for value in given.positional if isinstance(value, Constant))
        elif name in ("alias_method", "alias_attribute") and len(given.positional) == 2:
            new, old = given.positional
            if isinstance(new, str) and isinstance(old, str) and name == "alias_method":
                self._alias(inside, new, old, node)
        elif name == "define_method" and given.positional and isinstance(given.positional[0], str):
            self._defined(given.positional[0], node, inside, visibility)
        inside.macros.append(Macro(name, given, node.start_point[0] + 1, node.end_point[0] + 1, block))
        return visibility

    def _defined(self, name: str, node: Node, inside: RubyClass, visibility: str) -> None:
        inside.methods[name] = Method(
            name, inside.name, self._path, node.start_point[0] + 1, node.end_point[0] + 1, visibility
        )

    def _concern_block(self, name: str, block: Node, around: tuple[str, ...], inside: RubyClass) -> None:
        holder = RubyClass(inside.name, inside.kind, self._path, inside.start_line, inside.end_line)
        self._statements(list(_block_statements(block)), around, holder)
        if name == "class_methods":
            inside.class_methods.update(holder.methods)
        else:
            inside.methods.update(holder.methods)
            inside.class_methods.update(holder.class_methods)
            inside.mixins.extend(holder.mixins)
            inside.macros.extend(holder.macros)

    def _visibility(self, name: str, given: Arguments, inside: RubyClass, visibility: str) -> str:
        """`private` alone changes what follows; with names or a `def` it changes those."""
        if not given.nodes:
            return visibility if name == "private_class_method" else name
        for value, node in zip(given.positional, given.nodes, strict=True):
            if node.type in ("method", "singleton_method"):
                self._method(node, inside, name)
                continue
            for each in value if isinstance(value, list) else [value]:
                table = inside.class_methods if name == "private_class_method" else inside.methods
                known = table.get(each) if isinstance(each, str) else None
                if known is not None and name == "module_function":
                    self._as_function(inside, str(each))
                elif known is not None:
                    visible = "private" if name == "private_class_method" else name
                    table[str(each)] = Method(
                        known.name, known.owner, known.path, known.start_line, known.end_line, visible, known.alias_of
                    )
        return visibility


def _names_of(inside: RubyClass) -> Scope:
    def constant(name: str) -> Value:
        value = inside.constants.get(name, UNKNOWN)
        return value if value is not UNKNOWN else Constant(name)

    return Scope(constant=constant)


def _block_statements(block: Node) -> Iterator[Node]:
    yield from children(block.child_by_field_name("body"))


def symbols(value: Value) -> tuple[str, ...]:
    """The names in a symbol, a string, or a list of them."""
    listed = value if isinstance(value, list) else [value]
    return tuple(str(each) for each in listed if isinstance(each, str | Symbol))
