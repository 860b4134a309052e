"""Decides which commands a clap (or structopt) program derives: `#[derive(Parser)]` and `#[derive(Subcommand)]`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc.surface.trees import descendants

from .functions import Functions, module_name
from .syntax import attributes, derives, in_test_module, kebab, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ATTRIBUTE = re.compile(r"^(?:clap|command|structopt|arg|group)\b", re.DOTALL)
_NAME = re.compile(r"(?<![\w_])name\s*=\s*\"([^\"]+)\"")
_CASES = {"snake_case": "_", "lower": "", "verbatim": None, "kebab-case": "-"}
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class RustType:
    name: str
    path: str
    node: Node


@dataclass(slots=True)
class Derived:
    """One command. `enum` and `variant` say which arm of a `match` runs it; `payload` which type it carries."""

    name: str | None
    path: str
    node: Node
    enum: str | None = None
    variant: str | None = None
    payload: RustType | None = None
    children: list[Derived] = field(default_factory=list)
    optional: bool = True
    """It also runs without a subcommand."""


class DeriveReader:
    """Reads structs and enums that derive a command."""

    def __init__(self, functions: Functions, paths: Sequence[str]) -> None:
        self._functions = functions
        self._types: dict[str, list[RustType]] = {}
        self._parsers: list[RustType] = []
        for path in paths:
            for node in descendants(functions.sources.tree(path).root_node, "struct_item", "enum_item"):
                known = derives(node) & {"Parser", "Subcommand", "Args", "StructOpt", "Clap"}
                other = any(text.startswith("grammar") for text in attributes(node))  # another package's `Parser`
                if not known or other or in_test_module(node):
                    continue
                found = RustType(text_of(node.child_by_field_name("name")), path, node)
                self._types.setdefault(found.name, []).append(found)
                if known & {"Parser", "StructOpt", "Clap"}:
                    self._parsers.append(found)

    def roots(self) -> Iterator[Derived]:
        """The parsers that no other command is made of."""
        parts = {part for types in self._types.values() for each in types for part in self._parts(each)}
        for found in self._parsers:
            if found not in parts:
                command = Derived(_name_in(attributes(found.node)), found.path, found.node, payload=found)
                self._fill(command, found, 0)
                yield command

    def _parts(self, found: RustType) -> Iterator[RustType]:
        for each in descendants(found.node, "field_declaration", "ordered_field_declaration_list"):
            yield from self._named_in(each, found.path)

    def _named_in(self, node: Node, path: str) -> Iterator[RustType]:
        """The types of commands that a field or a variant names."""
        written = node.child_by_field_name("type") if node.type == "field_declaration" else node
        for name in re.findall(r"(?:\w+::)*\w+", text_of(written)):
            found = self._resolve(name, path)
            if found is not None:
                yield found

    def _resolve(self, written: str, path: str) -> RustType | None:
        """The type that a path means in a file: of the module it names, of the file itself, or the only one."""
        *modules, name = written.split("::")
        known = self._types.get(name, [])
        if not modules:
            imported = self._functions.imported(name, path) if len(known) > 1 else None
            here = [each for each in known if each.path == path]
            if here:
                return here[0]
            modules = imported[:-1] if imported else []
        named = [each for module in modules[-1:] for each in known if module_name(each.path) == module]
        candidates = named or (known if len(known) == 1 else [])
        return max(candidates, key=lambda each: len(posixpath.commonprefix([each.path, path])), default=None)

    def _fill(self, command: Derived, found: RustType, depth: int) -> None:
        """The subcommands of a struct's field, or of an enum's variants."""
        if depth > _MAX_DEPTH:
            return
        if found.node.type == "enum_item":
            command.optional = False
            command.children.extend(self._variants(found, depth))
            return
        for each in descendants(found.node, "field_declaration"):
            said = " ".join(text for text in attributes(each) if _ATTRIBUTE.match(text))
            if re.search(r"\bsubcommand\b", said):
                command.optional = text_of(each.child_by_field_name("type")).startswith("Option")
                for inner in self._named_in(each, found.path):
                    command.children.extend(self._variants(inner, depth + 1))
            elif re.search(r"\bflatten\b", said):
                for inner in self._named_in(each, found.path):
                    if inner.node.type == "struct_item":
                        self._fill(command, inner, depth + 1)

    def _variants(self, enum: RustType, depth: int) -> Iterator[Derived]:
        case = _case_of(attributes(enum.node))
        body = enum.node.child_by_field_name("body")
        for variant in body.named_children if body is not None and depth <= _MAX_DEPTH else ():
            said = [text for text in attributes(variant) if _ATTRIBUTE.match(text)]
            joined = " ".join(said)
            if variant.type != "enum_variant" or re.search(r"\b(?:external_subcommand|skip)\b", joined):
                continue
            carried = variant.child_by_field_name("body")
            tuple_like = carried is not None and carried.type == "ordered_field_declaration_list"
            types = list(self._named_in(carried, enum.path)) if carried is not None and tuple_like else []
            if re.search(r"\bflatten\b", joined):
                for inner in types:
                    if inner.node.type == "enum_item":
                        yield from self._variants(inner, depth + 1)
                continue
            name = text_of(variant.child_by_field_name("name"))
            payload = types[0] if types else None
            command = Derived(_name_in(said) or _cased(name, case), enum.path, variant, enum.name, name, payload)
            if payload is not None:
                self._fill(command, payload, depth + 1)
            elif carried is not None and not tuple_like:
                self._fill_fields(command, carried, enum.path, depth)
            yield command

    def _fill_fields(self, command: Derived, fields: Node, path: str, depth: int) -> None:
        """`Remote { #[command(subcommand)] what: Remotes }`."""
        for each in descendants(fields, "field_declaration"):
            if re.search(r"\bsubcommand\b", " ".join(attributes(each))):
                command.optional = text_of(each.child_by_field_name("type")).startswith("Option")
                for inner in self._named_in(each, path):
                    command.children.extend(self._variants(inner, depth + 1))


def _name_in(said: Sequence[str]) -> str | None:
    for text in said:
        if _ATTRIBUTE.match(text):
            found = _NAME.search(text)
            if found:
                return found[1]
    return None


def _case_of(said: Sequence[str]) -> str | None:
    found = re.search(r'rename_all\s*=\s*"([\w-]+)"', " ".join(text for text in said if _ATTRIBUTE.match(text)))
    return _CASES.get(found[1], "-") if found else "-"


def _cased(name: str, separator: str | None) -> str:
    return name if separator is None else kebab(name).replace("-", separator)
