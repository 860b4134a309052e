"""clap: the commands of a Rust program, built or derived, and the function that a `match` on them calls."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.rust.clap_builder import Builder, Command
from retrodoc.surface.rust.clap_derive import Derived, DeriveReader, RustType
from retrodoc.surface.rust.functions import Functions, RustFunction, functions_of
from retrodoc.surface.rust.syntax import (
    enclosing,
    in_test_module,
    is_test_path,
    string_of,
    text_of,
)
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import EntryPoint, Handler, SourceRef

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_CLAP = re.compile(rb"\b(?:clap|structopt|StructOpt)\b")
_BUILDERS = re.compile(rb"\b(?:App|Command)(?:::<[^>]*>)?::(?:new|with_name)\b|SubCommand::with_name\b")
_DERIVES = re.compile(rb"derive\([^)]*\b(?:Parser|Subcommand|Args|StructOpt|Clap)\b")
_DISPATCH = re.compile(
    rb"ArgMatches|subcommand|Cli\b|Command|Cmd\b|Args\b|Opts?\b|(?:Parser|StructOpt)\b|\bmatch self\b"
)
"""Says that a file may choose between commands."""
_BUILDER_NAMES = ("cli", "command", "subcommand", "app", "make_subcommand", "args")
_RUNNERS = ("exec", "run", "execute", "main", "handle", "call", "cmd")
"""What a command's module usually calls the function that runs it; only used in the module that builds the command."""


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    if not any(not is_test_path(path) for path in sources.containing(_CLAP, "rust")):
        return
    found = _Commands(sources)
    yield from found.built()
    yield from found.derived()


class _Commands:
    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._functions: Functions = functions_of(sources)
        self._arms: dict[str, list[tuple[str, Node]]] | None = None
        self._programs = dict(_programs(sources))
        self._clap_itself = frozenset(_crates_named(sources, _OWN))

    def _files(self, needle: re.Pattern[bytes]) -> list[str]:
        found = self._sources.containing(needle, "rust")
        return [path for path in found if not is_test_path(path) and self._crate(path) not in self._clap_itself]

    # --- built

    def built(self) -> Iterator[EntryPoint]:
        for root in Builder(self._functions).roots(self._files(_BUILDERS)):
            if not _may_be_clap(self._sources.data(root.path)) and not root.children:
                continue
            program = root.name or self._program(root.path)
            if not root.children or not root.required:
                yield self._entry(program, self._main(root.path), root.path, root.node)
            for child in root.children:
                yield from self._built_below(child, (program,))

    def _built_below(self, command: Command, around: tuple[str, ...]) -> Iterator[EntryPoint]:
        if command.name is None:
            return
        words = (*around, command.name)
        near = (command.declared or (command.path,))[0]
        handler = self._arm_handler(command.name, near)
        if handler is None and (not command.children or not command.required):
            handler = self._runner(command) or Handler(symbol=" ".join(words))
        if handler is not None:  # also a command that only passes on to its subcommands, when something does that
            yield self._entry(" ".join(words), handler, *(command.declared or (command.path, command.node)))
        for child in command.children:
            yield from self._built_below(child, words)

    def _runner(self, command: Command) -> Handler | None:
        """The function beside the one that builds the command, in a module of the command's own."""
        path, node = command.declared or (command.path, command.node)
        builder = enclosing(node, "function_item")
        if builder is None or text_of(builder.child_by_field_name("name")) not in _BUILDER_NAMES:
            return None
        for name in _RUNNERS:
            found = self._functions.resolve(name, path)
            if found is not None and found.path == path:
                return _handler(found)
        return None

    # --- derived

    def derived(self) -> Iterator[EntryPoint]:
        for root in DeriveReader(self._functions, self._files(_DERIVES)).roots():
            program = root.name or self._program(root.path)
            if root.optional or not root.children:
                yield self._entry(program, self._main(root.path), root.path, root.node)
            for child in root.children:
                yield from self._derived_below(child, (program,))

    def _derived_below(self, command: Derived, around: tuple[str, ...]) -> Iterator[EntryPoint]:
        words = (*around, command.name or "")
        if not command.children or command.optional:
            handler = self._variant_handler(command) or Handler(symbol=f"{command.enum}::{command.variant}")
            yield self._entry(" ".join(words), handler, command.path, command.node)
        for child in command.children:
            yield from self._derived_below(child, words)

    def _entry(self, name: str, handler: Handler, path: str, node: Node) -> EntryPoint:
        start = node.start_point[0] + 1
        end = node.end_point[0] + 1 if node.type == "enum_variant" else start
        return EntryPoint(
            kind="cli",
            name=name,
            handler=handler,
            framework="clap",
            declared=SourceRef(path=path, start_line=start, end_line=end),
        )

    # --- what runs

    def _all_arms(self) -> dict[str, list[tuple[str, Node]]]:
        """The arms of every `match`, by each string or `Enum::Variant` in their patterns."""
        if self._arms is None:
            self._arms = {}
            for path in self._files(_DISPATCH):
                for arm in descendants(self._sources.tree(path).root_node, "match_arm"):
                    pattern = arm.child_by_field_name("pattern")
                    if pattern is not None and not in_test_module(arm):
                        for key in _pattern_keys(pattern):
                            self._arms.setdefault(key, []).append((path, arm))
        return self._arms

    def _arm_handler(self, name: str, near: str) -> Handler | None:
        """What the arm for a command's name calls; among several, the nearest to where the command is built."""
        arms = [
            (path, arm)
            for path, arm in self._all_arms().get(f'"{name}"', ())
            if re.search(r"Arg|Matches|exec|subcommand|Command|CliResult", _around_text(arm))
        ]
        arms.sort(key=lambda each: (-_common(each[0], near), each[0]))
        for path, arm in arms:
            called = self._called(path, arm, None)
            if called is not None:
                return called
        return self._whole_arm(*arms[0]) if arms else None

    def _variant_handler(self, command: Derived) -> Handler | None:
        arms = [
            *self._all_arms().get(f"{command.enum}::{command.variant}", ()),
            *(
                each
                for each in self._all_arms().get(f"Self::{command.variant}", ())
                if _impl_type(each[1]) == command.enum
            ),
        ]
        arms = sorted(arms, key=lambda each: (each[0] != command.path, -_common(each[0], command.path), each[0]))
        for path, arm in arms:
            called = self._called(path, arm, command.payload)
            if called is not None:
                return called
        if arms:
            return self._whole_arm(*arms[0])
        return self._own_method(command)

    def _own_method(self, command: Derived) -> Handler | None:
        for name in _RUNNERS:
            payload = command.payload
            found = self._functions.method(payload.name, name, payload.path) if payload is not None else None
            if found is not None:
                return _handler(found)
        return None

    def _called(self, path: str, arm: Node, payload: RustType | None) -> Handler | None:
        """The function that an arm names, calls, or ends with."""
        node = arm.child_by_field_name("value")
        while node is not None:
            if node.type in ("scoped_identifier", "identifier"):
                found = self._functions.resolve(_with_self(text_of(node), arm), path)
                return _handler(found) if found is not None else None
            if node.type == "call_expression":
                found = self._call_target(path, node, arm, payload)
                if found is not None:
                    return _handler(found)
                node = _next_call(node)
            elif node.type in _TRANSPARENT:
                inner = [child for child in node.named_children if not child.type.endswith("comment")]
                node = inner[-1] if inner else None
            else:
                return None
        return None

    def _call_target(self, path: str, call: Node, arm: Node, payload: RustType | None) -> RustFunction | None:
        callee = call.child_by_field_name("function")
        if callee is None:
            return None
        if callee.type in ("scoped_identifier", "identifier"):
            return self._functions.resolve(_with_self(text_of(callee), arm), path)
        if payload is not None and text_of(callee.child_by_field_name("value")) in _bound(arm):
            return self._functions.method(payload.name, text_of(callee.child_by_field_name("field")), payload.path)
        return None

    def _whole_arm(self, path: str, arm: Node) -> Handler:
        function = enclosing(arm, "function_item")
        name = text_of(function.child_by_field_name("name")) if function is not None else "match"
        return Handler(symbol=name, path=path, start_line=arm.start_point[0] + 1, end_line=arm.end_point[0] + 1)

    def _main(self, path: str) -> Handler:
        """The `main` of the program that a file belongs to."""
        crate = self._crate(path)
        mains = [
            each
            for each in self._sources.of("rust")
            if re.search(r"(^|/)(main|bin/[^/]+)\.rs$", each) and not is_test_path(each) and self._crate(each) == crate
        ]
        mains.sort(key=lambda each: (each != path, not path.startswith(posixpath.dirname(each)), each.count("/"), each))
        for each in mains:
            found = self._functions.resolve("main", each)
            if found is not None:
                return _handler(found)
        return Handler(symbol="main")

    def _crate(self, path: str) -> str:
        """The folder of the nearest `Cargo.toml`; the root without one."""
        folder = posixpath.dirname(path)
        while folder and folder not in self._programs:
            folder = posixpath.dirname(folder)
        return folder

    def _program(self, path: str) -> str:
        """What the crate around a file calls its program."""
        return self._programs.get(self._crate(path), "main")


def _handler(found: RustFunction) -> Handler:
    return Handler(symbol=found.symbol, path=found.path, start_line=found.start_line, end_line=found.end_line)


_TRANSPARENT = frozenset(
    "try_expression await_expression parenthesized_expression return_expression expression_statement block async_block "
    "unsafe_block reference_expression".split()
)


def _next_call(call: Node) -> Node | None:
    """Inside a call that is not known: what `run(x).context(..)` is called on, what `Ok(run(x))` is given."""
    callee = call.child_by_field_name("function")
    if callee is not None and callee.type == "field_expression":
        return callee.child_by_field_name("value")
    given = call.child_by_field_name("arguments")
    named = text_of(callee) in ("Ok", "Some", "Err", "Box::new") and given is not None
    return given.named_children[0] if named and given is not None and given.named_children else None


def _impl_type(node: Node) -> str:
    holder = enclosing(node, "impl_item")
    return text_of(holder.child_by_field_name("type")) if holder is not None else ""


def _with_self(written: str, node: Node) -> str:
    return written.replace("Self", _impl_type(node), 1) if written.startswith("Self::") else written


def _common(first: str, second: str) -> int:
    return len(posixpath.commonprefix([first.split("/"), second.split("/")]))


def _pattern_keys(pattern: Node) -> Iterator[str]:
    for node in descendants(pattern, "string_literal", "scoped_identifier", "scoped_type_identifier"):
        if node.type == "string_literal":
            yield f'"{string_of(node)}"'
        else:
            yield "::".join(text_of(node).split("::")[-2:])


def _bound(arm: Node) -> frozenset[str]:
    """The names that an arm's pattern binds."""
    pattern = arm.child_by_field_name("pattern")
    return (
        frozenset(text_of(node) for node in descendants(pattern, "identifier")) if pattern is not None else frozenset()
    )


def _around_text(arm: Node) -> str:
    function = enclosing(arm, "function_item")
    match = enclosing(arm, "match_expression")
    signature = text_of(function)[:400] if function is not None else ""
    return signature + text_of(match.child_by_field_name("value") if match is not None else None)


def _may_be_clap(data: bytes) -> bool:
    return bool(_CLAP.search(data)) or b"command_prelude" in data


_PACKAGE = re.compile(rb"^\[package\](.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
_BIN = re.compile(rb"^\[\[bin\]\](.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(rb'^\s*name\s*=\s*"([^"]+)"', re.MULTILINE)


_OWN = (b"clap", b"clap_builder", b"clap_derive", b"clap_complete", b"structopt", b"structopt-derive")
"""Packages that define commands for others; what they build are examples and their own help."""


def _crates_named(sources: Sources, names: tuple[bytes, ...]) -> Iterator[str]:
    for path in sources.paths:
        if posixpath.basename(path) == "Cargo.toml":
            package = _PACKAGE.search(sources.data(path))
            named = _NAME.search(package[1]) if package else None
            if named is not None and named[1] in names:
                yield posixpath.dirname(path)


def _programs(sources: Sources) -> Iterator[tuple[str, str]]:
    """Each crate's folder, and its program's name: of its only `[[bin]]`, else of the package."""
    for path in sources.paths:
        if posixpath.basename(path) != "Cargo.toml":
            continue
        data = sources.data(path)
        bins = [_NAME.search(section) for section in _BIN.findall(data)]
        package = _PACKAGE.search(data)
        named = bins[0] if len(bins) == 1 else _NAME.search(package[1]) if package else None
        if named is not None:
            yield posixpath.dirname(path), named[1].decode("utf-8", "replace")
